//! The runs of the workspace, listed by the backend about once a second while a pane that shows them is visible.

use std::sync::Arc;

use super::{pane_host::PaneHost, work::PaneReply};
use crate::runs::{built_in, jobs::JobRow, table::RunOrder};

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// Lists all runs of the workspace; a run that has become first in its queue is started.
    List,
}

#[derive(Debug)]
pub enum Response {
    List {
        rows: Arc<Vec<JobRow>>,
        /// What keeps the queue or the runs on a cluster from advancing, when it was not reported before.
        problem: Option<String>,
    },
}

/// The runs at the last refresh.
#[derive(Debug, Default)]
pub struct RunList {
    lines: Arc<Vec<JobRow>>,
    is_known: bool,
    /// Counts the lists that have arrived.
    revision: u64,
    requested_at: Option<u64>,
}

/// Milliseconds between two refreshes.
const INTERVAL: u64 = 1000;

impl RunList {
    /// By name.
    pub fn lines(&self) -> &[JobRow] {
        &self.lines
    }

    /// Whether the first list has arrived.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// Increases with every list that arrives, so that what is computed from it can be kept until then.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn line(&self, name: &str) -> Option<&JobRow> {
        let place = self.lines.binary_search_by(|line| line.name.as_str().cmp(name)).ok()?;
        self.lines.get(place)
    }

    /// The names, from the most recently created run to the oldest: an order that does not change while runs train.
    pub fn newest_first(&self) -> Vec<String> {
        let mut lines: Vec<&JobRow> = self.lines.iter().collect();
        RunOrder::default().sort(&mut lines);
        lines.into_iter().map(|line| line.name.clone()).collect()
    }

    /// The runs to begin with: the user's own, the newest first; until there are any, the models of the demo, which tell
    /// a newcomer more than the runs of the built-in study.
    pub fn to_begin_with(&self) -> Vec<String> {
        let newest = self.newest_first();
        let is_own = |run: &&String| self.line(run).is_some_and(|line| !built_in::is_built_in(&line.path));
        let own: Vec<String> = newest.iter().filter(is_own).cloned().collect();
        let models = || newest.iter().filter(|run| built_in::is_model(run)).cloned().collect();
        let first = if own.is_empty() { models() } else { own };
        if first.is_empty() { newest } else { first }
    }
}

impl PaneHost {
    /// Requests the list when it is due.
    pub fn refresh_runs(&mut self) {
        let is_due = self.runs.requested_at.is_none_or(|then| self.now.saturating_sub(then) >= INTERVAL);
        if is_due && !self.slots.is_waiting(Slot::List) {
            self.runs.requested_at = Some(self.now);
            self.request(Request::List);
        }
    }

    /// Makes the next refresh due at once, after a run was changed.
    pub fn refresh_runs_now(&mut self) {
        self.runs.requested_at = None;
    }

    /// Takes the list from the backend.
    pub(super) fn receive_runs(&mut self, reply: PaneReply<Slot, Response>) {
        if !self.slots.close(&reply) {
            return;
        }
        self.runs.is_known = true;
        self.runs.revision += 1;
        match reply.result {
            Ok(Response::List { rows, problem }) => {
                self.runs.lines = rows;
                if let Some(problem) = problem {
                    self.report_error(problem);
                }
            }
            Err(error) => self.report_error(error),
        }
    }
}
