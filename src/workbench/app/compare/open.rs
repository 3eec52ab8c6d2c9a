//! How a pair comes to Compare: from Browse, from the pair beside it in Browse's list, or from a file.

use super::{Column, PairSource, Request, Slot};
use crate::{
    symbols::{Seed, Setting},
    workbench::app::{App, browse::Focus, pane::PaneId},
};

impl App {
    /// Shows the pane; one that has no pair yet takes the one that is selected.
    pub(in crate::workbench::app) fn show_compare(&mut self) {
        match self.compare.pair().is_some() || self.compare.awaited.is_some() {
            true => self.pane = PaneId::Compare,
            false => self.compare_selected(),
        }
    }

    /// Opens a file as a pair from the start on, beside a level if one is given; to be called before [`App::start`].
    pub fn compare_file(&mut self, path: &str, column: Option<(Setting, Seed)>) {
        self.pane = PaneId::Compare;
        self.compare.asked_file = Some(path.to_owned());
        self.compare.awaited = None;
        if let (Some((setting, seed)), Some(second)) = (column, self.compare.columns.get_mut(1)) {
            *second = Column::new(setting, seed);
        }
    }

    /// Compares the pair that is selected in Browse.
    pub(in crate::workbench::app) fn compare_selected(&mut self) {
        self.pane = PaneId::Compare;
        let (listed, read) = (self.browse.list.current(), self.browse.reader.row());
        let is_reading = matches!(self.browse.focus, Focus::Reader | Focus::Symbols);
        let row = if is_reading { read.or(listed) } else { listed.or(read) };
        if let Some(row) = row {
            self.compare_row(row);
        }
    }

    /// Compares the next pair of Browse's list, or the one before, and lets the list follow. A pair that is
    /// not in the list has the neighbours that it has in the corpus.
    pub(in crate::workbench::app) fn compare_neighbour(&mut self, forward: bool) {
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

    pub(in crate::workbench::app) fn compare_row(&mut self, row: u32) {
        match self.browse.reader.pair().filter(|pair| pair.row == Some(row)) {
            Some(pair) => {
                self.desk.slots.cancel(Slot::Pair);
                self.compare.show(Box::new(pair.clone()));
            }
            None => {
                self.desk.request(Request::Pair(PairSource::Row(row)));
            }
        }
    }
}
