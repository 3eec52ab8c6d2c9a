//! What a session keeps of Studies.

use serde::{Deserialize, Serialize};

use super::Studies;
use crate::{
    app::pane::Remembered,
    study::{Preset, Study},
};

/// Studies as plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudiesSnapshot {
    pub study: String,
    pub preset: Preset,
    pub row: u32,
    pub column: u32,
    pub differences: bool,
}

impl Remembered for Studies {
    type Snapshot = StudiesSnapshot;

    fn snapshot(&self) -> StudiesSnapshot {
        let place = |place: usize| u32::try_from(place).unwrap_or_default();
        StudiesSnapshot {
            study: self.study.name().to_owned(),
            preset: self.preset,
            row: place(self.row),
            column: place(self.column),
            differences: self.shows_differences,
        }
    }

    fn restore(&mut self, snapshot: &StudiesSnapshot) {
        self.study = Study::from_name(&snapshot.study).unwrap_or_default();
        self.preset = snapshot.preset;
        (self.row, self.column) = (snapshot.row as usize, snapshot.column as usize);
        self.shows_differences = snapshot.differences;
    }
}
