//! What a session keeps of Train.

use serde::{Deserialize, Serialize};

use super::Training;
use crate::app::pane::Remembered;

/// Train as plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingSnapshot {}

impl Remembered for Training {
    type Snapshot = TrainingSnapshot;

    fn snapshot(&self) -> TrainingSnapshot {
        TrainingSnapshot {}
    }

    fn restore(&mut self, _snapshot: &TrainingSnapshot) {}
}
