//! Opening a pair in Compare: the one selected in Browse, its neighbor in the list, or a file.

use super::{Column, Compare, PairSource, Request, Slot};
use crate::{
    symbols::{LevelName, Seed, Setting},
    workbench::app::{App, pane::PaneId, selection::Selection, work::LoadedPair},
};

impl Compare {
    pub(in crate::workbench::app) fn selection(&self) -> Selection {
        let level = self.columns.get(self.focus).map(|column| column.level);
        Selection { row: self.row(), level, ..Selection::default() }
    }

    /// Whether a pair that a session or a file has named is on its way.
    pub(in crate::workbench::app) fn is_awaiting(&self) -> bool {
        self.awaited.is_some() || self.asked_file.is_some()
    }

    /// Focuses the column of a level; without one, the last column shows it.
    pub(in crate::workbench::app) fn adopt_level(&mut self, level: Option<LevelName>) {
        let Some(level) = level else { return };
        let place = self.columns.iter().position(|column| column.level == level);
        self.focus = place.unwrap_or(self.columns.len() - 1);
        self.columns[self.focus].level = level;
    }
}

impl App {
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
            self.selection.current.row = Some(row);
            self.compare_row(row);
        }
    }

    /// Compares the next or the previous pair.
    pub(in crate::workbench::app) fn compare_neighbour(&mut self, forward: bool) {
        let Some(row) = self.compare.row() else { return self.compare_selected() };
        self.pane = PaneId::Compare;
        if let Some(row) = self.neighbour_row(row, forward) {
            self.selection.current.row = Some(row);
            self.compare_row(row);
        }
    }

    pub(in crate::workbench::app) fn compare_row(&mut self, row: u32) {
        let is_complete = |pair: &&LoadedPair| pair.row == Some(row) && pair.strangers.is_some();
        match self.browse.reader.pair().filter(is_complete) {
            Some(pair) => {
                self.host.slots.cancel(Slot::Pair);
                self.compare.show(Box::new(pair.clone()));
            }
            None => {
                self.compare.leave_typed();
                self.host.request(Request::Pair(PairSource::Row(row)));
            }
        }
    }
}
