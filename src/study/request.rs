//! What a study is asked to do.

use serde::Serialize;

use super::{Study, plan::PlanError};
use crate::{
    corpus::split::Scheme,
    symbols::{Level, Setting},
    train::{Preset, Settings},
};

/// A study with its choices.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyRequest {
    pub study: Study,
    pub preset: Preset,
    /// Empty for those that the study is about.
    pub encoders: Vec<StudyEncoder>,
    /// Empty for those that the study is about.
    pub levels: Vec<Setting>,
    /// How often each run is repeated, with seeds from 1 on.
    pub seeds: u64,
    /// Instead of the preset's.
    pub epochs: Option<u64>,
    /// Instead of the paper's.
    pub split: Option<Scheme>,
    /// The category of the protected symbols.
    pub category: String,
}

/// The encoders of the paper, whether this program can train them or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StudyEncoder {
    Npt,
    ScratchBert,
    MathBert,
}

/// The paper's example: probability.
pub const CATEGORY: &str = "math.PR";
/// Enough for an interval.
const SEEDS: u64 = 3;

impl StudyRequest {
    pub fn new(study: Study, preset: Preset) -> StudyRequest {
        StudyRequest {
            study,
            preset,
            encoders: Vec::new(),
            levels: Vec::new(),
            seeds: if preset == Preset::Paper { 1 } else { SEEDS },
            epochs: None,
            split: None,
            category: CATEGORY.to_owned(),
        }
    }

    /// Finds what cannot be, before anything is looked at.
    pub fn check(&self) -> Result<(), PlanError> {
        match (self.seeds, self.epochs) {
            (0, _) => Err(PlanError::Request("a study needs at least one seed".to_owned())),
            (_, Some(0)) => Err(PlanError::Request("epochs is 0; train for at least one".to_owned())),
            _ => Ok(()),
        }
    }

    /// The encoders to show; those of the study if none were asked for.
    pub(super) fn encoders_or(&self, usual: &[StudyEncoder]) -> Vec<StudyEncoder> {
        if self.encoders.is_empty() { usual.to_vec() } else { self.encoders.clone() }
    }

    /// The levels to show, in the study's order.
    pub(super) fn levels_or(&self, usual: &[Setting]) -> Vec<Setting> {
        if self.levels.is_empty() { usual.to_vec() } else { self.levels.clone() }
    }

    /// The settings that every run of an encoder begins with.
    pub(super) fn settings(&self, encoder: StudyEncoder) -> Result<Settings, String> {
        let mut settings = encoder.settings(self.preset)?;
        if let Some(epochs) = self.epochs {
            settings.epochs = epochs;
        }
        Ok(settings)
    }
}

impl StudyEncoder {
    pub const ALL: [StudyEncoder; 3] = [StudyEncoder::Npt, StudyEncoder::ScratchBert, StudyEncoder::MathBert];

    pub fn name(self) -> &'static str {
        match self {
            StudyEncoder::Npt => "npt",
            StudyEncoder::ScratchBert => "scratchbert",
            StudyEncoder::MathBert => "mathbert",
        }
    }

    pub fn from_name(name: &str) -> Option<StudyEncoder> {
        StudyEncoder::ALL.into_iter().find(|encoder| encoder.name() == name)
    }

    /// As the paper writes it.
    pub fn title(self) -> &'static str {
        match self {
            StudyEncoder::Npt => "NPT",
            StudyEncoder::ScratchBert => "ScratchBERT",
            StudyEncoder::MathBert => "MathBERT",
        }
    }

    /// The preset's settings for this encoder, or why it cannot be trained.
    fn settings(self, preset: Preset) -> Result<Settings, String> {
        match self {
            StudyEncoder::Npt => Ok(preset.settings()),
            other => {
                let name = other.name();
                Err(format!(
                    "{name} needs pre-training, which studies do not start: matchbook train --encoder {name}"
                ))
            }
        }
    }
}

/// The name of a preset.
pub fn preset_name(preset: Preset) -> &'static str {
    match preset {
        Preset::Tiny => "tiny",
        Preset::Small => "small",
        Preset::Paper => "paper",
    }
}

/// The paper's four levels.
pub(super) fn four_levels() -> [Setting; 4] {
    Level::ALL.map(Setting::from)
}
