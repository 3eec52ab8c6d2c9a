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
            row: place(self.row),
            column: place(self.column),
            differences: self.shows_differences,
        }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &StudiesSnapshot) {
        self.study = snapshot.study.parse().unwrap_or_default();
        self.preset = snapshot.preset.parse().unwrap_or(Preset::Tiny);
        (self.row, self.column) = (snapshot.row as usize, snapshot.column as usize);
        self.shows_differences = snapshot.differences;
    }
}
