//! Fills the cells of a plan with numbers.

use std::sync::Arc;

use serde::Serialize;

use super::{
    CellMeasure, CellSource, Plan, PlannedEvaluation, PlannedRunState, Results, StudyEvaluation,
    StudyProgress,
    bootstrap::bootstrap,
    statistics::{Basis, Interval, mean_interval},
};
use crate::base::workspace::Workspace;

/// A plan's cells as far as they are known.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledTable {
    /// By row and column.
    pub cells: Vec<Vec<CellContent>>,
}

/// The content of a cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum CellContent {
    /// There is no such number.
    Blank,
    Missing {
        why: String,
        #[serde(skip)]
        stage: CellStage,
    },
    Value(CellValue),
}

/// The stage of a cell without a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellStage {
    /// It will never have one.
    Never,
    NotBegun,
    /// Partly done, and no process is working on the rest.
    Waits,
    /// The completed share of the steps of its runs.
    Training(f64),
    Failed,
}

/// A mean over seeds, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CellValue {
    pub mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// How many seeds it is the mean of, and how many it will be.
    pub seeds: usize,
    pub of: usize,
}

/// Bootstrap draws for the interval of a single run.
const DRAWS: usize = 2_000;

impl FilledTable {
    pub fn new(
        plan: &Plan,
        progress: &StudyProgress,
        results: &mut Results,
        workspace: &Workspace,
    ) -> FilledTable {
        let mut fill = |cell: &super::PlanCell| match &cell.source {
            CellSource::Blank => CellContent::Blank,
            CellSource::Missing(why) => CellContent::Missing { why: why.clone(), stage: CellStage::Never },
            CellSource::Evaluations(wanted) => {
                let found: Vec<Arc<StudyEvaluation>> =
                    wanted.iter().filter_map(|each| results.get(plan, each, workspace)).collect();
                shown(&found, cell.measure, wanted, (plan, progress))
            }
        };
        let cells = plan.rows.iter().map(|row| row.cells.iter().map(&mut fill).collect()).collect();
        FilledTable { cells }
    }

    /// How many cells have their number, and how many can have one.
    pub fn counts(&self) -> (usize, usize) {
        let all = || self.cells.iter().flatten().filter(|shown| !matches!(shown, CellContent::Blank));
        let done =
            all().filter(|shown| matches!(shown, CellContent::Value(value) if value.seeds == value.of));
        (done.count(), all().count())
    }
}

fn shown(
    found: &[Arc<StudyEvaluation>],
    measure: CellMeasure,
    wanted: &[PlannedEvaluation],
    (plan, progress): (&Plan, &StudyProgress),
) -> CellContent {
    let values: Vec<f64> = found.iter().filter_map(|verdicts| verdicts.value(measure)).collect();
    if values.is_empty() {
        let (stage, why) = stage(wanted, plan, progress);
        return CellContent::Missing { why, stage };
    }
    let (mean, interval) = mean_interval(&values);
    let interval = interval.or_else(|| over_pairs(found.first()?, measure));
    CellContent::Value(CellValue { mean, interval, seeds: values.len(), of: wanted.len() })
}

/// With a single run, the interval over pairs.
fn over_pairs(verdicts: &StudyEvaluation, measure: CellMeasure) -> Option<Interval> {
    let found = bootstrap(&verdicts.by_pair(measure)?, DRAWS, 1)?;
    Some(Interval { low: found.low, high: found.high, basis: Basis::Pairs })
}

/// Why a cell has no number yet: the state of its least advanced run.
fn stage(wanted: &[PlannedEvaluation], plan: &Plan, progress: &StudyProgress) -> (CellStage, String) {
    let own: Vec<&PlannedRunState> = wanted.iter().map(|each| &progress.runs[each.run]).collect();
    let befores = wanted.iter().filter_map(|each| plan.runs[each.run].after);
    let before: Vec<&PlannedRunState> = befores.map(|run| &progress.runs[run]).collect();
    for (states, what) in [(&own, "a run"), (&before, "the pre-training")] {
        let failed = states.iter().find_map(|state| match state {
            PlannedRunState::Failed { cause } => Some(cause),
            _ => None,
        });
        if let Some(cause) = failed {
            return (CellStage::Failed, format!("{what} failed: {cause}"));
        }
    }
    let has = |states: &[&PlannedRunState], sought: fn(&PlannedRunState) -> bool| {
        states.iter().any(|state| sought(state))
    };
    let is_running = |state: &PlannedRunState| matches!(state, PlannedRunState::Running { .. });
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    if has(&own, is_running) {
        let share = own.iter().map(|state| state.share()).sum::<f64>() / own.len().max(1) as f64;
        return (CellStage::Training(share), format!("training, {}", percent(share)));
    }
    if has(&own, |state| *state == PlannedRunState::Finished) {
        return (CellStage::Waits, "trained, to be evaluated".to_owned());
    }
    if has(&own, |state| matches!(state, PlannedRunState::Interrupted { .. })) {
        return (CellStage::Waits, "interrupted".to_owned());
    }
    if has(&own, |state| *state == PlannedRunState::Waiting) {
        return (CellStage::Waits, "queued".to_owned());
    }
    if let Some(running) = before.iter().find(|state| is_running(state)) {
        return (CellStage::Waits, format!("waiting for the pre-training, {}", percent(running.share())));
    }
    (CellStage::NotBegun, "not yet trained".to_owned())
}

impl CellContent {
    pub fn value(&self) -> Option<&CellValue> {
        match self {
            CellContent::Value(value) => Some(value),
            _ => None,
        }
    }
}
