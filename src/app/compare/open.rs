//! How a pair comes to Compare: from Browse, and from the pair beside it in Browse's list.

use crate::app::{
    App,
    browse::Focus,
    pane::PaneId,
    work::{Question, Slot},
};

impl App {
    /// Shows the pane; one that has no pair yet takes the one that is selected.
    pub(in crate::app) fn show_compare(&mut self) {
        match self.compare.row().or(self.compare.awaited) {
            Some(_) => self.pane = PaneId::Compare,
            None => self.compare_selected(),
        }
    }

    /// Compares the pair that is selected in Browse.
    pub(in crate::app) fn compare_selected(&mut self) {
        self.pane = PaneId::Compare;
        let (listed, read) = (self.browse.list.current(), self.browse.reader.row());
        let row = if self.browse.focus == Focus::Reader { read.or(listed) } else { listed.or(read) };
        if let Some(row) = row {
            self.compare_row(row);
        }
    }

    /// Compares the next pair of Browse's list, or the one before, and lets the list follow. A pair that is
    /// not in the list has the neighbours that it has in the corpus.
    pub(in crate::app) fn compare_neighbour(&mut self, forward: bool) {
        let Some(row) = self.compare.row() else { return self.compare_selected() };
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
        self.pane = PaneId::Compare;
        match next {
            Some(row) => self.compare_row(row),
            None if forward => self.desk.say("this is the last pair of the list"),
            None => self.desk.say("this is the first pair of the list"),
        }
    }

    fn compare_row(&mut self, row: u32) {
        match self.browse.reader.pair().filter(|pair| pair.row == row) {
            Some(pair) => {
                self.desk.slots.cancel(Slot::Compared);
                self.compare.show(Box::new(pair.clone()));
            }
            None => {
                self.desk.ask(Slot::Compared, Question::Pair { row });
            }
        }
    }
}
