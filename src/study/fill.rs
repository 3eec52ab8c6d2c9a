//! Cells with their numbers.

use std::sync::Arc;

use serde::Serialize;

use super::{
    Measure, Plan, Results, RunState, Source, Standing, Verdicts, Wanted,
    bootstrap::bootstrap,
    statistics::{Basis, Interval, mean_interval},
};
use crate::workspace::Workspace;

/// A plan's cells as far as they are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// By row and column.
    pub cells: Vec<Vec<Shown>>,
}

/// What a cell shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Shown {
    /// There is no such number.
    Blank,
    Missing {
        why: String,
    },
    Value(Value),
}

/// A mean over seeds, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Value {
    pub mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
    /// How many seeds it is the mean of, and how many it will be.
    pub seeds: usize,
    pub of: usize,
}

/// Draws for the interval of a single run.
const DRAWS: usize = 2_000;

impl Filled {
    pub fn new(plan: &Plan, standing: &Standing, results: &mut Results, workspace: &Workspace) -> Filled {
        let mut fill = |cell: &super::Cell| match &cell.source {
            Source::Blank => Shown::Blank,
            Source::Missing(why) => Shown::Missing { why: why.clone() },
            Source::Evaluations(wanted) => {
                let found: Vec<Arc<Verdicts>> =
                    wanted.iter().filter_map(|each| results.get(plan, each, workspace)).collect();
                shown(&found, cell.measure, wanted, standing)
            }
        };
        let cells = plan.rows.iter().map(|row| row.cells.iter().map(&mut fill).collect()).collect();
        Filled { cells }
    }

    /// How many cells have their number, and how many could.
    pub fn counts(&self) -> (usize, usize) {
        let all = || self.cells.iter().flatten().filter(|shown| !matches!(shown, Shown::Blank));
        let done = all().filter(|shown| matches!(shown, Shown::Value(value) if value.seeds == value.of));
        (done.count(), all().count())
    }
}

fn shown(found: &[Arc<Verdicts>], measure: Measure, wanted: &[Wanted], standing: &Standing) -> Shown {
    let values: Vec<f64> = found.iter().filter_map(|verdicts| verdicts.value(measure)).collect();
    if values.is_empty() {
        return Shown::Missing { why: why(wanted, standing) };
    }
    let (mean, interval) = mean_interval(&values);
    let interval = interval.or_else(|| over_pairs(found.first()?, measure));
    Shown::Value(Value { mean, interval, seeds: values.len(), of: wanted.len() })
}

/// With one run, what other pairs would say.
fn over_pairs(verdicts: &Verdicts, measure: Measure) -> Option<Interval> {
    let found = bootstrap(&verdicts.by_pair(measure)?, DRAWS, 1)?;
    Some(Interval { low: found.low, high: found.high, basis: Basis::Pairs })
}

/// Why a cell has no number yet: the state of the run that is farthest from it.
fn why(wanted: &[Wanted], standing: &Standing) -> String {
    let states: Vec<&RunState> = wanted.iter().map(|each| &standing.runs[each.run]).collect();
    for state in &states {
        if let RunState::Failed { cause } = state {
            return format!("a run failed: {cause}");
        }
    }
    let has = |sought: fn(&RunState) -> bool| states.iter().any(|state| sought(state));
    if has(|state| matches!(state, RunState::Running { .. })) {
        let share = states.iter().map(|state| state.share()).fold(0.0, f64::max);
        return format!("training, {:.0} %", 100.0 * share);
    }
    if has(|state| *state == RunState::Finished) {
        return "trained, to be evaluated".to_owned();
    }
    if has(|state| matches!(state, RunState::Interrupted { .. })) {
        return "interrupted".to_owned();
    }
    "not yet trained".to_owned()
}

impl Shown {
    pub fn value(&self) -> Option<&Value> {
        match self {
            Shown::Value(value) => Some(value),
            _ => None,
        }
    }
}
