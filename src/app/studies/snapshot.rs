//! What a session keeps of Studies.

use serde::{Deserialize, Serialize};

use super::Studies;
use crate::app::pane::Remembered;

/// Studies as plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StudiesSnapshot {}

impl Remembered for Studies {
    type Snapshot = StudiesSnapshot;

    fn snapshot(&self) -> StudiesSnapshot {
        StudiesSnapshot {}
    }

    fn restore(&mut self, _snapshot: &StudiesSnapshot) {}
}
