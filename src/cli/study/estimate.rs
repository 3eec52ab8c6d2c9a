//! `matchbook study --dry-run`: the runs of a study, and how long they take on this machine.

use super::super::output::{Output, counted};
use crate::{
    base::workspace::Workspace,
    runs::Timestamp,
    study::{Plan, PlannedRunState, Results, read_progress, runner},
};

pub fn print(
    plan: &Plan,
    workspace: &Workspace,
    concurrency: usize,
    as_json: bool,
    output: &mut Output,
) -> anyhow::Result<()> {
    let progress = read_progress(plan, workspace, &mut Results::default(), Timestamp::now());
    if !progress.is_complete() {
        output.notice("timing the first steps of each kind of run on this machine ...");
    }
    let estimate = runner::estimate(plan, &progress, concurrency)?;
    if as_json {
        return output.json(&estimate);
    }
    for run in &estimate.runs {
        let rest = if run.seconds > 0.0 { duration(run.seconds) } else { String::new() };
        output.line(&format!("{:<11} {:>8} steps {rest:>10}  {}", run.state.name(), run.steps, run.run))?;
    }
    output.line(&format!(
        "{}, {} of them to train, and {}: about {} on this machine, {concurrency} at a time",
        counted(estimate.runs.len() as u64, "run"),
        estimate.runs.iter().filter(|run| run.state != PlannedRunState::Finished).count(),
        counted(estimate.evaluations as u64, "evaluation"),
        duration(estimate.seconds)
    ))
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 60.0 => format!("{seconds:.0} s"),
        seconds if seconds < 5_400.0 => format!("{:.0} min", seconds / 60.0),
        seconds if seconds < 172_800.0 => format!("{:.1} h", seconds / 3_600.0),
        seconds => format!("{:.1} days", seconds / 86_400.0),
    }
}
