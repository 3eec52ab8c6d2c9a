//! When Curves sends its requests.

use super::{Curves, Request, Slot};
use crate::workbench::app::{list_cursor::offset_in_sight, pane_host::PaneHost};

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
        self.listed = host.runs.newest_first();
        if !self.is_chosen && self.shown.is_empty() {
            let alive = |run: &&String| host.runs.line(run).is_some_and(|line| line.state.is_alive());
            let at_work: Vec<String> = self.listed.iter().filter(alive).take(AT_FIRST).cloned().collect();
            self.shown =
                if at_work.is_empty() { self.listed.iter().take(1).cloned().collect() } else { at_work };
        }
        // Runs that were removed or renamed are not drawn any more.
        let is_there = |run: &String| host.runs.line(run).is_some();
        self.shown.retain(is_there);
        self.reference.take_if(|run| !is_there(run));
        if self.run.as_ref().is_none_or(|run| !is_there(run)) {
            self.run = self.shown.first().or(self.listed.first()).cloned();
        }
        let height = usize::from(self.layout().list.height);
        self.offset = offset_in_sight(self.offset, self.place(), height, self.listed.len());
    }

    /// Requests a plot when the view has changed, and regularly while runs train.
    pub(super) fn ask_for_plot(&mut self, host: &mut PaneHost) {
        let columns = usize::from(self.layout().plot.width) * self.marker.dots().0;
        let request = self.request(columns.max(1));
        if request.runs.is_empty() {
            self.plotted = None;
            self.requested = None;
            return;
        }
        let lines = || request.runs.iter().map(|run| host.runs.line(run));
        let heartbeats: Vec<_> = lines().map(|line| line.and_then(|line| line.heartbeat)).collect();
        let trains = lines().flatten().any(|line| line.state.is_alive());
        let is_other = self.requested.as_ref() != Some(&request);
        let is_due =
            host.now.saturating_sub(self.requested_at) >= EVERY && (trains || heartbeats != self.heartbeats);
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
            let runs = plotted.plot.curves.iter().map(|curve| curve.run.clone()).collect();
            self.read.clone_from(&plotted.unread);
            host.request(Request::ReadLines { runs });
        }
    }
}
