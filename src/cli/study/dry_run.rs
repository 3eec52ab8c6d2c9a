//! What a study would do, and how long that takes on this machine.

use std::time::Duration;

use serde::Serialize;

use super::{
    super::output::{Output, counted},
    probe::Probes,
};
use crate::{
    base::{numbers::duration, workspace::Workspace},
    runs::Timestamp,
    study::{Plan, PlannedRunState, Results, look},
};

#[derive(Serialize)]
struct Line<'a> {
    run: &'a str,
    #[serde(flatten)]
    state: PlannedRunState,
    steps: u64,
    /// What is left of it.
    seconds: f64,
}

#[derive(Serialize)]
struct Estimate<'a> {
    runs: Vec<Line<'a>>,
    evaluations: usize,
    at_once: usize,
    seconds: f64,
}

pub fn print(
    plan: &Plan,
    workspace: &Workspace,
    places: usize,
    as_json: bool,
    output: &mut Output,
) -> anyhow::Result<()> {
    let mut results = Results::default();
    let standing = look(plan, workspace, &mut results, Timestamp::now());
    if !standing.is_complete() {
        output.notice("begins a run of each kind to see how fast this machine is ...");
    }
    let mut probes = Probes::new(places);
    let mut lines: Vec<Line> = Vec::new();
    let mut longest = 0.0_f64;
    for (run, state) in plan.runs.iter().zip(&standing.runs) {
        let seconds = match state {
            PlannedRunState::Finished => 0.0,
            _ => probes.speed(run, run.after.map(|before| &plan.runs[before]))?.seconds(run, state.share()),
        };
        let before = run.after.and_then(|before| lines.get(before)).map_or(0.0, |line| line.seconds);
        longest = longest.max(before + seconds);
        lines.push(Line { run: run.name.as_str(), state: state.clone(), steps: probes.steps(run)?, seconds });
    }
    let mut seconds: f64 = lines.iter().map(|line| line.seconds).sum();
    for wanted in &standing.unevaluated {
        let run = &plan.runs[wanted.run];
        seconds += probes.speed(run, run.after.map(|before| &plan.runs[before]))?.evaluation(run);
    }
    // a run has no more than one processor, and begins after the one that it begins with
    let seconds = (seconds / places.max(1) as f64).max(longest);
    let evaluations = standing.unevaluated.len();
    if as_json {
        return output.json(&Estimate { runs: lines, evaluations, at_once: places, seconds });
    }
    let shown = |seconds: f64| duration(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    for line in &lines {
        let rest = if line.seconds > 0.0 { shown(line.seconds) } else { String::new() };
        output.line(&format!(
            "{:<11} {:>8} steps {rest:>10}  {}",
            line.state.word(),
            line.steps,
            line.run
        ))?;
    }
    output.line(&format!(
        "{}, of which {} to train, and {}: about {} with {places} at a time on this machine",
        counted(lines.len() as u64, "run"),
        lines.iter().filter(|line| line.state != PlannedRunState::Finished).count(),
        counted(evaluations as u64, "evaluation"),
        shown(seconds)
    ))
}
