//! The part of a session that Studies owns.

use serde::{Deserialize, Serialize};

use super::Studies;
use crate::study::Preset;

/// The section `[panes.studies]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudiesSnapshot {
    pub study: String,
    pub preset: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encoders: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    pub row: u32,
    pub column: u32,
    pub differences: bool,
}

impl Studies {
    pub fn snapshot(&self) -> StudiesSnapshot {
        let place = |place: usize| u32::try_from(place).unwrap_or_default();
        StudiesSnapshot {
            study: self.study.name().to_owned(),
            preset: self.preset.to_string(),
            seeds: self.seeds,
            encoders: self.encoders.iter().map(|encoder| encoder.name().to_owned()).collect(),
            levels: self.levels.iter().map(ToString::to_string).collect(),
            row: place(self.row),
            column: place(self.column),
            differences: self.shows_differences,
        }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &StudiesSnapshot) {
        self.study = snapshot.study.parse().unwrap_or_default();
        self.preset = snapshot.preset.parse().unwrap_or(Preset::Tiny);
        self.seeds = snapshot.seeds.filter(|seeds| (1..=100).contains(seeds));
        self.encoders = snapshot.encoders.iter().filter_map(|name| name.parse().ok()).collect();
        self.levels = snapshot.levels.iter().filter_map(|level| level.parse().ok()).collect();
        (self.row, self.column) = (snapshot.row as usize, snapshot.column as usize);
        self.shows_differences = snapshot.differences;
    }
}
