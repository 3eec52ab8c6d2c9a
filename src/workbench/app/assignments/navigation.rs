//! Opening the selected statement's pair in Browse or Compare.

use super::Assignments;
use crate::workbench::app::{App, browse::Focus, pane::PaneId};

impl Assignments {
    /// The row of the chosen statement's pair.
    pub fn row(&self) -> Option<u32> {
        self.verdict().map(|verdict| verdict.row)
    }
}

impl App {
    /// Shows the chosen statement's pair in Browse; one that Browse's filters hide is compared instead.
    pub(in crate::workbench::app) fn browse_matched(&mut self) {
        let Some(row) = self.assignments.row() else { return };
        match self.browse.list.place_of(row) {
            Some(place) => {
                self.browse.list.go_to(place);
                self.browse.focus = Focus::List;
                self.pane = PaneId::Browse;
            }
            None => {
                self.compare_matched();
                self.host.notify("Browse's filters hide this pair, so it is compared instead");
            }
        }
    }

    /// Compares the chosen statement's pair.
    pub(in crate::workbench::app) fn compare_matched(&mut self) {
        match self.assignments.row() {
            Some(row) => {
                self.pane = PaneId::Compare;
                self.compare_row(row);
            }
            None => self.host.notify("no statement is chosen"),
        }
    }
}
