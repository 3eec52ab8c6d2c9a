//! From Find to the other panes, and from the selection of Browse to Find.

use super::Subject;
use crate::workbench::app::{App, browse::Focus, importance::PairName, pane::PaneId, selection::Selection};

/// The pairs of a corpus that is searched without being asked.
const SEARCHED_AT_ONCE: u32 = 2_000;

impl App {
    /// Searches with the statement of the pair that is selected in Browse.
    pub(in crate::workbench::app) fn find_selected(&mut self) {
        match self.selected_row() {
            Some(row) => {
                self.selection.current.row = Some(row);
                self.find.follow(row);
                self.pane = PaneId::Find;
            }
            None => self.host.notify("no pair of the corpus is selected; select one in Browse"),
        }
    }

    /// Searches with the selected pair, unless the user has searched with something else. The first search of a large
    /// corpus builds an index, which takes a while, so it is not started without being asked for.
    pub(in crate::workbench::app) fn find_selection(&mut self, selection: &Selection) {
        let Some(row) = selection.row.or_else(|| self.selected_row()) else { return };
        let is_ready = self.corpus.pairs <= SEARCHED_AT_ONCE || self.find.followed.is_some();
        if is_ready && self.find.would_follow(row) {
            self.find.follow(row);
        }
    }

    /// Shows the chosen result in Browse; a pair that Browse's filters hide is compared instead.
    pub(in crate::workbench::app) fn browse_found(&mut self) {
        let Some(row) = self.found_row() else { return };
        match self.browse.list.place_of(row) {
            Some(place) => {
                self.browse.list.go_to(place);
                self.browse.focus = Focus::List;
                self.pane = PaneId::Browse;
            }
            None => {
                self.compare_found();
                self.host.notify("Browse's filters hide this pair, so it is compared instead");
            }
        }
    }

    /// Compares the chosen result's pair.
    pub(in crate::workbench::app) fn compare_found(&mut self) {
        if let Some(row) = self.found_row() {
            self.pane = PaneId::Compare;
            self.compare_row(row);
        }
    }

    /// Explains why models match the statement that was searched with the chosen result's proof.
    pub(in crate::workbench::app) fn explain_found(&mut self) {
        let Some(row) = self.found_row() else { return };
        let pair = match &self.find.query.subject {
            Some(Subject::Typed(text)) => PairName::Typed { statement: text.clone(), row },
            Some(Subject::Row(statement)) if *statement != row => {
                PairName::Crossed { statement: *statement, row }
            }
            _ => PairName::Row(row),
        };
        self.importance.open(pair);
        self.pane = PaneId::Importance;
    }

    fn found_row(&mut self) -> Option<u32> {
        let row = self.find.chosen_result().map(|found| found.row);
        self.selection.current.row = row.or(self.selection.current.row);
        self.find.opened = row.or(self.find.opened);
        if row.is_none() {
            self.host.notify("there is no result yet; type a statement first");
        }
        row
    }
}
