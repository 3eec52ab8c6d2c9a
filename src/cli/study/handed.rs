//! Runs that are given to this machine's queue or to a cluster, which goes on with them when this command is gone.

use super::runner::On;
use crate::{
    base::workspace::Workspace,
    runs::RunName,
    runs::jobs::{JobError, JobState, Jobs, LaunchTarget, RunKind, RunRequest},
    study::{PlannedRun, PlannedRunState},
};

pub struct Handed {
    jobs: Jobs,
    place: LaunchTarget,
}

impl Handed {
    /// None when runs are trained by processes of the command.
    pub fn new(workspace: &Workspace, on: On) -> Option<Handed> {
        let jobs = Jobs::new(workspace);
        let place = match on {
            On::Local => return None,
            On::Queue => LaunchTarget::Queue,
            On::Slurm => LaunchTarget::Slurm(jobs.settings().slurm.clone()),
        };
        Some(Handed { jobs, place })
    }

    /// What is wrong with the user's settings of queues and clusters.
    pub fn problems(&self) -> &[String] {
        self.jobs.problems()
    }

    /// Hands runs over. New ones go together: on a cluster they are the tasks of one array.
    pub fn take(&self, runs: &[(&PlannedRun, &PlannedRunState)]) -> anyhow::Result<()> {
        let (new, resting): (Vec<_>, Vec<_>) =
            runs.iter().partition(|(_, state)| **state == PlannedRunState::Missing);
        for (run, _) in resting {
            match self.jobs.resume(&run.name, &self.place) {
                // an earlier command has handed it over
                Ok(()) | Err(JobError::AtWork { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let requests = new.iter().map(|(run, _)| request(run)).collect::<anyhow::Result<Vec<_>>>()?;
        self.jobs.launch_all(&requests, &self.place)?;
        Ok(())
    }

    /// Lets the queue go on and asks the cluster, now and then.
    pub fn look(&self) -> anyhow::Result<()> {
        Ok(self.jobs.tick().map(drop)?)
    }

    /// Whether somebody works at one of these runs, or will.
    pub fn awaits(&self, runs: &[&RunName]) -> anyhow::Result<bool> {
        let is_open =
            |state: JobState| state.is_alive() || matches!(state, JobState::Queued | JobState::Unknown);
        let lines = self.jobs.list()?;
        Ok(lines.iter().any(|line| is_open(line.state) && runs.iter().any(|run| run.as_str() == line.name)))
    }
}

fn request(run: &PlannedRun) -> anyhow::Result<RunRequest> {
    let work = if run.is_pretraining() { RunKind::Pretrain } else { RunKind::Train };
    Ok(RunRequest { work, ..RunRequest::new(run.name.clone(), &run.config()?)? })
}
