//! Pre-training: a BERT learns to guess masked words of the training part's texts.
//!
//! Dev and test are never read. What is held out to be evaluated on is a share of the training part's own pairs, chosen
//! by the seed, and always masked in the same places.

use serde::{Deserialize, Serialize};

use super::{
    checkpoint::{CheckpointError, TrainState},
    error::TrainError,
    evaluation::EvaluationScore,
    metric,
    observer::{Observer, StepObjective, StepReport},
    optimizer::{AdamW, OptimizerConfig},
    progress::{TrainOutcome, TrainProgress},
    settings::{Compat, Encoder, SettingsError, ShapeSettings},
    training_loop::{Schedule, Task, run},
};
use crate::{
    corpus::{
        split::{Part, Scheme},
        store::Store,
    },
    model::tokenizer::{
        BatchSampler, EpochOrder, Input, PartView, Sampling, Tokenize, TokenizedPairs, Tokenizer, WordPiece,
        wordpiece::{LineStyle, Masking},
    },
    model::{
        EncoderShape, Gradients, Mode, Packed, Weights,
        bert::{Head, MaskedLoss, Targets, masked_loss, masked_step},
    },
    symbols::{Mode as SymbolMode, Protected, Replacer, Seed, Setting},
};

/// Everything that a pre-training depends on, but for the corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PretrainSettings {
    /// Tells such a run from one that trains a matching.
    pub task: PretrainTask,
    pub encoder: Encoder,
    /// The words of the vocabulary, at most.
    pub vocabulary: usize,
    pub split: Scheme,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_seed: Option<u64>,
    #[serde(skip)]
    pub seed: u64,
    /// The share of a text's words that are masked.
    pub masked: f64,
    /// The share of the training part's pairs that is evaluated on instead.
    pub held_out: f64,
    pub epochs: u64,
    /// The most texts of a batch.
    pub batch: usize,
    pub rate: f64,
    /// The steps in which the rate grows to its value; from there it falls to zero in a straight line.
    pub warm_up: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f32>,
    pub evaluate_every: u64,
    pub patience: u64,
    pub compat: Compat,
    pub optimizer: OptimizerConfig,
    pub shape: ShapeSettings,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PretrainTask {
    #[default]
    Pretrain,
}

/// Settings that go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PretrainPreset {
    /// 2 layers of 128: a small corpus in minutes on two cores.
    #[default]
    Tiny,
    /// 4 layers of 256.
    Small,
    /// BERT base, 12 layers of 768, with the paper's schedule.
    Base,
}

impl PretrainPreset {
    pub fn settings(self) -> PretrainSettings {
        let (shape, rate, epochs, batch, warm_up) = match self {
            PretrainPreset::Tiny => (EncoderShape::bert_tiny(2), 2e-3, 30, 32, 100),
            PretrainPreset::Small => (EncoderShape::bert_small(2), 1e-3, 40, 32, 400),
            // the paper's table: 60 epochs, batches of 8, Adam with 5e-5
            PretrainPreset::Base => (EncoderShape::bert_base(2), 5e-5, 60, 8, 0),
        };
        PretrainSettings {
            task: PretrainTask::Pretrain,
            encoder: Encoder::Scratchbert,
            vocabulary: 30_522,
            split: Scheme::Unmixed,
            split_seed: None,
            seed: 1,
            masked: 0.2,
            held_out: 0.05,
            epochs,
            batch,
            rate,
            warm_up,
            clip: Some(1.0),
            evaluate_every: 1,
            patience: 0,
            compat: Compat::None,
            optimizer: OptimizerConfig::AdamW(AdamW::default()),
            shape: ShapeSettings::of(&shape.with_head(Head::Masked)),
        }
    }
}

impl PretrainSettings {
    /// Finds what cannot be, before anything is computed.
    pub fn check(&self) -> Result<(), SettingsError> {
        let fail = |text: String| Err(SettingsError(text));
        if self.epochs == 0 || self.batch == 0 {
            return fail("epochs and batch should be at least 1".to_owned());
        }
        for (name, share) in [("masked", self.masked), ("held_out", self.held_out)] {
            if !(share > 0.0 && share < 1.0) {
                return fail(format!("{name} {share} should be between 0 and 1"));
            }
        }
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return fail(format!("the learning rate {} should be above 0", self.rate));
        }
        if let Some(clip) = self.clip.filter(|clip| !(*clip > 0.0 && clip.is_finite())) {
            return fail(format!("clip {clip} should be above 0; leave it out not to clip"));
        }
        if self.shape.longest < 3 {
            return fail(format!("texts of {} tokens are too short to read", self.shape.longest));
        }
        if self.shape.bert.as_ref().is_none_or(|bert| bert.head != Head::Masked) {
            return fail("the sizes are not those of a BERT that guesses masked words".to_owned());
        }
        self.optimizer.problem(self.rate).map_or(Ok(()), fail)?;
        self.shape.with(5).check().or_else(|error| fail(error.to_string()))
    }

    /// The learning rate of a step, from 1.
    pub fn rate_at(&self, step: u64, total: u64) -> f64 {
        let (step, warm, total) = (step as f64, self.warm_up.min(total / 2) as f64, total as f64);
        match step <= warm {
            true => self.rate * step / warm,
            false => self.rate * ((total - step + 1.0) / (total - warm).max(1.0)).clamp(0.0, 1.0),
        }
    }

    /// How symbols are told from words.
    pub fn style(&self) -> LineStyle {
        match self.compat {
            Compat::None => LineStyle::Marked,
            Compat::Reference => LineStyle::Plain { lowercase: true },
        }
    }
}

/// What is found on the texts that are held out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MaskedScore {
    pub texts: usize,
    pub places: usize,
    /// The mean loss of a masked word.
    pub loss: f64,
    /// The share of masked words that are guessed.
    pub accuracy: f64,
}

impl EvaluationScore for MaskedScore {
    fn is_better_than(&self, other: &MaskedScore) -> bool {
        self.loss < other.loss
    }

    fn numbers(&self) -> Vec<(&'static str, f64)> {
        vec![(metric::LOSS, self.loss), (metric::ACCURACY, self.accuracy)]
    }
}

/// A pre-training in memory.
pub struct Pretrainer {
    texts: Texts,
    state: TrainState<MaskedScore>,
}

/// The texts and what is done with them.
struct Texts {
    settings: PretrainSettings,
    tokenizer: Tokenizer,
    pieces: WordPiece,
    documents: TokenizedPairs,
    /// Texts by number: twice a pair's place, and one more for its proof.
    training: Vec<u32>,
    held_out: Vec<u32>,
    gradients: Gradients,
    order: Option<EpochOrder>,
}

/// The pass of which the masks are evaluated on.
const EVALUATED_PASS: u64 = u64::MAX;

impl Pretrainer {
    /// A run that has not made a step; its vocabulary is made first.
    pub fn start(store: &Store, settings: PretrainSettings) -> Result<Pretrainer, TrainError> {
        settings.check()?;
        let pieces = with_training(store, &settings, |reading| {
            Ok(reading.wordpiece(settings.style(), settings.vocabulary)??)
        })?;
        let weights = Weights::new(&settings.shape.with(pieces.len()), settings.seed)?;
        let state = TrainState::fresh(&settings.optimizer, settings.rate, weights);
        Pretrainer::assemble(store, settings, pieces, state)
    }

    /// A run that goes on from a checkpoint, of which `file` gives the files.
    pub fn resume(
        store: &Store,
        settings: PretrainSettings,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Pretrainer, TrainError> {
        settings.check()?;
        let Tokenizer::WordPiece(pieces) = Tokenizer::of_files(&file).map_err(CheckpointError::Tokenizer)?
        else {
            return Err(CheckpointError::Missing("tokenizer.json").into());
        };
        let state = TrainState::of_files(&settings.optimizer, file)?;
        if *state.weights.shape() != settings.shape.with(pieces.len()) {
            return Err(CheckpointError::Shape.into());
        }
        Pretrainer::assemble(store, settings, pieces, state)
    }

    fn assemble(
        store: &Store,
        settings: PretrainSettings,
        pieces: WordPiece,
        state: TrainState<MaskedScore>,
    ) -> Result<Pretrainer, TrainError> {
        let documents = with_training(store, &settings, |reading| {
            Ok(reading.documents(&pieces, Input::Both, settings.shape.longest)?)
        })?;
        let (training, held_out) = divide(&documents, &settings);
        if training.is_empty() || held_out.is_empty() {
            return Err(TrainError::TooFew {
                part: Part::Train,
                scheme: settings.split,
                found: documents.len(),
                needed: 2,
                advice: "Give it a larger corpus",
            });
        }
        let gradients = Gradients::new(&state.weights);
        let tokenizer = Tokenizer::WordPiece(pieces.clone());
        let texts =
            Texts { settings, tokenizer, pieces, documents, training, held_out, gradients, order: None };
        Ok(Pretrainer { texts, state })
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

    /// How many texts are trained on, and how many are held out.
    pub fn texts(&self) -> (usize, usize) {
        (self.texts.training.len(), self.texts.held_out.len())
    }

    /// The model as it is now.
    pub fn weights(&self) -> Weights {
        self.state.optimizer.weights(&self.state.weights, true)
    }

    /// How good the model is now on what is held out.
    pub fn quality(&self) -> Result<MaskedScore, TrainError> {
        self.texts.quality(&self.weights())
    }

    pub fn run(&mut self, observer: &mut dyn Observer<MaskedScore>) -> Result<TrainOutcome, TrainError> {
        let settings = &self.texts.settings;
        let schedule = Schedule {
            epochs: settings.epochs,
            evaluate_every: settings.evaluate_every,
            patience: settings.patience,
            averaged: true,
        };
        run(&mut self.texts, &mut self.state, schedule, observer)
    }
}

fn with_training<T>(
    store: &Store,
    settings: &PretrainSettings,
    use_it: impl FnOnce(PartView<'_>) -> Result<T, TrainError>,
) -> Result<T, TrainError> {
    let split = store.split(settings.split, settings.split_seed)?;
    // pre-training reads the texts as they are: the levels change the task, not the language
    let replacer = Replacer {
        setting: Setting::default(),
        seed: Seed(1),
        mode: SymbolMode::Exact,
        protected: Protected::built_in()?,
    };
    use_it(PartView {
        store,
        split: &split,
        part: Part::Train,
        replacer: &replacer,
        symbols: crate::model::tokenizer::SymbolNames::Literal,
    })
}

/// Texts to train on and texts to evaluate on, which never share a pair.
fn divide(documents: &TokenizedPairs, settings: &PretrainSettings) -> (Vec<u32>, Vec<u32>) {
    let pairs = documents.len();
    let batches = BatchSampler {
        pairs,
        size: pairs.max(1),
        seed: settings.seed,
        sampling: Sampling::Shuffled,
        neighbours: 1,
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
    /// Texts of which words are masked, and what stood there.
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

    fn quality(&self, weights: &Weights) -> Result<MaskedScore, TrainError> {
        let mut whole = MaskedLoss::default();
        for texts in self.held_out.chunks(256) {
            let (packed, targets) = self.masked(texts, EVALUATED_PASS);
            let part = masked_loss(weights, &packed, &targets, Mode::Evaluate)?;
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

impl Task for Texts {
    type Score = MaskedScore;

    fn begin(&mut self, epoch: u64) -> Result<u64, TrainError> {
        let batches = BatchSampler {
            pairs: self.training.len(),
            size: self.settings.batch,
            seed: self.settings.seed,
            sampling: Sampling::Shuffled,
            neighbours: 1,
        };
        self.order = Some(batches.epoch("masked", epoch));
        Ok(batches.count() as u64)
    }

    fn step(
        &mut self,
        state: &mut TrainState<MaskedScore>,
        total_steps: u64,
    ) -> Result<StepReport, TrainError> {
        let progress = &mut state.progress;
        let batch = self.order.as_ref().map(|order| order.batch(progress.position as usize));
        let texts: Vec<u32> =
            batch.unwrap_or_default().into_iter().map(|place| self.training[place as usize]).collect();
        let (packed, targets) = self.masked(&texts, progress.epoch);
        let rate = self.settings.rate_at(progress.step + 1, total_steps);
        // the decoder reads every word, so every row has to be up to date
        let every: Vec<u32> = (0..state.weights.shape().vocabulary as u32).collect();
        state.optimizer.prepare(&mut state.weights, &every);
        self.gradients.clear();
        let step_seed = self.settings.seed.rotate_left(32) ^ progress.step;
        let mode = Mode::Train { step_seed };
        let loss = masked_step(&state.weights, &packed, &targets, mode, &mut self.gradients)?;
        let norm = self.gradients.norm();
        for (what, value) in [("loss", loss.mean() as f32), ("norm of the gradient", norm)] {
            if !value.is_finite() {
                let (step, epoch) = (progress.step + 1, progress.epoch);
                let batch = format!("{} texts", texts.len());
                return Err(TrainError::NotFinite { step, epoch, what, value, batch });
            }
        }
        if let Some(clip) = self.settings.clip.filter(|clip| norm > *clip) {
            self.gradients.scale(clip / norm);
        }
        let skipped = loss.places == 0;
        if !skipped {
            let Gradients { dense, words, .. } = &self.gradients;
            state.optimizer.apply(&mut state.weights, dense, words.iter(), rate);
        }
        progress.step += 1;
        Ok(StepReport {
            step: progress.step,
            epoch: progress.epoch,
            total_steps,
            objective: StepObjective::Masked,
            loss: loss.mean() as f32,
            batch_accuracy: loss.right as f32 / loss.places.max(1) as f32,
            rate,
            gradient_norm: norm,
            pairs: texts.len(),
            tokens: packed.tokens().len(),
            skipped,
        })
    }

    fn evaluate(&mut self, weights: &Weights) -> Result<Option<MaskedScore>, TrainError> {
        self.quality(weights).map(Some)
    }

    fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::demo, train::AfterStep};

    struct Silent(Vec<f64>, u64);

    impl Observer<MaskedScore> for Silent {
        fn step(&mut self, report: &StepReport) -> Result<AfterStep, crate::train::ObserverError> {
            Ok(if report.step == self.1 { AfterStep::Stop } else { AfterStep::Continue })
        }

        fn evaluated(
            &mut self,
            report: &crate::train::EvaluationReport<MaskedScore>,
        ) -> Result<(), crate::train::ObserverError> {
            self.0.push(report.quality.loss);
            Ok(())
        }
    }

    fn settings() -> PretrainSettings {
        let tiny = PretrainPreset::Tiny.settings();
        let shape = EncoderShape { feed_forward: 32, positions: 16, ..EncoderShape::bert_of(2, 1, 16, 1) };
        let shape = ShapeSettings::of(&shape.with_head(Head::Masked));
        PretrainSettings { vocabulary: 200, epochs: 2, batch: 32, rate: 1e-2, warm_up: 3, shape, ..tiny }
    }

    #[test]
    fn the_held_out_loss_falls_and_a_stopped_run_goes_on_to_the_same_bits() {
        let store = demo::corpus().unwrap();
        let mut whole = Pretrainer::start(&store, settings()).unwrap();
        let before = whole.quality().unwrap();
        let mut seen = Silent(vec![], 0);
        assert_eq!(whole.run(&mut seen).unwrap(), TrainOutcome::Finished);
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
        assert_eq!(part.run(&mut Stopping(&mut files)).unwrap(), TrainOutcome::Stopped);
        let file = |name: &str| files.iter().find(|(known, _)| known == name).map(|(_, bytes)| bytes.clone());
        let mut rest = Pretrainer::resume(&store, settings(), file).unwrap();
        assert_eq!(rest.run(&mut Silent(vec![], 0)).unwrap(), TrainOutcome::Finished);
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
    fn the_rate_grows_and_falls_and_presets_can_be_used() {
        for preset in [PretrainPreset::Tiny, PretrainPreset::Small, PretrainPreset::Base] {
            let settings = preset.settings();
            assert_eq!(settings.check(), Ok(()));
            let read: PretrainSettings = toml::from_str(&toml::to_string(&settings).unwrap()).unwrap();
            assert_eq!(PretrainSettings { seed: settings.seed, ..read }, settings);
        }
        let settings = PretrainSettings { rate: 1.0, warm_up: 10, ..settings() };
        assert_eq!(
            [settings.rate_at(5, 100), settings.rate_at(10, 100), settings.rate_at(11, 100)],
            [0.5, 1.0, 1.0]
        );
        assert!((settings.rate_at(100, 100) - 1.0 / 90.0).abs() < 1e-12);
    }
}
