//! The progress of a study, read from the run directories alone.

use std::path::Path;

use serde::Serialize;

use super::{Plan, PlanError, PlannedEvaluation, Results, StudyRequest, results::directory};
use crate::{
    base::workspace::Workspace,
    corpus::store::Store,
    runs::{Liveness, RunDirectory, RunState, Status, Timestamp},
};

/// The state of a planned run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum PlannedRunState {
    /// It does not exist yet.
    Missing,
    /// It was created and not started.
    Waiting,
    /// Some process trains it.
    Running {
        step: u64,
        of: Option<u64>,
    },
    /// It was stopped or its process is gone; it can be resumed.
    Interrupted {
        step: u64,
        of: Option<u64>,
    },
    Failed {
        cause: String,
    },
    Finished,
}

/// The state of everything that a plan needs.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyProgress {
    /// By index in [`Plan::runs`].
    pub runs: Vec<PlannedRunState>,
    /// The evaluations that are still missing.
    pub unevaluated: Vec<PlannedEvaluation>,
}

/// Something that can be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StudyTask {
    /// Start a run, or resume it.
    Train(usize),
    /// Evaluate a run that has finished.
    Evaluate(PlannedEvaluation),
}

/// Reads the states of the runs of a plan and its new evaluations.
pub fn read_progress(
    plan: &Plan,
    workspace: &Workspace,
    results: &mut Results,
    now: Timestamp,
) -> StudyProgress {
    results.forget_missing();
    let unevaluated: Vec<PlannedEvaluation> = plan
        .evaluations()
        .into_iter()
        .filter(|wanted| results.get(plan, wanted, workspace).is_none())
        .collect();
    let state = |run: usize| {
        let Some(directory) = directory(plan, run, workspace) else { return PlannedRunState::Missing };
        // A built-in run has no weights, so it cannot be evaluated in another way.
        match directory.is_built_in() && unevaluated.iter().any(|wanted| wanted.run == run) {
            true => PlannedRunState::Missing,
            false => state(&directory, now),
        }
    };
    let runs = (0..plan.runs.len()).map(state).collect();
    StudyProgress { runs, unevaluated }
}

/// More seeds than this are not looked for.
const MOST_SEEDS: u64 = 20;

/// The number of seeds of a study whose runs exist; that of the request if there are none.
pub fn trained_seeds(
    request: &StudyRequest,
    store: &Store,
    path: &Path,
    workspace: &Workspace,
) -> Result<u64, PlanError> {
    let plan = Plan::new(&StudyRequest { seeds: MOST_SEEDS, ..request.clone() }, store, path, workspace)?;
    let existing = (0..plan.runs.len()).filter(|run| directory(&plan, *run, workspace).is_some());
    let seeds = existing.filter_map(|run| plan.runs[run].training().map(|settings| settings.seed));
    Ok(seeds.max().unwrap_or(request.seeds))
}

fn state(directory: &RunDirectory, now: Timestamp) -> PlannedRunState {
    let status: Status = match directory.status() {
        Ok(status) => status,
        Err(error) => return PlannedRunState::Failed { cause: error.to_string() },
    };
    let (step, of) = (status.step, status.total_steps);
    match status.state {
        RunState::Finished => PlannedRunState::Finished,
        RunState::Failed => PlannedRunState::Failed {
            cause: status.cause.unwrap_or_else(|| "for an unknown reason".to_owned()),
        },
        RunState::Queued => PlannedRunState::Waiting,
        RunState::Stopped => PlannedRunState::Interrupted { step, of },
        RunState::Running => match status.liveness(now) {
            Liveness::Running | Liveness::Slow(_) => PlannedRunState::Running { step, of },
            _ => PlannedRunState::Interrupted { step, of },
        },
    }
}

impl StudyProgress {
    /// What can be done now. Evaluations first: they are short, and fill cells. Then pre-training runs: others wait for them.
    pub fn next(&self, plan: &Plan) -> Vec<StudyTask> {
        let ready =
            self.unevaluated.iter().filter(|wanted| self.runs[wanted.run] == PlannedRunState::Finished);
        let evaluations = ready.map(|wanted| StudyTask::Evaluate(*wanted));
        let is_due = |run: &usize| {
            let begins_with = plan.runs[*run].after.map(|before| &self.runs[before]);
            !matches!(self.runs[*run], PlannedRunState::Finished | PlannedRunState::Running { .. })
                && begins_with.is_none_or(|state| *state == PlannedRunState::Finished)
        };
        let (first, then): (Vec<usize>, Vec<usize>) =
            (0..self.runs.len()).filter(is_due).partition(|run| plan.runs[*run].is_pretraining());
        evaluations.chain(first.into_iter().chain(then).map(StudyTask::Train)).collect()
    }

    /// Whether nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.unevaluated.is_empty() && self.runs.iter().all(|state| *state == PlannedRunState::Finished)
    }

    pub fn finished(&self) -> usize {
        self.runs.iter().filter(|state| **state == PlannedRunState::Finished).count()
    }
}

impl PlannedRunState {
    /// The completed share of the steps, from 0 to 1.
    pub fn share(&self) -> f64 {
        match self {
            PlannedRunState::Finished => 1.0,
            PlannedRunState::Running { step, of: Some(of) }
            | PlannedRunState::Interrupted { step, of: Some(of) }
                if *of > 0 =>
            {
                (*step as f64 / *of as f64).min(1.0)
            }
            _ => 0.0,
        }
    }

    pub fn name(&self) -> &'static str {
        self.into()
    }
}
