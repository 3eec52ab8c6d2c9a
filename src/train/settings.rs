//! Every setting of a training run, with presets and checks. A run's settings and its corpus repeat it exactly.

use std::{borrow::Cow, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    bert,
    optimizer::{AdamW, Asgd, OptimizerConfig},
};
use crate::{
    corpus::{
        Pair,
        split::{Part, Scheme},
    },
    model::tokenizer::{Input, Sampling, SymbolNames},
    model::{EncoderShape, Family, NptShape, Pooling, bert::Bert},
    symbols::{
        self, Mode, Protected, Replacer, Seed,
        pair_rng::pair_rng,
        protected::{ProtectedError, ProtectedLists},
        rename_together,
    },
};

/// What is trained, on what, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSettings {
    pub encoder: Encoder,
    /// The folder that a BERT begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<PathBuf>,
    /// Take the folder's sizes and words, but not its weights: what pre-training is compared with.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrained: bool,
    /// So many layers, and the words before them, stay as they are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub frozen_layers: usize,
    pub objective: ObjectiveKind,
    /// The level of symbol replacement, as in `full` or `partial:0.3+p`.
    #[serde(with = "as_text")]
    pub level: symbols::Setting,
    /// The seed of the new names.
    pub level_seed: u64,
    /// Draw new names in every epoch.
    pub fresh_names: bool,
    pub input: Input,
    /// Which names of symbols are read.
    #[serde(default, skip_serializing_if = "SymbolNames::is_literal")]
    pub symbols: SymbolNames,
    pub split: Scheme,
    /// None for the split that the corpus comes with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_seed: Option<u64>,
    /// What every random choice of training comes from. A run's file keeps it beside the settings.
    #[serde(skip)]
    pub seed: u64,
    pub epochs: u64,
    /// The most pairs of a batch.
    pub batch: usize,
    /// How many pairs that follow each other in the corpus stay together in batches.
    #[serde(default = "one")]
    pub neighbours: usize,
    /// Documents whose activations are kept at a time (the gradient cache); none keeps those of the whole batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
    /// The learning rate of the first epoch.
    pub rate: f64,
    /// How many times as fast the word table learns: a word is met seldom.
    #[serde(default = "once")]
    pub word_rate: f64,
    /// How many times as fast the score's matrix learns: it has more to do than the layers where a model begins as a bag of
    /// tokens.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub score_rate: f64,
    /// The steps in which the rate grows to its first value.
    #[serde(default)]
    pub warm_up: u64,
    /// What the rate is multiplied with after every epoch.
    pub rate_decay: f64,
    /// The largest norm of a gradient; longer ones are shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f32>,
    /// Evaluate after so many epochs; 0 never does.
    pub evaluate_every: u64,
    /// The part that evaluations use.
    pub evaluate_on: Part,
    /// Stop after so many evaluations without a better one; 0 never does.
    pub patience: u64,
    /// How the weights begin.
    #[serde(alias = "score_start")]
    pub start: WeightInit,
    /// The share of the pairs that get other names, the same on both sides, in every epoch.
    #[serde(default)]
    pub rename: f64,
    /// The share of a text's tokens that a step leaves out.
    #[serde(default)]
    pub leave_out: f64,
    /// Do what the reference program does where that differs.
    pub compat: Compat,
    /// What computes. The two agree to rounding, not to the bit.
    #[serde(default, skip_serializing_if = "EngineKind::is_native")]
    pub engine: EngineKind,
    pub optimizer: OptimizerConfig,
    pub shape: ShapeSettings,
    /// Protected symbols beyond the built-in ones, by category: a copy of the user's file, which may change.
    #[serde(default, skip_serializing_if = "ProtectedLists::is_empty")]
    pub protected: ProtectedLists,
}

/// The encoders that can be trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoder {
    #[default]
    Npt,
    /// A BERT of our own, pre-trained by `matchbook pretrain`.
    Scratchbert,
    /// Any BERT that `transformers` knows.
    Mathbert,
}

/// What steps minimise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectiveKind {
    /// Each statement chooses among the batch's proofs.
    #[default]
    Local,
    /// A local step and a step on the batch's assignment, in turns.
    Hybrid,
}

/// The weights before the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightInit {
    /// As PyTorch begins them, and the paper's.
    #[default]
    Random,
    /// The score's matrix is a multiple of the identity: alike vectors score high from the first step on. A few thousand
    /// pairs are too few to find that out by training.
    Similarity,
    /// That, layers that pass their input on, and tokens that weigh what TF-IDF gives them: before the first step the
    /// model compares bags of tokens, and training only has to add to it.
    Bag,
}

/// What computes steps and evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// The encoder that is written out for the processor.
    #[default]
    Native,
    /// The same encoder in candle's operations, for GPUs.
    Candle,
}

impl EngineKind {
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Native => "native",
            EngineKind::Candle => "candle",
        }
    }

    fn is_native(&self) -> bool {
        *self == EngineKind::Native
    }
}

/// Whose ways are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    #[default]
    None,
    /// Symbols, sampling, the order of the hybrid's steps, steps without a loss, and evaluation without averaging.
    Reference,
}

/// The sizes of an encoder, all but the vocabulary's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeSettings {
    pub width: usize,
    pub layers: usize,
    pub heads: usize,
    pub key: usize,
    pub value: usize,
    pub feed_forward: usize,
    pub dropout: f32,
    /// Longer texts are cut.
    pub longest: usize,
    #[serde(default)]
    pub pooling: Pooling,
    /// What only a BERT has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bert: Option<Bert>,
}

/// Settings that go together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Learns some dozens of articles within a minute.
    Tiny,
    /// Learns some thousands of pairs within minutes.
    #[default]
    Small,
    /// The paper's.
    Paper,
}

/// What BERTs drop unless their folder says otherwise.
const BERT_DROPOUT: f32 = 0.1;
/// Shares are drawn to one in so many.
const FINE: usize = 1 << 20;

/// A setting that cannot be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the settings cannot be used: {0}")]
pub struct SettingsError(pub String);

impl Preset {
    pub fn settings(self) -> TrainSettings {
        let paper = TrainSettings {
            encoder: Encoder::Npt,
            init: None,
            untrained: false,
            frozen_layers: 0,
            objective: ObjectiveKind::Local,
            level: symbols::Setting::default(),
            level_seed: 1,
            fresh_names: false,
            input: Input::Both,
            symbols: SymbolNames::Literal,
            split: Scheme::Unmixed,
            split_seed: None,
            seed: 1,
            epochs: 400,
            batch: 60,
            neighbours: 1,
            chunk: None,
            rate: 5e-3,
            word_rate: 1.0,
            score_rate: 1.0,
            warm_up: 0,
            rate_decay: 0.996,
            clip: None,
            evaluate_every: 5,
            evaluate_on: Part::Dev,
            patience: 0,
            start: WeightInit::Random,
            rename: 0.0,
            leave_out: 0.0,
            compat: Compat::None,
            engine: EngineKind::Native,
            optimizer: OptimizerConfig::Asgd(Asgd::default()),
            shape: ShapeSettings::of(&NptShape::paper(2)),
            protected: ProtectedLists::new(),
        };
        let adam = OptimizerConfig::AdamW(AdamW::default());
        match self {
            Preset::Paper => paper,
            Preset::Small => TrainSettings {
                epochs: 12,
                rate: 2e-4,
                word_rate: 2e3,
                score_rate: 100.0,
                warm_up: 20,
                rate_decay: 0.9,
                clip: Some(1.0),
                evaluate_every: 1,
                start: WeightInit::Bag,
                rename: 0.3,
                leave_out: 0.4,
                optimizer: adam,
                shape: ShapeSettings::of(&NptShape::small(2)),
                ..paper
            },
            Preset::Tiny => TrainSettings {
                epochs: 30,
                batch: 32,
                rate: 3e-3,
                rate_decay: 0.95,
                clip: Some(1.0),
                evaluate_every: 5,
                start: WeightInit::Similarity,
                optimizer: adam,
                shape: ShapeSettings::of(&NptShape::tiny(2)),
                ..paper
            },
        }
    }
}

impl Preset {
    /// The same for any encoder. A BERT has the sizes of the folder that it begins with, which are still to be found out.
    pub fn settings_for(self, encoder: Encoder) -> TrainSettings {
        if encoder == Encoder::Npt {
            return self.settings();
        }
        let base = bert::fine_tuning(self);
        let shape = ShapeSettings {
            pooling: Pooling::Cls,
            longest: bert::LONGEST,
            dropout: BERT_DROPOUT,
            ..base.shape
        };
        TrainSettings { encoder, shape, ..base }
    }
}

impl TrainSettings {
    /// Finds what cannot be, before anything is computed.
    pub fn check(&self) -> Result<(), SettingsError> {
        let fail = |text: String| Err(SettingsError(text));
        if self.epochs == 0 {
            return fail("epochs is 0; train for at least one".to_owned());
        }
        if self.batch < 2 {
            return fail(format!(
                "a batch of {} has no wrong proof to learn from; use 2 or more",
                self.batch
            ));
        }
        if self.chunk == Some(0) {
            return fail("chunk is 0; leave it out or keep at least one document".to_owned());
        }
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return fail(format!("the learning rate {} should be above 0", self.rate));
        }
        if !(self.rate_decay > 0.0 && self.rate_decay <= 1.0) {
            return fail(format!("rate_decay {} should be above 0 and at most 1", self.rate_decay));
        }
        for (name, times) in [("word_rate", self.word_rate), ("score_rate", self.score_rate)] {
            if !(times >= 0.0 && times.is_finite()) {
                return fail(format!("{name} {times} should be at least 0"));
            }
        }
        for (name, share, most) in [("rename", self.rename, 1.0), ("leave_out", self.leave_out, 0.9)] {
            if !(0.0..=most).contains(&share) {
                return fail(format!("{name} {share} should be a share from 0 to {most}"));
            }
        }
        if let Some(clip) = self.clip.filter(|clip| !(*clip > 0.0 && clip.is_finite())) {
            return fail(format!("clip {clip} should be above 0; leave it out not to clip"));
        }
        if self.patience > 0 && self.evaluate_every == 0 {
            return fail("patience counts evaluations, but evaluate_every is 0".to_owned());
        }
        if self.encoder != Encoder::Npt && self.init.is_none() {
            return fail(format!(
                "say what {} begins with: --init RUN of matchbook pretrain, or --init DIR of transformers",
                self.encoder.name()
            ));
        }
        if self.encoder == Encoder::Npt && (self.untrained || self.frozen_layers > 0 || self.init.is_some()) {
            return fail(
                "init, untrained and freeze are for a BERT; say --encoder scratchbert or mathbert".to_owned(),
            );
        }
        if (self.encoder == Encoder::Npt) != self.shape.bert.is_none() {
            return fail(format!("the sizes are not those of {}", self.encoder.name()));
        }
        if self.encoder != Encoder::Npt && (self.start == WeightInit::Bag || self.leave_out > 0.0) {
            return fail("start bag and leave_out are for npt; a BERT begins with --init".to_owned());
        }
        if self.frozen_layers > self.shape.layers {
            return fail(format!("{} layers of {} cannot be frozen", self.frozen_layers, self.shape.layers));
        }
        if self.shape.longest < 2 {
            return fail(format!("texts of {} tokens are too short to read", self.shape.longest));
        }
        self.optimizer.problem(self.rate).map_or(Ok(()), fail)?;
        if self.encoder != Encoder::Npt && self.symbols == SymbolNames::Both {
            return fail(
                "both names of a symbol are read by npt only; use --symbols canonical or literal".to_owned(),
            );
        }
        self.shape.with(2).check().or_else(|error| fail(error.to_string()))
    }

    /// The learning rate of a step of an epoch, both from 0.
    pub fn rate_at(&self, epoch: u64, step: u64) -> f64 {
        let share = if step < self.warm_up { (step + 1) as f64 / self.warm_up as f64 } else { 1.0 };
        self.rate * share * self.rate_decay.powf(epoch as f64)
    }

    /// The model's shape with a vocabulary of this size, with room for every name that is read of the longest text.
    pub(super) fn model_shape(&self, vocabulary: usize) -> EncoderShape {
        let shape = self.shape.with(vocabulary);
        EncoderShape { positions: shape.positions * self.symbols.numbers_of_a_token(), ..shape }
    }

    /// A training pair under the names of an epoch.
    pub(super) fn renamed<'a>(&self, pair: &'a Pair, epoch: u64) -> Cow<'a, Pair> {
        let seed = Seed(self.seed.wrapping_add(epoch));
        let drawn = || pair_rng(seed, &pair.id, "renamed", 0).below_exact(FINE) as f64;
        if self.rename == 0.0 || drawn() >= self.rename * FINE as f64 {
            return Cow::Borrowed(pair);
        }
        Cow::Owned(rename_together(pair, seed))
    }

    pub fn sampling(&self) -> Sampling {
        match self.compat {
            Compat::None => Sampling::Shuffled,
            Compat::Reference => Sampling::Independent,
        }
    }

    /// The symbols that +P levels leave alone.
    pub fn protected(&self) -> Result<Protected, ProtectedError> {
        Protected::with_lists(&self.protected, "the run's settings")
    }

    /// The replacer of an epoch; evaluations use that of epoch 0.
    pub fn replacer(&self, protected: &Protected, epoch: u64) -> Replacer {
        let seed = if self.fresh_names { self.level_seed.wrapping_add(epoch) } else { self.level_seed };
        let mode = match self.compat {
            Compat::None => Mode::Exact,
            Compat::Reference => Mode::Reference,
        };
        Replacer { setting: self.level, seed: Seed(seed), mode, protected: protected.clone() }
    }
}

impl ShapeSettings {
    pub fn of(shape: &EncoderShape) -> ShapeSettings {
        ShapeSettings {
            width: shape.width,
            layers: shape.layers,
            heads: shape.heads,
            key: shape.key,
            value: shape.value,
            feed_forward: shape.feed_forward,
            dropout: shape.dropout,
            longest: shape.positions,
            pooling: shape.pooling,
            bert: shape.bert().cloned(),
        }
    }

    /// The model's shape with a vocabulary of this size.
    pub fn with(&self, vocabulary: usize) -> EncoderShape {
        EncoderShape {
            vocabulary,
            width: self.width,
            layers: self.layers,
            heads: self.heads,
            key: self.key,
            value: self.value,
            feed_forward: self.feed_forward,
            dropout: self.dropout,
            positions: self.longest,
            pooling: self.pooling,
            family: self.bert.clone().map_or(Family::Npt, Family::Bert),
        }
    }
}

impl Encoder {
    pub fn named(name: &str) -> Option<Encoder> {
        [Encoder::Npt, Encoder::Scratchbert, Encoder::Mathbert].into_iter().find(|each| each.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Encoder::Npt => "npt",
            Encoder::Scratchbert => "scratchbert",
            Encoder::Mathbert => "mathbert",
        }
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl ObjectiveKind {
    pub fn name(self) -> &'static str {
        match self {
            ObjectiveKind::Local => "local",
            ObjectiveKind::Hybrid => "hybrid",
        }
    }
}

fn one() -> usize {
    1
}

fn once() -> f64 {
    1.0
}

fn is_once(number: &f64) -> bool {
    *number == 1.0
}

/// Values that are written as people write them.
mod as_text {
    use std::{fmt::Display, str::FromStr};

    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_can_be_used_and_is_read_as_it_was_written() {
        for preset in [Preset::Tiny, Preset::Small, Preset::Paper] {
            let settings = preset.settings();
            assert_eq!(settings.check(), Ok(()));
            let written = toml::to_string(&settings).unwrap();
            let read: TrainSettings = toml::from_str(&written).unwrap();
            assert_eq!(TrainSettings { seed: settings.seed, ..read }, settings, "{written}");
        }
        let paper = Preset::Paper.settings();
        assert_eq!((paper.rate, paper.rate_decay, paper.batch, paper.epochs), (5e-3, 0.996, 60, 400));
        let warm = TrainSettings { warm_up: 4, ..paper.clone() };
        let rates = [0, 2, 3, 4].map(|step| warm.rate_at(0, step) / paper.rate);
        assert_eq!(rates, [0.25, 0.75, 1.0, 1.0]);
        assert!((paper.rate_at(2, 99) - 5e-3 * 0.996 * 0.996).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_is_said() {
        let check = |change: fn(&mut TrainSettings), words: &str| {
            let mut settings = Preset::Tiny.settings();
            change(&mut settings);
            let error = settings.check().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        };
        check(|settings| settings.epochs = 0, "epochs is 0");
        check(|settings| settings.batch = 1, "a batch of 1");
        check(|settings| settings.chunk = Some(0), "chunk");
        check(|settings| settings.rate = f64::NAN, "learning rate NaN");
        check(|settings| settings.rate_decay = 1.5, "rate_decay 1.5");
        check(|settings| settings.clip = Some(-1.0), "clip -1");
        check(|settings| settings.word_rate = -1.0, "word_rate -1");
        check(|settings| settings.score_rate = f64::NAN, "score_rate NaN");
        check(|settings| settings.rename = 1.5, "rename 1.5");
        check(|settings| settings.leave_out = f64::NAN, "leave_out NaN");
        check(|settings| (settings.patience, settings.evaluate_every) = (3, 0), "patience");
        check(|settings| settings.shape.heads = 0, "heads is 0");
        check(|settings| settings.shape.dropout = 1.0, "dropout 1");
        check(
            |settings| settings.optimizer = OptimizerConfig::Asgd(Asgd { decay: 1e4, ..Asgd::default() }),
            "decay 10000",
        );
        let old = toml::to_string(&Preset::Tiny.settings()).unwrap().replace("\nstart", "\nscore_start");
        assert_eq!(toml::from_str::<TrainSettings>(&old).unwrap().start, WeightInit::Similarity);
        let typo = toml::to_string(&Preset::Tiny.settings()).unwrap().replace("epochs", "epoch");
        assert!(toml::from_str::<TrainSettings>(&typo).unwrap_err().to_string().contains("epoch"));
    }
}
