//! What a session keeps of Importance.

use serde::{Deserialize, Serialize};

use super::Importance;
use crate::app::pane::Remembered;

/// Importance as plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportanceSnapshot {}

impl Remembered for Importance {
    type Snapshot = ImportanceSnapshot;

    fn snapshot(&self) -> ImportanceSnapshot {
        ImportanceSnapshot {}
    }

    fn restore(&mut self, _snapshot: &ImportanceSnapshot) {}
}
