//! When Curves sends its requests.

use super::{Curves, Request, Slot};
use crate::{
    runs::built_in,
    workbench::app::{list_cursor::offset_in_sight, pane_host::PaneHost},
};

/// Milliseconds between two plots while runs train.
const EVERY: u64 = 500;
/// The number of runs that are drawn until the user chooses.
const AT_FIRST: usize = 4;

impl Curves {
    /// Lists the runs, and draws the newest until the user chooses.
    pub(super) fn list_runs(&mut self, host: &PaneHost) {
        if !host.runs.is_known() {
            return;
        }
        if self.listed_at != Some(host.runs.revision()) {
            self.listed_at = Some(host.runs.revision());
            self.items = self.make_items(host);
            self.listed = self.items.iter().filter_map(|item| item.runs.first().cloned()).collect();
        }
        // Runs that were removed or renamed are not drawn any more. What another pane asked for may be newer than the list,
        // and stays until a list that was certainly requested later has arrived.
        let asked_at = *self.awaited_at.get_or_insert(host.runs.revision());
        if host.runs.revision() > asked_at + 1 {
            self.awaited.clear();
        }
        let awaited = std::mem::take(&mut self.awaited);
        let is_there = |run: &String| host.runs.line(run).is_some() || awaited.contains(run);
        self.shown.retain(is_there);
        self.reference.take_if(|run| !is_there(run));
        let is_gone = self.run.as_ref().is_none_or(|run| !is_there(run));
        self.awaited = awaited;
        if self.shown.is_empty() && (!self.is_chosen || self.is_restored) {
            self.shown = first_drawn(host);
        }
        self.is_restored = false;
        if is_gone {
            self.run = self.shown.first().or(self.listed.first()).cloned();
        }
        // The list has the first run of each group.
        if let Some(first) = self.run.as_deref().and_then(|run| self.item_of(run)?.runs.first().cloned()) {
            self.run = Some(first);
        }
        let height = usize::from(self.layout().list.height);
        self.offset = offset_in_sight(self.offset, self.place(), height, self.listed.len());
    }

    /// Requests a plot, and the grid, when the view has changed, and regularly while runs train.
    pub(super) fn ask_for_plot(&mut self, host: &mut PaneHost) {
        // The list shows the values of all runs at the cursor; in the grid no chart is wider than one of its own.
        let cell = if self.is_grid() { self.grid_cells().into_iter().next() } else { None };
        let width = cell.map_or(self.layout().plot.width, |cell| cell.plot.width);
        let columns = usize::from(width) * self.marker.dots().0;
        let request = self.request(columns.max(1));
        if request.runs.is_empty() {
            self.plotted = None;
            self.requested = None;
            return self.ask_for_grid(false, host);
        }
        let lines = || request.runs.iter().map(|run| host.runs.line(run));
        let heartbeats: Vec<_> = lines().map(|line| line.and_then(|line| line.heartbeat)).collect();
        let trains = lines().flatten().any(|line| line.state.is_alive());
        let is_other = self.requested.as_ref() != Some(&request);
        let is_due =
            host.now.saturating_sub(self.requested_at) >= EVERY && (trains || heartbeats != self.heartbeats);
        self.ask_for_grid(is_due, host);
        if is_other || (is_due && !host.slots.is_waiting(Slot::Plot)) {
            self.requested = Some(request.clone());
            (self.requested_at, self.heartbeats) = (host.now, heartbeats);
            let look = Box::new(self.look());
            host.request(Request::Plot { request, look });
        }
    }

    /// Requests the metrics of long runs after their summaries were drawn.
    pub(super) fn ask_for_lines(&mut self, host: &mut PaneHost) {
        let Some(plotted) = &self.plotted else { return };
        let is_new = plotted.unread.iter().any(|run| !self.read.contains(run));
        if is_new && !host.slots.is_waiting(Slot::ReadLines) {
            let runs = self.request(1).runs.to_vec();
            self.read.clone_from(&plotted.unread);
            host.request(Request::ReadLines { runs });
        }
    }
}

/// The runs that are drawn until the user chooses: those that train, else the newest that has measured something, else the
/// models of the demo.
fn first_drawn(host: &PaneHost) -> Vec<String> {
    let newest = host.runs.newest_first();
    let line = |run: &&String| host.runs.line(run);
    let alive = |run: &&String| line(run).is_some_and(|line| line.state.is_alive());
    let at_work: Vec<String> = newest.iter().filter(alive).take(AT_FIRST).cloned().collect();
    if !at_work.is_empty() {
        return at_work;
    }
    let first = host.runs.to_begin_with();
    if first.iter().all(|run| built_in::is_model(run)) {
        return first;
    }
    let measured = first.iter().find(|run| line(run).is_some_and(|line| line.step > 0));
    measured.or(first.first()).cloned().into_iter().collect()
}
