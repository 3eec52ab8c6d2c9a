//! The part of a session that Assignments owns.

use serde::{Deserialize, Serialize};

use super::{Assignments, Focus, MatchSettings, StatementFilter, StatementOrder, View};

/// The section `[panes.assignments]`. The matching itself is stored in the workspace and found by its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AssignmentsSnapshot {
    /// `tfidf test mixed conservation global`
    pub inquiry: String,
    pub view: View,
    pub focus: Focus,
    pub shown: StatementFilter,
    pub order: StatementOrder,
    pub reversed: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub search: String,
    /// The name of the chosen statement's pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    pub scroll: usize,
}

impl Assignments {
    pub fn snapshot(&self) -> AssignmentsSnapshot {
        let current = self.verdict().map(|verdict| verdict.pair.clone());
        AssignmentsSnapshot {
            inquiry: self.settings.written(),
            view: self.view,
            focus: self.focus,
            shown: self.shown,
            order: self.order,
            reversed: self.is_reversed,
            search: if self.search.wanted.is_none() { self.search.text.clone() } else { String::new() },
            statement: self.awaited.as_ref().map(|(pair, _)| pair.clone()).or(current),
            scroll: self.awaited.as_ref().map_or(self.scroll, |(_, scroll)| *scroll),
        }
    }

    /// Returns to a snapshot, which may come from another version or another corpus.
    pub fn restore(&mut self, snapshot: &AssignmentsSnapshot) {
        let area = self.area;
        *self = Assignments { area, ..Assignments::default() };
        self.settings = MatchSettings::read(&snapshot.inquiry);
        (self.view, self.focus) = (snapshot.view, snapshot.focus);
        (self.shown, self.order, self.is_reversed) = (snapshot.shown, snapshot.order, snapshot.reversed);
        self.search.text.clone_from(&snapshot.search);
        self.awaited = snapshot.statement.clone().map(|pair| (pair, snapshot.scroll));
        self.scroll = snapshot.scroll;
    }
}
