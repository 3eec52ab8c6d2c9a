//! How a pair gets to Importance: from Browse, Assignments or Compare, or as the neighbour of the pair shown.

use super::PairName;
use crate::workbench::app::{App, pane::PaneId};

impl App {
    /// Shows the pane; one that has no pair yet takes the one that is selected in Browse.
    pub(in crate::workbench::app) fn show_importance(&mut self) {
        if self.importance.pair.is_none()
            && let Some(row) = self.selected_row()
        {
            self.importance.open(PairName::Row(row));
        }
        self.pane = PaneId::Importance;
    }

    /// Explains the pair that is selected in the open pane.
    pub(in crate::workbench::app) fn explain_selected(&mut self) {
        let row = match self.pane {
            PaneId::Assignments => self.assignments.row(),
            PaneId::Compare => self.compare.row(),
            _ => self.selected_row(),
        };
        match row {
            Some(row) => {
                self.importance.open(PairName::Row(row));
                self.pane = PaneId::Importance;
            }
            None => self.host.notify("no pair of the corpus is chosen"),
        }
    }

    /// Explains the next or the previous pair.
    pub(in crate::workbench::app) fn explain_neighbour(&mut self, forward: bool) {
        let Some(row) = self.importance.row() else { return self.explain_selected() };
        self.pane = PaneId::Importance;
        if let Some(row) = self.neighbour_row(row, forward) {
            self.importance.open(PairName::Row(row));
        }
    }
}
