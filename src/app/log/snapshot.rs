//! What a session keeps of Log.

use serde::{Deserialize, Serialize};

use super::Log;
use crate::app::pane::Remembered;

/// Log as plain data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogSnapshot {}

impl Remembered for Log {
    type Snapshot = LogSnapshot;

    fn snapshot(&self) -> LogSnapshot {
        LogSnapshot {}
    }

    fn restore(&mut self, _snapshot: &LogSnapshot) {}
}
