//! The part of a session that Train owns.

use serde::{Deserialize, Serialize};

use super::{RunOrder, Training};

/// The section `[panes.train]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingSnapshot {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub order: RunOrder,
}

impl Training {
    pub fn snapshot(&self) -> TrainingSnapshot {
        TrainingSnapshot { run: self.run.clone(), order: self.order }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &TrainingSnapshot) {
        let (area, corpus) = (self.area, std::mem::take(&mut self.corpus));
        *self = Training {
            area,
            corpus,
            run: snapshot.run.clone(),
            awaited: snapshot.run.clone(),
            order: snapshot.order,
            ..Training::default()
        };
    }
}
