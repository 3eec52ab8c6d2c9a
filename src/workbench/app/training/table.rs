//! The list of runs: its order and the selected run.

use serde::{Deserialize, Serialize};

use super::Training;
use crate::{
    runs::jobs::JobRow,
    workbench::app::{list_cursor::offset_in_sight, pane_host::PaneHost},
};

/// The order of the runs.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
pub enum RunOrder {
    /// Running ones first, then by their last heartbeat.
    #[default]
    #[strum(to_string = "newest first")]
    Newest,
    #[strum(to_string = "by name")]
    Name,
    /// The best mean reciprocal rank first.
    #[strum(to_string = "best first")]
    Score,
}

impl Training {
    pub(super) fn list_runs(&mut self, host: &PaneHost) {
        if !host.runs.is_known() {
            return;
        }
        self.listed = match self.order {
            RunOrder::Newest => host.runs.newest_first(),
            RunOrder::Name => host.runs.lines().iter().map(|line| line.name.clone()).collect(),
            RunOrder::Score => by_score(host.runs.lines()),
        };
        if let Some(awaited) = self.awaited.take_if(|run| self.listed.contains(run)) {
            self.run = Some(awaited);
        }
        if self.run.as_ref().is_none_or(|run| !self.listed.contains(run)) {
            // If the selected run is gone, the one at its position is selected.
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
