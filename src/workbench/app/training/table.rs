//! The list of runs: which are listed, in which order, and which one is selected.

use super::Training;
use crate::{
    runs::{jobs::JobRow, table::RunOrder},
    workbench::app::{list_cursor::offset_in_sight, pane_host::PaneHost},
};

impl Training {
    /// Lists the runs that pass the filter. Values change while runs train, but a row moves only when the user
    /// chooses an order or a filter, so that the row under the cursor stays where it is.
    pub(super) fn list_runs(&mut self, host: &PaneHost) {
        if !host.runs.is_known() {
            return;
        }
        let question = (self.order.clone(), self.filter.text().to_owned());
        let line = self.place().saturating_sub(self.offset);
        if self.listed_for.as_ref() != Some(&question) || self.listed_at != host.runs.revision() {
            self.list_again(question, host);
        }
        if let Some(awaited) = self.awaited.take_if(|run| self.listed.contains(run)) {
            self.run = Some(awaited);
        }
        if self.run.as_ref().is_none_or(|run| !self.listed.contains(run)) {
            // If the selected run is gone, the one at its position is selected.
            let place = (self.offset + line).min(self.listed.len().saturating_sub(1));
            self.run = self.listed.get(place).cloned();
        }
        let height = usize::from(self.layout().list.height);
        // The selected row keeps its line while it can.
        let offset = self.place().saturating_sub(line);
        self.offset = offset_in_sight(offset, self.place(), height, self.listed.len());
    }

    fn list_again(&mut self, question: (RunOrder, String), host: &PaneHost) {
        self.listed_at = host.runs.revision();
        let runs = host.runs.lines();
        let mut passing: Vec<&JobRow> = runs.iter().filter(|run| self.filter.accepts(run)).collect();
        if self.listed_for.as_ref() == Some(&question) {
            let is_same = passing.len() == self.listed.len()
                && self.listed.iter().all(|name| passing.binary_search_by(|run| run.name.cmp(name)).is_ok());
            if !is_same {
                self.listed.retain(|name| passing.binary_search_by(|run| run.name.cmp(name)).is_ok());
                self.order.sort(&mut passing);
                self.insert_new(&passing);
            }
        } else {
            self.order.sort(&mut passing);
            self.listed = passing.iter().map(|run| run.name.clone()).collect();
            self.listed_for = Some(question);
        }
    }

    /// Inserts the runs that are not listed yet, each after the one that precedes it in the order.
    fn insert_new(&mut self, sorted: &[&JobRow]) {
        let mut before: Option<&str> = None;
        for run in sorted {
            if !self.listed.contains(&run.name) {
                let place = before.and_then(|before| self.listed.iter().position(|name| name == before));
                self.listed.insert(place.map_or(0, |place| place + 1), run.name.clone());
            }
            before = Some(&run.name);
        }
    }
}
