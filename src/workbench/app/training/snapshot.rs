//! The part of a session that Train owns.

use serde::{Deserialize, Serialize};

use super::Training;
use crate::runs::table::{RunColumn, RunOrder};

/// The section `[panes.train]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingSnapshot {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    pub order: RunOrder,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// The chosen columns; none for the usual ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

impl Training {
    pub fn snapshot(&self) -> TrainingSnapshot {
        TrainingSnapshot {
            run: self.run.clone(),
            order: self.order.clone(),
            filter: self.filter.text().to_owned(),
            columns: self.columns.iter().flatten().map(ToString::to_string).collect(),
        }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &TrainingSnapshot) {
        let (area, corpus) = (self.area, std::mem::take(&mut self.corpus));
        let columns: Vec<RunColumn> = snapshot.columns.iter().flat_map(|name| name.parse()).collect();
        *self = Training {
            area,
            corpus,
            run: snapshot.run.clone(),
            awaited: snapshot.run.clone(),
            order: snapshot.order.clone(),
            filter: snapshot.filter.parse().unwrap_or_default(),
            columns: (!columns.is_empty()).then_some(columns),
            ..Training::default()
        };
    }
}
