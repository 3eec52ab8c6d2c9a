//! The request of a study.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Study, plan::PlanError};
use crate::{
    corpus::split::Scheme,
    symbols::{Level, Setting},
    train::{
        Encoder, Preset, TrainSettings, bert,
        pretrain::{PretrainPreset, PretrainSettings},
    },
};

/// A study with its options.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyRequest {
    pub study: Study,
    pub preset: Preset,
    /// Empty for the study's own.
    pub encoders: Vec<StudyEncoder>,
    /// Empty for the study's own.
    pub levels: Vec<Setting>,
    /// How often each run is repeated, with seeds from 1 on.
    pub seeds: u64,
    /// Replaces the preset's.
    pub epochs: Option<u64>,
    /// The same for pre-training.
    pub pretraining_epochs: Option<u64>,
    /// Replaces the paper's.
    pub split: Option<Scheme>,
    /// The category of the protected symbols.
    pub category: String,
    /// The folder of transformers that MathBERT starts from.
    pub mathbert: Option<PathBuf>,
}

/// The encoders of the paper and ours, whether this program can train them or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum StudyEncoder {
    Npt,
    ScratchBert,
    MathBert,
    /// Ours: a bag of formula windows.
    Windows,
}

impl StudyEncoder {
    /// The encoders of the paper.
    pub const PAPER: [StudyEncoder; 3] =
        [StudyEncoder::Npt, StudyEncoder::ScratchBert, StudyEncoder::MathBert];
}

/// The paper's example: probability.
pub const CATEGORY: &str = "math.PR";
/// Enough for an interval.
const SEEDS: u64 = 3;
/// A BERT costs ten times an NPT: with the tiny preset it trains for fewer epochs in a study than it would alone, so that
/// the longest table takes less than ten minutes on two cores.
const TINY_PRETRAINING: u64 = 10;
const TINY_TUNING: u64 = 5;

/// The maximum number of repetitions of a run.
const MOST_SEEDS: u64 = 1000;

impl StudyRequest {
    pub fn new(study: Study, preset: Preset) -> StudyRequest {
        StudyRequest {
            study,
            preset,
            encoders: Vec::new(),
            levels: Vec::new(),
            seeds: if preset == Preset::Paper { 1 } else { SEEDS },
            epochs: None,
            pretraining_epochs: None,
            split: None,
            category: CATEGORY.to_owned(),
            mathbert: None,
        }
    }

    /// The study of the demo that every workspace has.
    pub fn built_in() -> StudyRequest {
        let usual = StudyRequest::new(Study::Invariant, Preset::Tiny);
        StudyRequest { encoders: vec![StudyEncoder::Windows], seeds: 1, ..usual }
    }

    /// The arguments of `matchbook` that make this study of a corpus.
    pub fn arguments(&self, corpus: &Path) -> Vec<String> {
        let mut arguments = vec!["study".to_owned(), self.study.to_string()];
        arguments.push(corpus.to_string_lossy().into_owned());
        let mut add = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);
        add("--preset", self.preset.name().to_owned());
        add("--seeds", self.seeds.to_string());
        if !self.encoders.is_empty() {
            let names: Vec<&str> = self.encoders.iter().map(|encoder| encoder.name()).collect();
            add("--encoders", names.join(","));
        }
        if !self.levels.is_empty() {
            let levels: Vec<String> = self.levels.iter().map(ToString::to_string).collect();
            add("--levels", levels.join(","));
        }
        for (flag, epochs) in [("--epochs", self.epochs), ("--pretraining-epochs", self.pretraining_epochs)] {
            if let Some(epochs) = epochs {
                add(flag, epochs.to_string());
            }
        }
        if let Some(split) = self.split {
            add("--split", split.name().to_owned());
        }
        if let Some(folder) = &self.mathbert {
            add("--mathbert", folder.to_string_lossy().into_owned());
        }
        add("--category", self.category.clone());
        arguments
    }

    /// Finds errors before anything is read.
    pub fn check(&self) -> Result<(), PlanError> {
        let wrong = |text: &str| Err(PlanError::Request(text.to_owned()));
        match (self.seeds, self.epochs, self.pretraining_epochs) {
            (0, ..) => wrong("a study needs at least one seed"),
            (seeds, ..) if seeds > MOST_SEEDS => wrong(&format!(
                "{seeds} seeds are too many; a study repeats a run at most {MOST_SEEDS} times"
            )),
            (_, Some(0), _) => wrong("epochs is 0; train for at least one"),
            (.., Some(0)) => wrong("pre-training has 0 epochs; pre-train for at least one"),
            (_, epochs, pretraining) => {
                let settings = TrainSettings { epochs: epochs.unwrap_or(1), ..Preset::Tiny.settings() };
                settings.check().map_err(|error| PlanError::Request(error.to_string()))?;
                let settings =
                    PretrainSettings { epochs: pretraining.unwrap_or(1), ..PretrainPreset::Tiny.settings() };
                settings.check().map_err(|error| PlanError::Request(error.to_string()))
            }
        }
    }

    /// The encoders to show; those of the study if none were requested.
    pub(super) fn encoders_or(&self, usual: &[StudyEncoder]) -> Vec<StudyEncoder> {
        if self.encoders.is_empty() { usual.to_vec() } else { self.encoders.clone() }
    }

    /// The levels to show, in the study's order.
    pub(super) fn levels_or(&self, usual: &[Setting]) -> Vec<Setting> {
        if self.levels.is_empty() { usual.to_vec() } else { self.levels.clone() }
    }

    /// The settings of every run of an encoder; sizes and initial weights of a BERT are still to be set.
    pub(super) fn settings(&self, encoder: StudyEncoder) -> TrainSettings {
        let mut settings = match (encoder, self.preset) {
            (StudyEncoder::Npt, preset) => preset.settings(),
            (StudyEncoder::Windows, preset) => preset.settings_for(Encoder::Windows),
            (_, Preset::Tiny) => TrainSettings { epochs: TINY_TUNING, ..bert::fine_tuning(Preset::Tiny) },
            (_, preset) => bert::fine_tuning(preset),
        };
        settings.encoder = encoder.encoder();
        settings.epochs = self.epochs.unwrap_or(settings.epochs);
        settings
    }

    /// The pre-training that ScratchBERT starts from.
    pub(super) fn pretraining(&self) -> PretrainSettings {
        let settings = match self.preset {
            Preset::Tiny => PretrainSettings { epochs: TINY_PRETRAINING, ..PretrainPreset::Tiny.settings() },
            Preset::Small => PretrainPreset::Small.settings(),
            Preset::Paper => PretrainPreset::Base.settings(),
        };
        PretrainSettings { epochs: self.pretraining_epochs.unwrap_or(settings.epochs), ..settings }
    }
}

impl StudyEncoder {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The name in the paper.
    pub fn title(self) -> &'static str {
        match self {
            StudyEncoder::Npt => "NPT",
            StudyEncoder::ScratchBert => "ScratchBERT",
            StudyEncoder::MathBert => "MathBERT",
            StudyEncoder::Windows => "Windows",
        }
    }

    fn encoder(self) -> Encoder {
        match self {
            StudyEncoder::Npt => Encoder::Npt,
            StudyEncoder::ScratchBert => Encoder::Scratchbert,
            StudyEncoder::MathBert => Encoder::Mathbert,
            StudyEncoder::Windows => Encoder::Windows,
        }
    }
}

/// The paper's four levels.
pub(super) fn four_levels() -> [Setting; 4] {
    Level::ALL.map(Setting::from)
}
