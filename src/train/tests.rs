//! The loop on the embedded demo.

use std::{collections::HashMap, sync::LazyLock};

use super::*;
use crate::{
    corpus::demo,
    corpus::{
        split::{Part, Scheme},
        store::Store,
    },
    model::{ComputeDevice, Engine, Pooling, Precision, Weights},
};

/// Stops after some steps and records every report.
#[derive(Default)]
struct Recorder {
    stop_after: Option<u64>,
    steps: Vec<StepReport>,
    evaluations: Vec<EvaluationReport>,
    best: Option<Weights>,
    files: HashMap<String, Vec<u8>>,
}

impl Observer for Recorder {
    fn step(&mut self, report: &StepReport) -> Result<AfterStep, ObserverError> {
        self.steps.push(report.clone());
        Ok(if self.stop_after == Some(report.step) { AfterStep::Stop } else { AfterStep::Continue })
    }

    fn evaluated(&mut self, report: &EvaluationReport) -> Result<(), ObserverError> {
        self.evaluations.push(report.clone());
        Ok(())
    }

    fn best(&mut self, weights: &Weights, _: &TrainProgress) -> Result<(), ObserverError> {
        self.best = Some(weights.clone());
        Ok(())
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_>) -> Result<(), ObserverError> {
        self.files = checkpoint.files()?.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
        Ok(())
    }
}

fn store() -> Store {
    static DEMO: LazyLock<std::sync::Mutex<Store>> =
        LazyLock::new(|| std::sync::Mutex::new(demo::corpus().unwrap()));
    DEMO.lock().unwrap().reopen().unwrap()
}

/// A few seconds of training: short texts, few pairs a batch, two epochs.
fn short() -> TrainSettings {
    let mut settings = Preset::Tiny.settings();
    settings.shape = ShapeSettings {
        width: 8,
        heads: 1,
        key: 4,
        value: 4,
        feed_forward: 8,
        longest: 20,
        ..settings.shape
    };
    TrainSettings { epochs: 2, batch: 40, evaluate_every: 1, split: Scheme::Mixed, ..settings }
}

fn train(store: &Store, settings: &TrainSettings) -> (TrainOutcome, Recorder) {
    let mut recorder = Recorder::default();
    let ending = Trainer::start(store, settings.clone()).unwrap().train(&mut recorder).unwrap();
    (ending, recorder)
}

fn kinds() -> Vec<TrainSettings> {
    let asgd = OptimizerConfig::Asgd(optimizer::Asgd { average_from: 3, ..optimizer::Asgd::default() });
    let clipped = TrainSettings { clip: Some(0.5), ..short() };
    vec![
        TrainSettings { optimizer: asgd, lr: 0.05, ..clipped.clone() },
        TrainSettings { objective: ObjectiveKind::Hybrid, chunk: Some(7), ..clipped },
        TrainSettings { fresh_names: true, level: "full+p".parse().unwrap(), ..short() },
        TrainSettings { compat: Compat::Reference, objective: ObjectiveKind::Hybrid, ..short() },
        TrainSettings {
            shape: ShapeSettings { pooling: Pooling::Mean, ..short().shape },
            start: WeightInit::Bag,
            rename: 0.5,
            leave_out: 0.3,
            warm_up: 5,
            word_lr: 3.0,
            neighbors: 4,
            ..short()
        },
        TrainSettings { precision: Precision::Bf16, chunk: Some(17), ..short() },
        windows(),
    ]
}

/// A bag of formula windows, with everything that has a state.
fn windows() -> TrainSettings {
    TrainSettings {
        epochs: 2,
        batch: 40,
        split: Scheme::Mixed,
        optimizer: OptimizerConfig::AdamW(optimizer::AdamW::default()),
        shape: ShapeSettings::windows(8, 800),
        ..Preset::Tiny.settings_for(Encoder::Windows)
    }
}

#[test]
fn a_run_that_is_stopped_anywhere_ends_with_the_same_bits() {
    let store = store();
    for settings in kinds() {
        let (ending, whole) = train(&store, &settings);
        assert_eq!(ending, TrainOutcome::Finished);
        for stop in (1..whole.steps.len() as u64).step_by(3) {
            let mut first = Recorder { stop_after: Some(stop), ..Recorder::default() };
            let ending = Trainer::start(&store, settings.clone()).unwrap().train(&mut first).unwrap();
            assert_eq!(ending, TrainOutcome::Stopped);
            let mut second = Recorder::default();
            let file = |name: &str| first.files.get(name).cloned();
            let mut trainer = Trainer::resume(&store, settings.clone(), file).unwrap();
            assert_eq!(trainer.progress().step, stop);
            trainer.train(&mut second).unwrap();
            assert!(second.files == whole.files, "stopped after {stop}: another end");
            assert_eq!([first.steps, second.steps].concat(), whole.steps);
            assert_eq!([first.evaluations, second.evaluations].concat(), whole.evaluations);
            assert_eq!(second.best.or(first.best), whole.best);
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let bf16 = TrainSettings { precision: Precision::Bf16, ..short() };
    for settings in [kinds().swap_remove(1), windows(), bf16] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (store, settings) = (store(), settings.clone());
            pool.install(move || train(&store, &settings).1.files)
        };
        let one = with(1);
        assert!(!one.is_empty());
        for threads in [2, 3, 8] {
            assert!(with(threads) == one, "{} with {threads} threads", settings.encoder);
        }
    }
}

#[test]
fn an_epoch_of_the_hybrid_sees_each_pair_once_for_each_loss() {
    let settings = TrainSettings { objective: ObjectiveKind::Hybrid, ..short() };
    let (_, recorder) = train(&store(), &settings);
    let pairs = store().split(Scheme::Mixed, None).unwrap().count(Part::Train);
    for objective in [observer::StepObjective::Local, observer::StepObjective::Global] {
        let steps = recorder.steps.iter().filter(|step| step.objective == objective && step.epoch == 1);
        assert_eq!(steps.map(|step| step.pairs).sum::<usize>(), pairs);
    }
    assert!(recorder.steps.is_sorted_by_key(|step| step.step));
    assert!(recorder.steps.windows(2).all(|two| two[0].objective != two[1].objective));
    assert_eq!(recorder.steps.len() as u64, recorder.steps[0].total_steps);
    assert!(recorder.evaluations.iter().all(|each| each.score.global_accuracy.is_some()));
}

#[test]
fn the_loss_of_a_pair_does_not_depend_on_its_companions() {
    let store = store();
    let trainer = Trainer::start(&store, short()).unwrap();
    let weights = trainer.weights();
    let split = store.split(Scheme::Mixed, None).unwrap();
    let replacer = short().replacer(&crate::symbols::Protected::built_in().unwrap(), 0);
    let reading = crate::model::tokenizer::PartView {
        store: &store,
        split: &split,
        part: Part::Dev,
        replacer: &replacer,
        symbols: short().symbols,
        cancel: &crate::base::task::CancelToken::new(),
    };
    let part =
        encode_part(&mut Engine::default(), &weights, trainer.tokenizer(), reading, short().input).unwrap();
    let mode = crate::model::Mode::Train { step_seed: 5 };
    let vectors = |pairs: &[u32]| {
        crate::model::encode_only(
            &weights,
            &batch::pack(&part.documents, pairs, batch::TokenDropout::NONE),
            mode,
        )
        .unwrap()
    };
    // the longest text of the part would pad the others, if there were padding
    let longest =
        (0..part.documents.len() as u32).max_by_key(|&pair| part.documents.proof(pair as usize).len());
    let (alone, together) = (vectors(&[3]), vectors(&[longest.unwrap(), 3, 0]));
    assert_eq!((alone.row(0), alone.row(1)), (together.row(1), together.row(4)));
    assert_ne!(part.statements.row(3), alone.row(0), "dropout drops");
}

#[test]
fn early_stopping_keeps_the_best_model() {
    // at a rate that changes nothing, no evaluation is better than the first
    let settings = TrainSettings { lr: 1e-30, patience: 2, epochs: 9, ..short() };
    let (ending, recorder) = train(&store(), &settings);
    assert_eq!(ending, TrainOutcome::Early);
    let best: Vec<bool> = recorder.evaluations.iter().map(|each| each.is_best).collect();
    assert_eq!(best, [true, false, false]);
    let mut again = Recorder::default();
    let (store, file) = (store(), |name: &str| recorder.files.get(name).cloned());
    let ending = Trainer::resume(&store, settings, file).unwrap().train(&mut again).unwrap();
    assert_eq!((ending, again.steps.len()), (TrainOutcome::Early, 0));
}

#[test]
fn a_loss_that_is_no_number_stops_training_and_names_the_batch() {
    let mut settings = TrainSettings { lr: 1e9, clip: None, epochs: 5, evaluate_every: 0, ..short() };
    settings.optimizer = "sgd".parse().unwrap();
    let mut recorder = Recorder::default();
    let store = store();
    let error = Trainer::start(&store, settings).unwrap().train(&mut recorder).unwrap_err();
    let step = recorder.steps.len() + 1;
    let text = error.to_string();
    assert!(text.starts_with(&format!("at step {step} (epoch ")) && text.contains('#'), "{text}");
    assert!(recorder.steps.iter().all(|step| step.loss.is_finite()));
}

#[test]
fn a_foreign_or_damaged_checkpoint_is_refused() {
    let store = store();
    let (_, recorder) = train(&store, &short());
    let error = |settings: TrainSettings, file: &dyn Fn(&str) -> Option<Vec<u8>>| {
        Trainer::resume(&store, settings, file).err().unwrap().to_string()
    };
    let file = |name: &str| recorder.files.get(name).cloned();
    let wider = ShapeSettings { width: 16, ..short().shape };
    assert!(error(TrainSettings { shape: wider, ..short() }, &file).contains("the shape of its model"));
    let other = TrainSettings { optimizer: "sgd".parse().unwrap(), ..short() };
    assert!(error(other, &file).contains("belongs to adamw, but the run uses sgd"));
    let name = "optimizer.safetensors";
    assert!(error(short(), &|asked| file(asked).filter(|_| asked != name)).contains(name));
    let cut = |asked: &str| file(asked).map(|bytes| bytes[..bytes.len() / 3].to_vec());
    assert!(error(short(), &cut).starts_with("cannot resume from the checkpoint"));
}

#[test]
fn parts_that_are_too_small_are_told() {
    let store = store();
    let error = |settings| Trainer::start(&store, settings).err().unwrap().to_string();
    assert!(error(TrainSettings { batch: 0, ..short() }).contains("a batch of 0"));
    let mut writer = crate::corpus::store::StoreWriter::in_memory().unwrap();
    let article = crate::corpus::Article { id: "a".to_owned(), ..Default::default() };
    writer.add_article(&article).unwrap();
    let empty = writer.into_store().unwrap();
    let text = Trainer::start(&empty, short()).err().unwrap().to_string();
    assert!(text.contains("the train part of the mixed split has 0 pairs"), "{text}");
}

#[test]
fn a_model_that_begins_as_a_bag_of_tokens_matches_before_the_first_step() {
    let mrr = |start| {
        let mut settings = TrainSettings { start, split: Scheme::Mixed, ..Preset::Small.settings() };
        (settings.shape.width, settings.shape.longest, settings.shape.layers) = (64, 100, 2);
        let store = store();
        let trainer = Trainer::start(&store, settings.clone()).unwrap();
        let split = store.split(Scheme::Mixed, None).unwrap();
        let replacer = &settings.replacer(&crate::symbols::Protected::built_in().unwrap(), 0);
        let reading = crate::model::tokenizer::PartView {
            store: &store,
            split: &split,
            part: Part::Train,
            replacer,
            symbols: settings.symbols,
            cancel: &crate::base::task::CancelToken::new(),
        };
        let weights = trainer.weights();
        let part =
            encode_part(&mut Engine::default(), &weights, trainer.tokenizer(), reading, settings.input)
                .unwrap();
        local_score(&weights, &part.statements, &part.proofs).unwrap().mrr
    };
    // by chance it would be 0.025
    let (bag, similarity, random) =
        (mrr(WeightInit::Bag), mrr(WeightInit::Similarity), mrr(WeightInit::Random));
    assert!(bag > 0.4 && bag > similarity && similarity > random, "{bag} {similarity} {random}");
}

#[test]
fn tokens_are_left_out_by_seed_step_and_document() {
    let store = store();
    let settings = short();
    let trainer = Trainer::start(&store, settings.clone()).unwrap();
    let split = store.split(Scheme::Mixed, None).unwrap();
    let replacer = &settings.replacer(&crate::symbols::Protected::built_in().unwrap(), 0);
    let reading = crate::model::tokenizer::PartView {
        store: &store,
        split: &split,
        part: Part::Train,
        replacer,
        symbols: settings.symbols,
        cancel: &crate::base::task::CancelToken::new(),
    };
    let documents = reading.documents(trainer.tokenizer(), settings.input, 100).unwrap();
    let pack = |share, step, pairs: &[u32]| {
        batch::pack(&documents, pairs, batch::TokenDropout { share, seed: 1, step })
    };
    let pairs: Vec<u32> = (0..40).collect();
    let (whole, thin) = (pack(0.0, 7, &pairs).tokens().len(), pack(0.4, 7, &pairs).tokens().len());
    assert!((0.55..0.65).contains(&(thin as f64 / whole as f64)), "{thin} of {whole}");
    assert_eq!(pack(0.4, 7, &[3, 5]).document(1), pack(0.4, 7, &[5]).document(0));
    assert_ne!(pack(0.4, 7, &pairs).tokens(), pack(0.4, 8, &pairs).tokens());
}

#[test]
fn the_tiny_preset_begins_to_learn_the_demo() {
    // by chance it would be 0.025
    let mrr = training_mrr(5);
    assert!(mrr > 0.1, "{mrr}");
}

#[test]
#[ignore = "takes up to a minute"]
fn the_tiny_preset_learns_the_demo() {
    let mrr = training_mrr(Preset::Tiny.settings().epochs);
    assert!(mrr > 0.9, "{mrr}");
}

fn training_mrr(epochs: u64) -> f64 {
    let settings =
        TrainSettings { evaluate_on: Part::Train, split: Scheme::Mixed, epochs, ..Preset::Tiny.settings() };
    train(&store(), &settings).1.evaluations.last().map_or(0.0, |last| last.score.mrr)
}

/// Candle on a CPU; or on a GPU, real or of `tests/softgpu`, where `MATCHBOOK_TEST_CUDA` is set.
fn on_device(trainer: &mut Trainer<'_>) {
    let is_cuda = std::env::var_os("MATCHBOOK_TEST_CUDA").is_some();
    let has_several = trainer.settings().encoder == Encoder::Windows || trainer.settings().chunk.is_some();
    let count = if has_several { 2 } else { 1 };
    let device = if is_cuda { ComputeDevice::Cuda((0..count).collect()) } else { ComputeDevice::Cpu };
    trainer.compute_with(Engine::candle(&device, Precision::F32).unwrap());
}

/// Settings of each optimizer and objective, small enough for a software GPU.
fn device_kinds() -> Vec<TrainSettings> {
    let few = TrainSettings { encoder: Encoder::Npt, epochs: 1, batch: 60, ..short() };
    let asgd = OptimizerConfig::Asgd(optimizer::Asgd { average_from: 1, ..optimizer::Asgd::default() });
    vec![
        TrainSettings { optimizer: asgd, lr: 0.05, clip: Some(0.5), ..few.clone() },
        TrainSettings { objective: ObjectiveKind::Hybrid, chunk: Some(50), word_lr: 3.0, ..few.clone() },
        TrainSettings {
            optimizer: OptimizerConfig::Sgd(optimizer::Sgd { decay: 1e-3 }),
            lr: 0.05,
            shape: ShapeSettings { pooling: Pooling::Mean, ..few.shape.clone() },
            ..few
        },
        TrainSettings {
            epochs: 1,
            batch: 60,
            evaluate_every: 0,
            shape: ShapeSettings::windows(16, 2_000),
            ..Preset::Tiny.settings_for(Encoder::Windows)
        },
    ]
}

#[test]
fn a_device_trains_like_the_native_engine() {
    let store = store();
    for settings in device_kinds() {
        let (_, native) = train(&store, &settings);
        let mut device = Recorder::default();
        let mut trainer = Trainer::start(&store, settings.clone()).unwrap();
        on_device(&mut trainer);
        trainer.train(&mut device).unwrap();
        assert_eq!(native.steps.len(), device.steps.len());
        for (one, other) in native.steps.iter().zip(&device.steps) {
            assert!((one.loss - other.loss).abs() < 2e-3 * one.loss.abs().max(0.1), "{one:?} {other:?}");
            assert!((one.gradient_norm - other.gradient_norm).abs() < 1e-2 * one.gradient_norm, "{other:?}");
            assert_eq!((one.lr, one.skipped, one.tokens), (other.lr, other.skipped, other.tokens));
        }
        let (one, other) = (native.best.unwrap(), device.best.unwrap());
        let apart = |left: &[f32], right: &[f32]| {
            let most = left.iter().fold(0f32, |most, value| most.max(value.abs()));
            left.iter().zip(right).fold(0f32, |worst, (l, r)| worst.max((l - r).abs())) / most
        };
        for parameter in &one.layout().parameters {
            // gradients that are zero in exact arithmetic: AdamW takes full steps in the direction of the rounding error
            if parameter.name.ends_with("key.bias") || parameter.name == "score.bias" {
                continue;
            }
            let range = || parameter.range.clone();
            let apart = apart(&one.dense[range()], &other.dense[range()]);
            assert!(apart < 5e-3, "{}: {apart}", parameter.name);
        }
        assert!(apart(&one.words, &other.words) < 5e-3, "{}", apart(&one.words, &other.words));
    }
}

#[test]
fn a_run_on_a_device_that_is_stopped_ends_with_the_same_bits() {
    let store = store();
    for settings in device_kinds() {
        let start = |stop_after: Option<u64>| {
            let mut recorder = Recorder { stop_after, ..Recorder::default() };
            let mut trainer = Trainer::start(&store, settings.clone()).unwrap();
            on_device(&mut trainer);
            trainer.train(&mut recorder).unwrap();
            recorder
        };
        let (whole, first) = (start(None), start(Some(2)));
        let mut second = Recorder::default();
        let mut trainer =
            Trainer::resume(&store, settings.clone(), |name| first.files.get(name).cloned()).unwrap();
        on_device(&mut trainer);
        trainer.train(&mut second).unwrap();
        assert_eq!([first.steps, second.steps].concat(), whole.steps);
        assert!(second.files == whole.files, "another end");
        // and the native engine resumes from the same files
        let mut native = Recorder::default();
        let file = |name: &str| first.files.get(name).cloned();
        Trainer::resume(&store, settings.clone(), file).unwrap().train(&mut native).unwrap();
        let last = |recorder: &Recorder| recorder.steps.last().unwrap().loss;
        assert!((last(&native) - last(&whole)).abs() < 1e-2, "{} {}", last(&native), last(&whole));
    }
}
