//! The list of runs: its order and the chosen one.

use serde::{Deserialize, Serialize};

use super::Training;
use crate::{
    runs::jobs::JobRow,
    workbench::app::{list_cursor::offset_in_sight, pane_host::PaneHost},
};

/// How the runs are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// At work first, then the last heard of.
    #[default]
    Newest,
    Name,
    /// The best mean reciprocal rank first.
    Score,
}

impl Order {
    pub const ALL: [Order; 3] = [Order::Newest, Order::Name, Order::Score];

    pub fn words(self) -> &'static str {
        match self {
            Order::Newest => "newest first",
            Order::Name => "by name",
            Order::Score => "best first",
        }
    }
}

impl Training {
    pub(super) fn list_runs(&mut self, host: &PaneHost) {
        if !host.runs.is_known() {
            return;
        }
        self.listed = match self.order {
            Order::Newest => host.runs.newest_first(),
            Order::Name => host.runs.lines().iter().map(|line| line.name.clone()).collect(),
            Order::Score => by_score(host.runs.lines()),
        };
        if let Some(awaited) = self.awaited.take_if(|run| self.listed.contains(run)) {
            self.run = Some(awaited);
        }
        if self.run.as_ref().is_none_or(|run| !self.listed.contains(run)) {
            // A run that is gone leaves its place to the one that stands there now.
            let place = self.offset.min(self.listed.len().saturating_sub(1));
            self.run = self.listed.get(place).cloned();
        }
        let height = usize::from(self.layout().list.height);
        self.offset = offset_in_sight(self.offset, self.place(), height, self.listed.len());
    }
}

fn by_score(lines: &[JobRow]) -> Vec<String> {
    let score = |line: &JobRow| line.latest.best_mrr.or(line.latest.mrr).unwrap_or(f64::NEG_INFINITY);
    let mut lines: Vec<&JobRow> = lines.iter().collect();
    lines.sort_by(|one, other| score(other).total_cmp(&score(one)).then_with(|| one.name.cmp(&other.name)));
    lines.into_iter().map(|line| line.name.clone()).collect()
}
