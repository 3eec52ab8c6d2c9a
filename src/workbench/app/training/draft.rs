//! The settings of a form: a training run or a pre-training run, with its preset. Both are tables of settings.

use serde::de::DeserializeOwned;

use crate::{
    base::fields::{FieldInfo, Fields, flags},
    corpus::{CorpusReference, split::Scheme},
    runs::RunConfig,
    runs::jobs::{JobRow, RunKind},
    train::{
        Encoder, Load, Preset, RunSettings, TrainSettings,
        pretrain::{PretrainPreset, PretrainSettings},
    },
};

/// Settings being edited.
#[derive(Clone, Debug, PartialEq)]
pub enum Draft {
    Train { settings: Box<TrainSettings>, preset: Preset },
    Pretrain { settings: Box<PretrainSettings>, preset: PretrainPreset },
}

/// Calls the same code for both kinds.
macro_rules! each {
    ($draft:expr, $settings:ident, $preset:ident => $body:expr) => {
        match $draft {
            Draft::Train { settings: $settings, preset: $preset } => $body,
            Draft::Pretrain { settings: $settings, preset: $preset } => $body,
        }
    };
}

impl Default for Draft {
    /// The preset that finishes first.
    fn default() -> Draft {
        let settings = Preset::Tiny.settings_for(Encoder::default());
        Draft::Train { settings: Box::new(settings), preset: Preset::Tiny }
    }
}

impl Draft {
    /// The preset that suits a corpus: small models for corpora that large ones would merely memorize.
    pub fn fitting(pairs: u32) -> Draft {
        let preset = match pairs {
            0..2_000 => Preset::Tiny,
            2_000..50_000 => Preset::Small,
            _ => Preset::Paper,
        };
        Draft::Train { settings: Box::new(preset.settings_for(Encoder::default())), preset }
    }

    /// The settings and the corpus of a run.
    pub fn of(line: &JobRow) -> Result<(Draft, CorpusReference), String> {
        let config =
            line.config.as_ref().ok_or_else(|| format!("the settings of {} cannot be read", line.name))?;
        let problem = |error: String| format!("the settings of {}: {error}", line.name);
        let draft = match RunKind::of(config) {
            RunKind::Train => {
                let settings: TrainSettings = read(config).map_err(problem)?;
                let preset = settings.nearest();
                Draft::Train { settings: Box::new(settings), preset }
            }
            RunKind::Pretrain => {
                let settings: PretrainSettings = read(config).map_err(problem)?;
                let preset = settings.nearest();
                Draft::Pretrain { settings: Box::new(settings), preset }
            }
        };
        Ok((draft, config.corpus.clone()))
    }

    /// The other kind of training.
    pub fn other(&self) -> Draft {
        match self {
            Draft::Train { .. } => {
                let preset = PretrainPreset::Tiny;
                Draft::Pretrain { settings: Box::new(preset.settings()), preset }
            }
            Draft::Pretrain { .. } => Draft::default(),
        }
    }

    pub fn work(&self) -> RunKind {
        match self {
            Draft::Train { .. } => RunKind::Train,
            Draft::Pretrain { .. } => RunKind::Pretrain,
        }
    }

    /// The settings, if it is a training run.
    pub fn training(&self) -> Option<&TrainSettings> {
        match self {
            Draft::Train { settings, .. } => Some(settings),
            Draft::Pretrain { .. } => None,
        }
    }

    pub fn training_mut(&mut self) -> Option<&mut TrainSettings> {
        match self {
            Draft::Train { settings, .. } => Some(settings),
            Draft::Pretrain { .. } => None,
        }
    }

    /// The rows that are relevant with the other values as they are.
    pub fn rows(&self) -> Vec<usize> {
        each!(self, settings, _preset => rows_of(&**settings))
    }

    pub fn about(&self, row: usize) -> FieldInfo {
        match self {
            Draft::Train { .. } => TrainSettings::FIELDS[row].info(),
            Draft::Pretrain { .. } => PretrainSettings::FIELDS[row].info(),
        }
    }

    pub fn get(&self, row: usize) -> String {
        each!(self, settings, _preset => get(&**settings, row))
    }

    pub fn set(&mut self, row: usize, text: &str) -> Result<(), String> {
        if let Draft::Train { settings, preset } = self
            && let Some(encoder) = text.parse().ok().filter(|_| TrainSettings::FIELDS[row].flag == "encoder")
        {
            // The presets of two encoders may be equal, so the chosen preset counts and not the nearest.
            **settings = settings.with_encoder(encoder, *preset);
            return Ok(());
        }
        each!(self, settings, _preset => set(&mut **settings, row, text))
    }

    /// Why the settings are invalid, except for a folder that was not read yet.
    pub fn problem(&self) -> Option<String> {
        let checked = match self {
            Draft::Train { settings, .. } if settings.is_unseen() && settings.init.is_some() => {
                let mut seen = settings.clone();
                seen.begin_with(PretrainPreset::Base.settings().shape);
                seen.check()
            }
            Draft::Train { settings, .. } => settings.check(),
            Draft::Pretrain { settings, .. } => settings.check(),
        };
        checked.err().map(|error| error.0)
    }

    /// `tiny`, or `tiny with changes`.
    pub fn preset(&self) -> String {
        each!(self, settings, preset => preset_words(&**settings, *preset))
    }

    /// Whether a row differs from the preset.
    pub fn is_changed(&self, row: usize) -> bool {
        each!(self, settings, preset => self.get(row) != get(&settings.at_preset(*preset), row))
    }

    /// Changes to the next or the previous preset; the seed stays.
    pub fn change_preset(&mut self, by: isize) {
        each!(self, settings, preset => change_preset(&mut **settings, preset, by));
    }

    /// The equivalent command.
    pub fn command(&self, corpus: &str, run: &str, more: &[String]) -> String {
        each!(self, settings, preset => settings.command(corpus, run, *preset, more))
    }

    /// The flags that turn another draft into this one; none if their kinds differ.
    pub fn flags_from(&self, other: &Draft) -> Option<Vec<String>> {
        match (other, self) {
            (Draft::Train { settings: from, .. }, Draft::Train { settings: to, .. }) => {
                Some(flags(&**from, &**to))
            }
            (Draft::Pretrain { settings: from, .. }, Draft::Pretrain { settings: to, .. }) => {
                Some(flags(&**from, &**to))
            }
            _ => None,
        }
    }

    pub fn load(&self) -> Load {
        match self {
            Draft::Train { settings, .. } => Load::from(&**settings),
            Draft::Pretrain { settings, .. } => Load::from(&**settings),
        }
    }

    /// The split, and its seed.
    pub fn split(&self) -> (Scheme, Option<u64>) {
        each!(self, settings, _preset => (settings.split, settings.split_seed))
    }

    pub fn seed(&self) -> u64 {
        each!(self, settings, _preset => settings.seed())
    }
}

fn read<S: RunSettings + DeserializeOwned>(config: &RunConfig) -> Result<S, String> {
    let settings = S::deserialize(config.settings.clone()).map_err(|error| error.message().to_owned())?;
    Ok(settings.with_seed(config.seed))
}

fn rows_of<S: Fields>(settings: &S) -> Vec<usize> {
    let rows = S::FIELDS.iter().enumerate();
    rows.filter(|(_, field)| (field.applies)(settings)).map(|(row, _)| row).collect()
}

fn get<S: Fields>(settings: &S, row: usize) -> String {
    S::FIELDS[row].get(settings)
}

fn set<S: Fields>(settings: &mut S, row: usize, text: &str) -> Result<(), String> {
    S::FIELDS[row].set(settings, text)
}

fn preset_words<S: RunSettings>(settings: &S, preset: S::Preset) -> String {
    let name = preset.to_string();
    match flags(&settings.at_preset(preset), settings).is_empty() {
        true => name,
        false => format!("{name} with changes"),
    }
}

fn change_preset<S: RunSettings>(settings: &mut S, preset: &mut S::Preset, by: isize) {
    let place = S::PRESETS.iter().position(|each| *each == *preset).unwrap_or_default() as isize;
    *preset = S::PRESETS[(place + by).rem_euclid(S::PRESETS.len() as isize) as usize];
    *settings = settings.at_preset(*preset).with_seed(settings.seed());
}
