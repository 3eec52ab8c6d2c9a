//! The settings of a pre-training run, with presets and checks.

use serde::{Deserialize, Serialize};

use crate::{
    base::{fields::Fields, toml_u64},
    corpus::split::Scheme,
    model::{EncoderShape, Precision, bert::Head, tokenizer::wordpiece::LineStyle},
    train::{
        optimizer::{AdamW, OptimizerConfig},
        settings::{Compat, Encoder, PretrainPreset, SettingsError, ShapeSettings},
    },
};

/// The settings of a pre-training run, which reproduce it together with the corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PretrainSettings {
    /// Distinguishes the run from one that trains a matching model.
    pub task: PretrainTask,
    pub encoder: Encoder,
    /// The maximum size of the vocabulary.
    pub vocabulary: usize,
    pub split: Scheme,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "toml_u64::optional")]
    pub split_seed: Option<u64>,
    #[serde(skip)]
    pub seed: u64,
    /// The share of tokens that are masked.
    pub masked: f64,
    /// The share of the training pairs that is held out for evaluation.
    pub held_out: f64,
    pub epochs: u64,
    /// The maximum number of texts in a batch.
    pub batch: usize,
    /// The highest learning rate.
    pub lr: f64,
    /// The number of steps in which the learning rate grows to `lr`; then it falls linearly to zero.
    pub warm_up: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f32>,
    pub evaluate_every: u64,
    pub patience: u64,
    pub compat: Compat,
    /// The precision of products.
    #[serde(default, skip_serializing_if = "Precision::is_auto")]
    pub precision: Precision,
    pub optimizer: OptimizerConfig,
    pub shape: ShapeSettings,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PretrainTask {
    #[default]
    Pretrain,
}

impl PretrainPreset {
    pub fn settings(self) -> PretrainSettings {
        let (shape, lr, epochs, batch, warm_up) = match self {
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
            lr,
            warm_up,
            clip: Some(1.0),
            evaluate_every: 1,
            patience: 0,
            compat: Compat::None,
            precision: Precision::Auto,
            optimizer: OptimizerConfig::AdamW(AdamW::default()),
            shape: ShapeSettings::of(&shape.with_head(Head::Masked)),
        }
    }
}

impl PretrainSettings {
    /// Checks ranges and combinations of settings before anything is computed.
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
        if !(self.lr > 0.0 && self.lr.is_finite()) {
            return fail(format!("the learning rate {} should be above 0", self.lr));
        }
        if let Some(clip) = self.clip.filter(|clip| !(*clip > 0.0 && clip.is_finite())) {
            return fail(format!("clip {clip} should be above 0; leave it out to disable clipping"));
        }
        if self.shape.longest < 3 {
            return fail(format!("a maximum sequence length of {} is too short", self.shape.longest));
        }
        if self.shape.bert.as_ref().is_none_or(|bert| bert.head != Head::Masked) {
            return fail("the dimensions do not belong to a BERT for masked language modeling".to_owned());
        }
        self.optimizer.problem(self.lr).map_or(Ok(()), fail)?;
        self.shape.with(5).check().or_else(|error| fail(error.to_string()))?;
        self.check_fields().or_else(fail)
    }

    /// Returns the learning rate of a step, counted from 1.
    pub fn lr_at(&self, step: u64, total: u64) -> f64 {
        let (step, warm, total) = (step as f64, self.warm_up.min(total / 2) as f64, total as f64);
        match step <= warm {
            true => self.lr * step / warm,
            false => self.lr * ((total - step + 1.0) / (total - warm).max(1.0)).clamp(0.0, 1.0),
        }
    }

    /// Returns how symbols are distinguished from words.
    pub fn style(&self) -> LineStyle {
        match self.compat {
            Compat::None => LineStyle::Marked,
            Compat::Reference => LineStyle::Plain { lowercase: true },
        }
    }
}
