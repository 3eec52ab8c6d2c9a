//! How a pair comes to Importance: from Browse, Assignments or Compare, or from the pair beside it.

use super::PairName;
use crate::workbench::app::{App, browse::Focus, pane::PaneId};

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

    /// Explains the pair that the open pane is about.
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
            None => self.desk.say("no pair of the corpus is chosen"),
        }
    }

    /// Explains the next pair of Browse's list, or the one before, and lets the list follow.
    pub(in crate::workbench::app) fn explain_neighbour(&mut self, forward: bool) {
        let Some(row) = self.importance.row() else { return self.explain_selected() };
        let step = |from: usize| if forward { from.checked_add(1) } else { from.checked_sub(1) };
        let next = match self.browse.list.place_of(row) {
            Some(place) => step(place).and_then(|place| {
                let row = self.browse.list.row(place)?;
                self.browse.list.go_to(place);
                Some(row)
            }),
            None => step(row as usize)
                .and_then(|row| u32::try_from(row).ok())
                .filter(|row| *row < self.corpus.pairs),
        };
        self.pane = PaneId::Importance;
        match next {
            Some(row) => self.importance.open(PairName::Row(row)),
            None if forward => self.desk.say("this is the last pair of the list"),
            None => self.desk.say("this is the first pair of the list"),
        }
    }

    fn selected_row(&self) -> Option<u32> {
        let (listed, read) = (self.browse.list.current(), self.browse.reader.row());
        let is_reading = matches!(self.browse.focus, Focus::Reader | Focus::Symbols);
        if is_reading { read.or(listed) } else { listed.or(read) }
    }
}
