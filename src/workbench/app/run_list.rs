//! The runs of the workspace, as the panes know them: told by a worker, about once a second while somebody looks.

use std::sync::Arc;

use super::{pane_host::PaneHost, work::PaneReply};
use crate::runs::jobs::JobRow;

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// Lists all runs of the workspace; a run that has become first in its queue is started.
    List,
}

#[derive(Debug)]
pub enum Response {
    List(Arc<Vec<JobRow>>),
}

/// All runs as they were last seen.
#[derive(Debug, Default)]
pub struct RunList {
    lines: Arc<Vec<JobRow>>,
    is_known: bool,
    asked_at: Option<u64>,
}

/// Milliseconds between two looks.
const EVERY: u64 = 1000;

impl RunList {
    /// By name.
    pub fn lines(&self) -> &[JobRow] {
        &self.lines
    }

    /// Whether anybody has looked yet.
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    pub fn line(&self, name: &str) -> Option<&JobRow> {
        let place = self.lines.binary_search_by(|line| line.name.as_str().cmp(name)).ok()?;
        self.lines.get(place)
    }

    /// The names: those at work first, then the last heard of first.
    pub fn newest_first(&self) -> Vec<String> {
        let mut lines: Vec<&JobRow> = self.lines.iter().collect();
        // The sort is stable, so those of the same moment stay in the order of their names.
        lines.sort_by_key(|line| (!line.state.is_alive(), std::cmp::Reverse(line.heartbeat)));
        lines.into_iter().map(|line| line.name.clone()).collect()
    }
}

impl PaneHost {
    /// Has the runs looked at, when it is time.
    pub fn refresh_runs(&mut self) {
        let is_due = self.runs.asked_at.is_none_or(|then| self.now.saturating_sub(then) >= EVERY);
        if is_due && !self.slots.is_waiting(Slot::List) {
            self.runs.asked_at = Some(self.now);
            self.request(Request::List);
        }
    }

    /// Something was done to a run, so the next look is now.
    pub fn refresh_runs_now(&mut self) {
        self.runs.asked_at = None;
    }

    /// Takes what a worker has seen.
    pub(super) fn receive_runs(&mut self, reply: PaneReply<Slot, Response>) {
        if !self.slots.close(&reply) {
            return;
        }
        self.runs.is_known = true;
        match reply.result {
            Ok(Response::List(lines)) => self.runs.lines = lines,
            Err(error) => self.report_error(error),
        }
    }
}
