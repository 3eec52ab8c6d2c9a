//! What a session keeps of Log.

use serde::{Deserialize, Serialize};

use super::{Log, LogLines, Shown};
use crate::workbench::app::pane::Remembered;

/// Log as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogSnapshot {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub shown: Shown,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub search: String,
}

impl Remembered for Log {
    type Snapshot = LogSnapshot;

    fn snapshot(&self) -> LogSnapshot {
        LogSnapshot { run: self.run.clone(), shown: self.lines.shown(), search: self.search.clone() }
    }

    fn restore(&mut self, snapshot: &LogSnapshot) {
        *self = Log { area: self.area, search: snapshot.search.clone(), ..Log::default() };
        if let Some(run) = &snapshot.run {
            self.open(run);
        }
        self.lines = LogLines::new(snapshot.shown);
    }
}
