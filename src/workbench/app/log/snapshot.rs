//! The part of a session that Log owns.

use serde::{Deserialize, Serialize};

use super::{LevelFilter, Log, LogLines};

/// The section `[panes.log]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogSnapshot {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub shown: LevelFilter,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub search: String,
}

impl Log {
    pub fn snapshot(&self) -> LogSnapshot {
        LogSnapshot { run: self.run.clone(), shown: self.lines.shown(), search: self.search.clone() }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &LogSnapshot) {
        *self = Log { area: self.area, search: snapshot.search.clone(), ..Log::default() };
        if let Some(run) = &snapshot.run {
            self.open(run);
        }
        self.lines = LogLines::new(snapshot.shown);
    }
}
