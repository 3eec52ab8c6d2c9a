//! Every setting of a training run, with presets and checks. Settings and corpus together reproduce a run exactly.
//!
//! A setting has one name: that of its flag, with underscores in `run.toml` and with hyphens on the command line and in
//! forms. [`fields`] is the table behind flags and forms, [`old_keys`] reads files with earlier names.

mod choices;
mod fields;
mod old_keys;
mod preset;
mod run_settings;
mod shape;
pub(super) mod shared_fields;

use std::{borrow::Cow, path::PathBuf};

use serde::{Deserialize, Serialize};

pub(in crate::train) use self::fields::{MOST_EPOCHS, MOST_PAIRS, MOST_STEPS};
pub use self::{
    choices::{Compat, Encoder, EngineKind, ObjectiveKind, Preset, PretrainPreset, WeightInit},
    old_keys::{new_key, old_form, rename_old_keys},
    run_settings::RunSettings,
    shape::ShapeSettings,
};
use super::optimizer::OptimizerConfig;
use crate::{
    base::{fields::Fields, numbers::counted, toml_u64},
    corpus::{
        Pair,
        split::{Part, Scheme},
    },
    model::{
        EncoderShape, Precision,
        tokenizer::{Input, Sampling, SymbolNames},
    },
    symbols::{
        self, Protected, ReplaceMode, Replacer, Seed,
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
    /// The folder with the initial weights of a BERT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<PathBuf>,
    /// Use the sizes and the vocabulary of the folder, but random weights: the baseline of pre-training.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrained: bool,
    /// The number of layers that are frozen, together with the embeddings below them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub freeze: usize,
    pub objective: ObjectiveKind,
    /// The level of symbol replacement, as in `full` or `partial:0.3+p`.
    #[serde(with = "symbols::level::in_file")]
    pub level: symbols::Setting,
    /// The seed of the replaced names.
    #[serde(with = "toml_u64")]
    pub level_seed: u64,
    /// Draw new names in every epoch.
    pub fresh_names: bool,
    pub input: Input,
    /// Which names of symbols the encoder reads.
    #[serde(default, skip_serializing_if = "SymbolNames::is_literal")]
    pub symbols: SymbolNames,
    pub split: Scheme,
    /// `None` for the split that the corpus comes with.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "toml_u64::optional")]
    pub split_seed: Option<u64>,
    /// The seed of every random choice of training. `run.toml` stores it next to the settings.
    #[serde(skip)]
    pub seed: u64,
    pub epochs: u64,
    /// The maximum number of pairs in a batch.
    pub batch: usize,
    /// How many consecutive pairs of the corpus stay together in batches.
    #[serde(default = "one")]
    pub neighbors: usize,
    /// The number of documents whose activations are kept at a time (gradient cache); `None` keeps the whole batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<usize>,
    /// The learning rate of the first epoch.
    pub lr: f64,
    /// The learning rate of the word embeddings as a multiple of `lr`: each word is seen rarely.
    #[serde(default = "once")]
    pub word_lr: f64,
    /// The learning rate of the matrix of the score as a multiple of `lr`: it has to change more than the layers when a
    /// model starts as a bag of tokens.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub score_lr: f64,
    /// The number of steps in which the learning rate grows to its first value.
    #[serde(default)]
    pub warm_up: u64,
    /// The factor of the learning rate after every epoch.
    pub lr_decay: f64,
    /// The maximum norm of a gradient; longer gradients are scaled down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f32>,
    /// The number of epochs between evaluations; 0 never evaluates.
    pub evaluate_every: u64,
    /// The part of the split that is evaluated on.
    pub evaluate_on: Part,
    /// Stop after this many evaluations without improvement; 0 never does.
    pub patience: u64,
    /// The initial weights.
    pub start: WeightInit,
    /// The share of pairs whose symbols are renamed, consistently on both sides, in every epoch.
    #[serde(default)]
    pub rename: f64,
    /// The share of tokens that each step drops from a text.
    #[serde(default)]
    pub leave_out: f64,
    /// Follow the reference program where it differs.
    pub compat: Compat,
    /// `auto` is decided where the run is trained.
    #[serde(default, skip_serializing_if = "EngineKind::is_auto")]
    pub engine: EngineKind,
    /// The precision of products.
    #[serde(default, skip_serializing_if = "Precision::is_auto")]
    pub precision: Precision,
    pub optimizer: OptimizerConfig,
    pub shape: ShapeSettings,
    /// Protected symbols beyond the built-in ones, by category: a copy of the user's file, which may change.
    #[serde(default, skip_serializing_if = "ProtectedLists::is_empty")]
    pub protected: ProtectedLists,
}

/// The resolution of a random draw that is compared with a share.
const RESOLUTION: usize = 1 << 20;

/// Settings that contradict each other or are out of range.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the settings cannot be used: {0}")]
pub struct SettingsError(pub String);

impl TrainSettings {
    /// Checks ranges and combinations of settings before anything is computed.
    pub fn check(&self) -> Result<(), SettingsError> {
        let fail = |text: String| Err(SettingsError(text));
        if self.epochs == 0 {
            return fail("epochs is 0; train for at least one".to_owned());
        }
        if self.batch < 2 {
            return fail(format!("a batch of {} has no negatives; use 2 or more", self.batch));
        }
        if self.chunk == Some(0) {
            return fail("chunk is 0; leave it out, or use at least one document".to_owned());
        }
        if !(self.lr > 0.0 && self.lr.is_finite()) {
            return fail(format!("the learning rate {} should be above 0", self.lr));
        }
        if !(self.lr_decay > 0.0 && self.lr_decay <= 1.0) {
            return fail(format!("lr_decay {} should be above 0 and at most 1", self.lr_decay));
        }
        for (name, times) in [("word_lr", self.word_lr), ("score_lr", self.score_lr)] {
            if !(times >= 0.0 && times.is_finite()) {
                return fail(format!("{name} {times} should be at least 0"));
            }
        }
        for (name, share, most) in [("rename", self.rename, 1.0), ("leave_out", self.leave_out, 0.9)] {
            if !(0.0..=most).contains(&share) {
                return fail(format!("{name} {share} should be a fraction from 0 to {most}"));
            }
        }
        if let Some(clip) = self.clip.filter(|clip| !(*clip > 0.0 && clip.is_finite())) {
            return fail(format!("clip {clip} should be above 0; leave it out to disable clipping"));
        }
        if self.patience > 0 && self.evaluate_every == 0 {
            return fail("patience counts evaluations, but evaluate_every is 0".to_owned());
        }
        if self.encoder.is_bert() && self.init.is_none() {
            return fail(format!(
                "{} needs initial weights: --init RUN (a run of matchbook pretrain) or --init DIR (a transformers folder)",
                self.encoder.name()
            ));
        }
        if self.encoder == Encoder::Windows {
            self.check_windows()?;
        }
        if !self.encoder.is_bert() && (self.untrained || self.freeze > 0 || self.init.is_some()) {
            return fail(
                "init, untrained and freeze are for a BERT; use --encoder scratchbert or mathbert".to_owned(),
            );
        }
        if self.encoder.is_bert() != self.shape.bert.is_some()
            || (self.encoder == Encoder::Windows) != (self.shape.window > 0)
        {
            return fail(format!("the dimensions do not belong to the encoder {}", self.encoder.name()));
        }
        if self.encoder != Encoder::Windows && self.start == WeightInit::Balanced {
            return fail(
                "start balanced is for windows, whose features have kinds; use --start bag".to_owned(),
            );
        }
        if self.encoder.is_bert() && (self.start == WeightInit::Bag || self.leave_out > 0.0) {
            return fail("start bag and leave_out are for npt; a BERT starts from --init".to_owned());
        }
        if self.freeze > self.shape.layers {
            return fail(format!(
                "cannot freeze {} of an encoder that has {}",
                counted(self.freeze as u64, "layer"),
                self.shape.layers
            ));
        }
        if self.shape.longest < 2 {
            return fail(format!("a maximum sequence length of {} is too short", self.shape.longest));
        }
        self.optimizer.problem(self.lr).map_or(Ok(()), fail)?;
        if self.encoder.is_bert() && self.symbols == SymbolNames::Both {
            return fail("only npt supports --symbols both; use --symbols canonical or literal".to_owned());
        }
        self.shape.with(2).check().or_else(|error| fail(error.to_string()))?;
        self.check_fields().or_else(fail)
    }

    fn check_windows(&self) -> Result<(), SettingsError> {
        let fail = |text: &str| Err(SettingsError(text.to_owned()));
        if self.shape.window < 2 || self.shape.window > 8 {
            return fail("a window has 2 to 8 tokens");
        }
        if self.shape.features == 0 {
            return fail("features is 0; a bag needs at least one");
        }
        if self.symbols == SymbolNames::Canonical {
            return fail(
                "the windows encoder numbers letters itself; use --symbols literal, renamed or both",
            );
        }
        if self.compat == Compat::Reference {
            return fail("the reference program has no windows; leave out --compat reference");
        }
        Ok(())
    }

    /// Returns the learning rate of a step of an epoch, both counted from 0.
    pub fn lr_at(&self, epoch: u64, step: u64) -> f64 {
        let share = if step < self.warm_up { (step + 1) as f64 / self.warm_up as f64 } else { 1.0 };
        self.lr * share * self.lr_decay.powf(epoch as f64)
    }

    /// Returns the shape of the model with a vocabulary of this size, with a position for every token id of the longest text.
    pub(super) fn model_shape(&self, vocabulary: usize) -> EncoderShape {
        let shape = self.shape.with(vocabulary);
        if self.encoder == Encoder::Windows {
            return shape;
        }
        EncoderShape { positions: shape.positions * self.symbols.max_ids_per_token(), ..shape }
    }

    /// Returns a training pair with the names of an epoch.
    pub(super) fn renamed<'a>(&self, pair: &'a Pair, epoch: u64) -> Cow<'a, Pair> {
        let seed = Seed(self.seed.wrapping_add(epoch));
        let drawn = || pair_rng(seed, &pair.id, "renamed", 0).below_exact(RESOLUTION) as f64;
        if self.rename == 0.0 || drawn() >= self.rename * RESOLUTION as f64 {
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

    /// Returns the symbols that +P levels do not replace.
    pub fn protected(&self) -> Result<Protected, ProtectedError> {
        Protected::with_lists(&self.protected, "the run's settings")
    }

    /// Returns the replacer of an epoch; evaluations use that of epoch 0.
    pub fn replacer(&self, protected: &Protected, epoch: u64) -> Replacer {
        let seed = if self.fresh_names { self.level_seed.wrapping_add(epoch) } else { self.level_seed };
        let mode = match self.compat {
            Compat::None => ReplaceMode::Exact,
            Compat::Reference => ReplaceMode::Reference,
        };
        Replacer::new(self.level, Seed(seed), mode, protected.clone())
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::optimizer::Asgd;

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
        assert_eq!((paper.lr, paper.lr_decay, paper.batch, paper.epochs), (5e-3, 0.996, 60, 400));
        let warm = TrainSettings { warm_up: 4, ..paper.clone() };
        let rates = [0, 2, 3, 4].map(|step| warm.lr_at(0, step) / paper.lr);
        assert_eq!(rates, [0.25, 0.75, 1.0, 1.0]);
        assert!((paper.lr_at(2, 99) - 5e-3 * 0.996 * 0.996).abs() < 1e-12);
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
        check(|settings| settings.lr = f64::NAN, "learning rate NaN");
        check(|settings| settings.lr_decay = 1.5, "lr_decay 1.5");
        check(|settings| settings.clip = Some(-1.0), "clip -1");
        check(|settings| settings.word_lr = -1.0, "word_lr -1");
        check(|settings| settings.score_lr = f64::NAN, "score_lr NaN");
        check(|settings| settings.rename = 1.5, "rename 1.5");
        check(|settings| settings.leave_out = f64::NAN, "leave_out NaN");
        check(|settings| settings.start = WeightInit::Balanced, "start balanced is for windows");
        check(|settings| (settings.patience, settings.evaluate_every) = (3, 0), "patience");
        check(|settings| settings.shape.heads = 0, "heads is 0");
        check(|settings| settings.shape.dropout = 1.0, "dropout 1");
        check(
            |settings| settings.optimizer = OptimizerConfig::Asgd(Asgd { decay: 1e4, ..Asgd::default() }),
            "decay 10000",
        );
        let typo = toml::to_string(&Preset::Tiny.settings()).unwrap().replace("epochs", "epoch");
        assert!(toml::from_str::<TrainSettings>(&typo).unwrap_err().to_string().contains("epoch"));
    }
}
