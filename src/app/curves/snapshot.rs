//! What a session keeps of Curves.

use serde::{Deserialize, Serialize};

use super::Curves;
use crate::app::pane::Remembered;

/// Curves as plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurvesSnapshot {}

impl Remembered for Curves {
    type Snapshot = CurvesSnapshot;

    fn snapshot(&self) -> CurvesSnapshot {
        CurvesSnapshot {}
    }

    fn restore(&mut self, _snapshot: &CurvesSnapshot) {}
}
