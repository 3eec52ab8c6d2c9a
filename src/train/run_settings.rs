//! What both kinds of training have in common for whoever starts one: a table of settings, presets, a check, a command.

use serde::{Serialize, de::DeserializeOwned};

use super::SettingsError;
use crate::base::{fields::Fields, shell};

/// Settings that a run can be started with.
pub trait RunSettings: Fields + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned {
    /// The word of the command line: `train`, `pretrain`.
    const COMMAND: &'static str;
    type Preset: Copy + PartialEq + 'static;
    const PRESETS: &'static [Self::Preset];

    fn preset_name(preset: Self::Preset) -> &'static str;

    /// What a preset has, for the same encoder.
    fn at_preset(&self, preset: Self::Preset) -> Self;

    /// The flags that come from a preset to these settings.
    fn flags_from(&self, preset: Self::Preset) -> Vec<String>;

    /// Finds what cannot be, before anything is computed.
    fn check(&self) -> Result<(), SettingsError>;

    fn seed(&self) -> u64;

    fn with_seed(self, seed: u64) -> Self;

    /// The preset that needs the fewest flags to come to these settings.
    fn nearest(&self) -> Self::Preset {
        let distance = |preset: &Self::Preset| self.flags_from(*preset).len();
        Self::PRESETS.iter().copied().min_by_key(distance).unwrap_or(Self::PRESETS[0])
    }

    /// The command that trains with these settings: `matchbook train demo --run first --preset tiny --level full`.
    fn command(&self, corpus: &str, run: &str, preset: Self::Preset, more: &[String]) -> String {
        let head = ["matchbook", Self::COMMAND, corpus, "--run", run, "--preset", Self::preset_name(preset)];
        let words = head.into_iter().map(str::to_owned).chain(self.flags_from(preset));
        shell::join(words.chain(more.iter().cloned()))
    }
}
