//! The settings of each preset.

use super::{Compat, Encoder, EngineKind, ObjectiveKind, Preset, ShapeSettings, TrainSettings, WeightInit};
use crate::{
    corpus::split::{Part, Scheme},
    model::{
        NptShape, Pooling, Precision,
        tokenizer::{Input, SymbolNames},
    },
    symbols::{self, protected::ProtectedLists},
    train::{
        bert,
        optimizer::{AdamW, Asgd, OptimizerConfig},
        windows,
    },
};

/// The dropout of a BERT whose folder does not specify one.
const BERT_DROPOUT: f32 = 0.1;

impl Preset {
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn settings(self) -> TrainSettings {
        let paper = TrainSettings {
            encoder: Encoder::Npt,
            init: None,
            untrained: false,
            freeze: 0,
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
            neighbors: 1,
            chunk: None,
            lr: 5e-3,
            word_lr: 1.0,
            score_lr: 1.0,
            warm_up: 0,
            lr_decay: 0.996,
            clip: None,
            evaluate_every: 5,
            evaluate_on: Part::Dev,
            patience: 0,
            start: WeightInit::Random,
            rename: 0.0,
            leave_out: 0.0,
            compat: Compat::None,
            engine: EngineKind::Auto,
            precision: Precision::Auto,
            optimizer: OptimizerConfig::Asgd(Asgd::default()),
            shape: ShapeSettings::of(&NptShape::paper(2)),
            protected: ProtectedLists::new(),
        };
        let adam = OptimizerConfig::AdamW(AdamW::default());
        match self {
            Preset::Paper => paper,
            Preset::Small => TrainSettings {
                epochs: 12,
                lr: 2e-4,
                word_lr: 2e3,
                score_lr: 100.0,
                warm_up: 20,
                lr_decay: 0.9,
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
                lr: 3e-3,
                lr_decay: 0.95,
                clip: Some(1.0),
                evaluate_every: 5,
                start: WeightInit::Similarity,
                optimizer: adam,
                shape: ShapeSettings::of(&NptShape::tiny(2)),
                ..paper
            },
        }
    }

    /// Returns the settings of this preset for an encoder. The sizes of a BERT are those of its folder, which has not been
    /// read yet.
    pub fn settings_for(self, encoder: Encoder) -> TrainSettings {
        match encoder {
            Encoder::Npt => return self.settings(),
            Encoder::Windows => return windows::settings(self),
            Encoder::Scratchbert | Encoder::Mathbert => {}
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
