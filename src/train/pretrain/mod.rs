//! Pre-training of a BERT by masked language modeling on the texts of the training part.
//!
//! Dev and test are never read. Evaluation uses a held-out share of the training pairs, chosen by the seed and always masked
//! at the same positions.

mod fields;
mod settings;

use serde::{Deserialize, Serialize};

pub use self::settings::PretrainSettings;
pub use super::settings::PretrainPreset;
use super::{
    checkpoint::{CheckpointError, TrainState},
    compute::{Compute, StepPlanSettings, memory_notice},
    error::TrainError,
    estimate::{Load, check_memory},
    evaluation::EvaluationScore,
    metric,
    observer::{Observer, StepObjective, StepReport},
    progress::{TrainOutcome, TrainProgress},
    training_loop::{Schedule, Task, run_epochs},
};
use crate::{
    base::{memory, numbers::counted, task::CancelToken},
    corpus::{split::Part, store::Store},
    model::tokenizer::{
        BatchSampler, EpochOrder, Input, PartView, Sampling, Tokenize, TokenizedPairs, Tokenizer, WordPiece,
        wordpiece::Masking,
    },
    model::{
        Engine, Gradients, Mode, Packed, Weights,
        bert::{MaskedLoss, Targets, masked_step},
    },
    symbols::{Replacer, Seed, Setting},
};

/// The score on the held-out texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaskedScore {
    pub texts: usize,
    pub places: usize,
    /// The mean loss of a masked token.
    pub loss: f64,
    /// The share of masked tokens that are predicted.
    pub accuracy: f64,
}

impl EvaluationScore for MaskedScore {
    fn is_better_than(&self, other: &MaskedScore) -> bool {
        self.loss < other.loss
    }

    fn values(&self) -> Vec<(&'static str, f64)> {
        vec![(metric::LOSS, self.loss), (metric::ACCURACY, self.accuracy)]
    }
}

/// A pre-training run in memory.
pub struct Pretrainer {
    texts: Texts,
    state: TrainState<MaskedScore>,
}

/// The state of a pre-training run, except for the weights.
struct Texts {
    settings: PretrainSettings,
    tokenizer: Tokenizer,
    pieces: WordPiece,
    documents: TokenizedPairs,
    /// Texts by index: twice the index of the pair, plus one for its proof.
    training: Vec<u32>,
    held_out: Vec<u32>,
    gradients: Gradients,
    order: Option<EpochOrder>,
    compute: Compute,
}

/// The pass whose masks are used for evaluation.
const EVALUATED_PASS: u64 = u64::MAX;

impl Pretrainer {
    /// Creates a run that has not made a step, with a vocabulary built from the corpus.
    pub fn start(store: &Store, settings: PretrainSettings) -> Result<Pretrainer, TrainError> {
        Pretrainer::start_until(store, settings, &CancelToken::new())
    }

    /// Like [`Pretrainer::start`]; reading the texts and drawing the initial weights fails once the token is cancelled.
    pub fn start_until(
        store: &Store,
        settings: PretrainSettings,
        cancel: &CancelToken,
    ) -> Result<Pretrainer, TrainError> {
        settings.check()?;
        check_memory(&Load::from(&settings), store, memory::total())?;
        let pieces = with_training(store, &settings, cancel, |reading| {
            Ok(reading.wordpiece(settings.style(), settings.vocabulary)??)
        })?;
        let weights = Weights::new_until(&settings.shape.with(pieces.len()), settings.seed, cancel)?;
        let state = TrainState::fresh(&settings.optimizer, settings.lr, weights);
        Pretrainer::assemble(store, settings, pieces, state, cancel)
    }

    #[cfg(test)]
    pub fn resume(
        store: &Store,
        settings: PretrainSettings,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Pretrainer, TrainError> {
        Pretrainer::resume_until(store, settings, file, &CancelToken::new())
    }

    /// Resumes a run from a checkpoint; `file` returns the content of one of its files. Reading texts fails once the token is
    /// cancelled.
    pub fn resume_until(
        store: &Store,
        settings: PretrainSettings,
        file: impl Fn(&str) -> Option<Vec<u8>>,
        cancel: &CancelToken,
    ) -> Result<Pretrainer, TrainError> {
        settings.check()?;
        check_memory(&Load::from(&settings), store, memory::total())?;
        let Tokenizer::WordPiece(pieces) = Tokenizer::of_files(&file).map_err(CheckpointError::Tokenizer)?
        else {
            return Err(CheckpointError::Missing("tokenizer.json").into());
        };
        let state = TrainState::of_files(&settings.optimizer, file)?;
        if *state.weights.shape() != settings.shape.with(pieces.len()) {
            return Err(CheckpointError::Shape.into());
        }
        Pretrainer::assemble(store, settings, pieces, state, cancel)
    }

    fn assemble(
        store: &Store,
        settings: PretrainSettings,
        pieces: WordPiece,
        mut state: TrainState<MaskedScore>,
        cancel: &CancelToken,
    ) -> Result<Pretrainer, TrainError> {
        let documents = with_training(store, &settings, cancel, |reading| {
            Ok(reading.documents(&pieces, Input::Both, settings.shape.longest)?)
        })?;
        let (training, held_out) = divide(&documents, &settings);
        if training.is_empty() || held_out.is_empty() {
            return Err(TrainError::TooFew {
                part: Part::Train,
                scheme: settings.split,
                found: documents.len(),
                needed: 2,
                advice: "Use a larger corpus",
            });
        }
        let engine = Engine::native(settings.precision);
        state.weights.set_precision(engine.cpu_precision());
        let gradients = Gradients::new(&state.weights);
        let tokenizer = Tokenizer::WordPiece(pieces.clone());
        let texts = Texts {
            settings,
            tokenizer,
            pieces,
            documents,
            training,
            held_out,
            gradients,
            order: None,
            compute: Compute::new(engine),
        };
        Ok(Pretrainer { texts, state })
    }

    /// Computes steps and evaluations with `engine` from now on.
    pub fn compute_with(&mut self, engine: Engine) {
        self.state.weights.set_precision(engine.cpu_precision());
        self.texts.compute = Compute::new(engine);
    }

    pub fn settings(&self) -> &PretrainSettings {
        &self.texts.settings
    }

    pub fn progress(&self) -> &TrainProgress<MaskedScore> {
        &self.state.progress
    }

    pub fn pieces(&self) -> &WordPiece {
        &self.texts.pieces
    }

    /// Returns the numbers of training texts and of held-out texts.
    pub fn texts(&self) -> (usize, usize) {
        (self.texts.training.len(), self.texts.held_out.len())
    }

    /// Returns the current model.
    pub fn weights(&self) -> Weights {
        self.state.optimizer.weights(&self.state.weights, true)
    }

    /// Evaluates the current model on the held-out texts.
    #[cfg(test)]
    pub fn score(&mut self) -> Result<MaskedScore, TrainError> {
        let weights = self.weights();
        self.texts.score(&weights)
    }

    pub fn train(&mut self, observer: &mut dyn Observer<MaskedScore>) -> Result<TrainOutcome, TrainError> {
        let settings = &self.texts.settings;
        let schedule = Schedule {
            epochs: settings.epochs,
            evaluate_every: settings.evaluate_every,
            patience: settings.patience,
            averaged: true,
        };
        run_epochs(&mut self.texts, &mut self.state, schedule, observer)
    }
}

fn with_training<T>(
    store: &Store,
    settings: &PretrainSettings,
    cancel: &CancelToken,
    use_it: impl FnOnce(PartView<'_>) -> Result<T, TrainError>,
) -> Result<T, TrainError> {
    let split = store.split(settings.split, settings.split_seed)?;
    // pre-training reads unmodified texts: the levels change the task, not the language
    let replacer = Replacer::exact(Setting::default(), Seed(1))?;
    use_it(PartView {
        store,
        split: &split,
        part: Part::Train,
        replacer: &replacer,
        symbols: crate::model::tokenizer::SymbolNames::Literal,
        cancel,
    })
}

/// Splits the texts into training and held-out texts, which never share a pair.
fn divide(documents: &TokenizedPairs, settings: &PretrainSettings) -> (Vec<u32>, Vec<u32>) {
    let pairs = documents.len();
    let batches = BatchSampler {
        pairs,
        size: pairs.max(1),
        seed: settings.seed,
        sampling: Sampling::Shuffled,
        neighbors: 1,
    };
    let mut order = if pairs == 0 { vec![] } else { batches.epoch("held out", 0).batch(0) };
    let held = ((pairs as f64 * settings.held_out).ceil() as usize).min(pairs);
    let training = order.split_off(held);
    let texts = |mut pairs: Vec<u32>| {
        pairs.sort_unstable();
        pairs.into_iter().flat_map(|pair| [2 * pair, 2 * pair + 1]).collect()
    };
    (texts(training), texts(order))
}

impl Texts {
    /// Masks tokens of the texts and returns them with the original tokens.
    fn masked(&self, texts: &[u32], pass: u64) -> (Packed, Targets) {
        let masking = Masking { share: self.settings.masked, seed: self.settings.seed };
        let (special, words) = (self.pieces.special(), self.pieces.len());
        let (mut packed, mut targets) = (Packed::new(), Targets::default());
        for &text in texts {
            let pair = text as usize / 2;
            let key = 2 * u64::from(self.documents.row(pair)) + u64::from(text % 2);
            let tokens = match text % 2 {
                0 => self.documents.statement(pair),
                _ => self.documents.proof(pair),
            };
            let masked = masking.apply(tokens, special, words, pass, key);
            packed.push(key, &masked.tokens);
            targets.places.push(&masked.places);
            targets.words.extend(masked.words);
        }
        (packed, targets)
    }

    fn score(&mut self, weights: &Weights) -> Result<MaskedScore, TrainError> {
        let mut whole = MaskedLoss::default();
        let batches: Vec<(Packed, Targets)> =
            self.held_out.chunks(256).map(|texts| self.masked(texts, EVALUATED_PASS)).collect();
        let encoder = self.compute.encoder(weights)?;
        for (packed, targets) in &batches {
            let part = encoder.masked_loss(packed, targets)?;
            whole.sum += part.sum;
            whole.places += part.places;
            whole.right += part.right;
        }
        if !whole.sum.is_finite() {
            return Err(TrainError::Evaluation(format!("the loss of the held-out texts is {}", whole.sum)));
        }
        Ok(MaskedScore {
            texts: self.held_out.len(),
            places: whole.places,
            loss: whole.mean(),
            accuracy: whole.right as f64 / whole.places.max(1) as f64,
        })
    }
}

/// The result of a step.
struct StepMade {
    loss: f32,
    accuracy: f32,
    norm: f32,
    notice: Option<String>,
}

impl Texts {
    /// Makes a step where the weights are on a device.
    fn step_on_device(
        &mut self,
        state: &mut TrainState<MaskedScore>,
        packed: &Packed,
        targets: &Targets,
        mode: Mode,
        lr: f64,
    ) -> Result<Option<StepMade>, TrainError> {
        let settings =
            StepPlanSettings { frozen: 0, clip: self.settings.clip, skips_flat: false, chunk: None };
        let Some(resident) = self.compute.resident(state)? else { return Ok(None) };
        if targets.words.is_empty() {
            return Ok(Some(StepMade { loss: 0.0, accuracy: 0.0, norm: 0.0, notice: None }));
        }
        let plan = state.optimizer.step_plan(lr.into(), settings);
        let report = resident.masked_step(packed, targets, mode, &plan)?;
        if report.loss.is_finite() && report.norm.is_finite() {
            self.compute.stepped(&mut state.optimizer, lr.into());
        }
        let notice = memory_notice(&report);
        Ok(Some(StepMade { loss: report.loss, accuracy: report.accuracy, norm: report.norm, notice }))
    }

    /// Makes a step where weights and optimizer are on the host.
    fn step_on_host(
        &mut self,
        state: &mut TrainState<MaskedScore>,
        packed: &Packed,
        targets: &Targets,
        mode: Mode,
        lr: f64,
    ) -> Result<StepMade, TrainError> {
        // the decoder reads every embedding, so every row has to be up to date
        let every: Vec<u32> = (0..state.weights.shape().vocabulary as u32).collect();
        state.optimizer.prepare(&mut state.weights, &every);
        self.gradients.clear();
        let loss = masked_step(&state.weights, packed, targets, mode, &mut self.gradients)?;
        let norm = self.gradients.norm();
        if loss.places > 0 && (loss.mean() as f32).is_finite() && norm.is_finite() {
            if let Some(clip) = self.settings.clip.filter(|clip| norm > *clip) {
                self.gradients.scale(clip / norm);
            }
            let Gradients { dense, words, .. } = &self.gradients;
            state.optimizer.apply(&mut state.weights, dense, words.iter(), lr);
        }
        let accuracy = loss.right as f32 / loss.places.max(1) as f32;
        Ok(StepMade { loss: loss.mean() as f32, accuracy, norm, notice: None })
    }
}

impl Task for Texts {
    type Score = MaskedScore;

    fn prepare_epoch(&mut self, epoch: u64) -> Result<u64, TrainError> {
        let batches = BatchSampler {
            pairs: self.training.len(),
            size: self.settings.batch,
            seed: self.settings.seed,
            sampling: Sampling::Shuffled,
            neighbors: 1,
        };
        self.order = Some(batches.epoch("masked", epoch));
        Ok(batches.count() as u64)
    }

    fn step(
        &mut self,
        state: &mut TrainState<MaskedScore>,
        total_steps: u64,
    ) -> Result<StepReport, TrainError> {
        let progress = &state.progress;
        let batch = self.order.as_ref().map(|order| order.batch(progress.position as usize));
        let texts: Vec<u32> =
            batch.unwrap_or_default().into_iter().map(|place| self.training[place as usize]).collect();
        let (packed, targets) = self.masked(&texts, progress.epoch);
        let lr = self.settings.lr_at(progress.step + 1, total_steps);
        let step_seed = self.settings.seed.rotate_left(32) ^ progress.step;
        let mode = Mode::Train { step_seed };
        let made = match self.step_on_device(state, &packed, &targets, mode, lr)? {
            Some(made) => made,
            None => self.step_on_host(state, &packed, &targets, mode, lr)?,
        };
        let progress = &mut state.progress;
        for (what, value) in [("loss", made.loss), ("norm of the gradient", made.norm)] {
            if !value.is_finite() {
                let (step, epoch) = (progress.step + 1, progress.epoch);
                let batch = counted(texts.len(), "text");
                return Err(TrainError::NotFinite { step, epoch, what, value, batch });
            }
        }
        progress.step += 1;
        Ok(StepReport {
            step: progress.step,
            epoch: progress.epoch,
            total_steps,
            objective: StepObjective::Masked,
            loss: made.loss,
            batch_accuracy: made.accuracy,
            lr,
            gradient_norm: made.norm,
            pairs: texts.len(),
            tokens: packed.tokens().len(),
            skipped: targets.words.is_empty(),
            notice: made.notice,
        })
    }

    fn synchronize(&mut self, state: &mut TrainState<MaskedScore>) -> Result<(), TrainError> {
        Ok(self.compute.synchronize(state)?)
    }

    fn evaluate(&mut self, weights: &Weights) -> Result<Option<MaskedScore>, TrainError> {
        self.score(weights).map(Some)
    }

    fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::{demo, split::Scheme},
        model::{EncoderShape, bert::Head},
        train::{AfterStep, ShapeSettings},
    };

    struct Silent(Vec<f64>, u64);

    impl Observer<MaskedScore> for Silent {
        fn step(&mut self, report: &StepReport) -> Result<AfterStep, crate::train::ObserverError> {
            Ok(if report.step == self.1 { AfterStep::Stop } else { AfterStep::Continue })
        }

        fn evaluated(
            &mut self,
            report: &crate::train::EvaluationReport<MaskedScore>,
        ) -> Result<(), crate::train::ObserverError> {
            self.0.push(report.score.loss);
            Ok(())
        }
    }

    fn settings() -> PretrainSettings {
        let tiny = PretrainPreset::Tiny.settings();
        let shape = EncoderShape { feed_forward: 32, positions: 16, ..EncoderShape::bert_of(2, 1, 16, 1) };
        let shape = ShapeSettings::of(&shape.with_head(Head::Masked));
        PretrainSettings { vocabulary: 200, epochs: 2, batch: 32, lr: 1e-2, warm_up: 3, shape, ..tiny }
    }

    #[test]
    fn the_held_out_loss_falls_and_a_stopped_run_goes_on_to_the_same_bits() {
        let store = demo::corpus().unwrap();
        let mut whole = Pretrainer::start(&store, settings()).unwrap();
        let before = whole.score().unwrap();
        let mut seen = Silent(vec![], 0);
        assert_eq!(whole.train(&mut seen).unwrap(), TrainOutcome::Finished);
        assert!(seen.0[1] < before.loss - 0.2, "{} {:?}", before.loss, seen.0);

        let mut files: Vec<(String, Vec<u8>)> = vec![];
        struct Stopping<'a>(&'a mut Vec<(String, Vec<u8>)>);
        impl Observer<MaskedScore> for Stopping<'_> {
            fn step(&mut self, report: &StepReport) -> Result<AfterStep, crate::train::ObserverError> {
                Ok(if report.step == 5 { AfterStep::Stop } else { AfterStep::Continue })
            }
            fn checkpoint(
                &mut self,
                checkpoint: &crate::train::Checkpoint<'_, MaskedScore>,
            ) -> Result<(), crate::train::ObserverError> {
                *self.0 =
                    checkpoint.files()?.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
                Ok(())
            }
        }
        let mut part = Pretrainer::start(&store, settings()).unwrap();
        assert_eq!(part.train(&mut Stopping(&mut files)).unwrap(), TrainOutcome::Stopped);
        let file = |name: &str| files.iter().find(|(known, _)| known == name).map(|(_, bytes)| bytes.clone());
        let mut rest = Pretrainer::resume(&store, settings(), file).unwrap();
        assert_eq!(rest.train(&mut Silent(vec![], 0)).unwrap(), TrainOutcome::Finished);
        assert!(rest.weights() == whole.weights());
    }

    #[test]
    fn nothing_of_dev_or_test_and_nothing_that_is_held_out_is_trained_on() {
        let store = demo::corpus().unwrap();
        let run = Pretrainer::start(&store, settings()).unwrap();
        let split = store.split(Scheme::Unmixed, None).unwrap();
        let training: Vec<u32> = split.rows(Part::Train).collect();
        let texts = &run.texts;
        assert_eq!(texts.documents.len(), training.len());
        assert!((0..texts.documents.len()).all(|pair| training.contains(&texts.documents.row(pair))));
        assert!(texts.training.iter().all(|text| !texts.held_out.iter().any(|held| held / 2 == text / 2)));
        assert_eq!(texts.training.len() + texts.held_out.len(), 2 * texts.documents.len());
    }

    #[test]
    fn the_learning_rate_grows_and_falls_and_presets_can_be_used() {
        for preset in [PretrainPreset::Tiny, PretrainPreset::Small, PretrainPreset::Base] {
            let settings = preset.settings();
            assert_eq!(settings.check(), Ok(()));
            let read: PretrainSettings = toml::from_str(&toml::to_string(&settings).unwrap()).unwrap();
            assert_eq!(PretrainSettings { seed: settings.seed, ..read }, settings);
        }
        let settings = PretrainSettings { lr: 1.0, warm_up: 10, ..settings() };
        assert_eq!(
            [settings.lr_at(5, 100), settings.lr_at(10, 100), settings.lr_at(11, 100)],
            [0.5, 1.0, 1.0]
        );
        assert!((settings.lr_at(100, 100) - 1.0 / 90.0).abs() < 1e-12);
    }
}
