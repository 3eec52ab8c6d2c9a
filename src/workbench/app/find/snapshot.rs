//! The part of a session that Find owns.

use serde::{Deserialize, Serialize};

use super::{Find, FindQuery, Subject};

/// The section `[panes.find]`. Results are searched again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FindSnapshot {
    /// The typed statement.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub statement: String,
    #[serde(flatten)]
    pub query: FindQuery,
}

impl FindSnapshot {
    /// Whether there is nothing to keep, as in sessions of versions without the pane.
    pub fn is_default(&self) -> bool {
        *self == FindSnapshot::default()
    }
}

impl Find {
    pub fn snapshot(&self) -> FindSnapshot {
        let statement = match &self.query.subject {
            Some(Subject::Typed(text)) => text.clone(),
            _ => String::new(),
        };
        FindSnapshot { statement, query: FindQuery { subject: None, ..self.query.clone() } }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &FindSnapshot) {
        let typed = Some(snapshot.statement.clone()).filter(|text| !text.is_empty());
        let query = FindQuery { subject: typed.map(Subject::Typed), ..snapshot.query.clone() };
        *self = Find { area: self.area, query, ..Find::default() };
    }
}
