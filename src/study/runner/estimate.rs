//! How long a study takes on this machine.

use serde::Serialize;

use super::{StudyError, probe::Probes};
use crate::{
    runs::RunName,
    study::{Plan, PlannedRunState, StudyProgress},
};

/// The time that a study still takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StudyEstimate {
    pub runs: Vec<RunEstimate>,
    pub evaluations: usize,
    #[serde(rename = "at_once")]
    pub concurrency: usize,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunEstimate {
    #[serde(serialize_with = "as_text")]
    pub run: RunName,
    #[serde(flatten)]
    pub state: PlannedRunState,
    pub steps: u64,
    /// The time that the rest of it takes.
    pub seconds: f64,
}

/// Starts a run of each kind to measure its speed, and estimates the rest of the study from it.
pub fn estimate(
    plan: &Plan,
    progress: &StudyProgress,
    concurrency: usize,
) -> Result<StudyEstimate, StudyError> {
    let mut probes = Probes::new(concurrency);
    let mut runs: Vec<RunEstimate> = Vec::new();
    let mut longest = 0.0_f64;
    for (run, state) in plan.runs.iter().zip(&progress.runs) {
        let seconds = match state {
            PlannedRunState::Finished => 0.0,
            _ => probes.speed(run, run.after.map(|before| &plan.runs[before]))?.seconds(run, state.share()),
        };
        let before = run.after.and_then(|before| runs.get(before)).map_or(0.0, |before| before.seconds);
        longest = longest.max(before + seconds);
        runs.push(RunEstimate {
            run: run.name.clone(),
            state: state.clone(),
            steps: probes.steps(run)?,
            seconds,
        });
    }
    let mut seconds: f64 = runs.iter().map(|run| run.seconds).sum();
    for wanted in &progress.unevaluated {
        let run = &plan.runs[wanted.run];
        seconds += probes.speed(run, run.after.map(|before| &plan.runs[before]))?.evaluation(run);
    }
    // a run has one processor, and starts after the run whose model it starts from
    let seconds = (seconds / concurrency.max(1) as f64).max(longest);
    Ok(StudyEstimate { runs, evaluations: progress.unevaluated.len(), concurrency, seconds })
}

fn as_text<S: serde::Serializer>(name: &RunName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(name)
}
