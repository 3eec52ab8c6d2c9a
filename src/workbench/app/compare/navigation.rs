//! Opening a pair in Compare: the one selected in Browse, its neighbour in the list, or a file.

use super::{Column, PairSource, Request, Slot};
use crate::{
    symbols::{Seed, Setting},
    workbench::app::{App, pane::PaneId},
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
        if let Some(row) = self.selected_row() {
            self.compare_row(row);
        }
    }

    /// Compares the next or the previous pair.
    pub(in crate::workbench::app) fn compare_neighbour(&mut self, forward: bool) {
        let Some(row) = self.compare.row() else { return self.compare_selected() };
        self.pane = PaneId::Compare;
        if let Some(row) = self.neighbour_row(row, forward) {
            self.compare_row(row);
        }
    }

    pub(in crate::workbench::app) fn compare_row(&mut self, row: u32) {
        match self.browse.reader.pair().filter(|pair| pair.row == Some(row)) {
            Some(pair) => {
                self.host.slots.cancel(Slot::Pair);
                self.compare.show(Box::new(pair.clone()));
            }
            None => {
                self.host.request(Request::Pair(PairSource::Row(row)));
            }
        }
    }
}
