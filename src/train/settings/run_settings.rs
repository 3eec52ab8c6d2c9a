//! What training and pre-training have in common for the code that starts them: a table of settings, presets, a check, and a
//! command line.

use serde::{Serialize, de::DeserializeOwned};

use super::SettingsError;
use crate::base::{fields::Fields, shell};

/// Settings that a run can be started with.
pub trait RunSettings: Fields + PartialEq + std::fmt::Debug + Serialize + DeserializeOwned {
    /// The name of the command: `train`, `pretrain`.
    const COMMAND: &'static str;
    type Preset: Copy + PartialEq + std::fmt::Display + 'static;
    const PRESETS: &'static [Self::Preset];

    /// Returns the settings of a preset for the same encoder.
    fn at_preset(&self, preset: Self::Preset) -> Self;

    /// Returns the flags that turn a preset into these settings.
    fn flags_from(&self, preset: Self::Preset) -> Vec<String>;

    /// Checks ranges and combinations of settings before anything is computed.
    fn check(&self) -> Result<(), SettingsError>;

    fn seed(&self) -> u64;

    fn with_seed(self, seed: u64) -> Self;

    /// Returns the preset that needs the fewest flags to become these settings.
    fn nearest(&self) -> Self::Preset {
        let distance = |preset: &Self::Preset| self.flags_from(*preset).len();
        Self::PRESETS.iter().copied().min_by_key(distance).unwrap_or(Self::PRESETS[0])
    }

    /// Returns the command that trains with these settings: `matchbook train demo --run first --preset tiny --level full`.
    fn command(&self, corpus: &str, run: &str, preset: Self::Preset, more: &[String]) -> String {
        let preset_name = preset.to_string();
        let head = ["matchbook", Self::COMMAND, corpus, "--run", run, "--preset", &preset_name];
        let words = head.into_iter().map(str::to_owned).chain(self.flags_from(preset));
        shell::join(words.chain(more.iter().cloned()))
    }
}
