//! What a session keeps of Train.

use serde::{Deserialize, Serialize};

use super::{Order, Training};
use crate::workbench::app::pane::Remembered;

/// Train as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingSnapshot {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub order: Order,
}

impl Remembered for Training {
    type Snapshot = TrainingSnapshot;

    fn snapshot(&self) -> TrainingSnapshot {
        TrainingSnapshot { run: self.run.clone(), order: self.order }
    }

    fn restore(&mut self, snapshot: &TrainingSnapshot) {
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
