//! Launches a study's runs in this machine's queue or on a cluster, where they continue without the study.

use super::{StudyError, StudyTarget};
use crate::{
    base::workspace::Workspace,
    runs::{
        RunName,
        jobs::{JobError, JobState, Jobs, LaunchTarget, RunKind, RunRequest},
    },
    study::{PlannedRun, PlannedRunState, job::StudyOptions},
};

pub struct Launcher {
    jobs: Jobs,
    target: LaunchTarget,
    device: String,
}

impl Launcher {
    /// None when the study trains its runs in child processes.
    pub fn new(workspace: &Workspace, options: &StudyOptions) -> Option<Launcher> {
        let jobs = Jobs::new(workspace);
        let target = match options.target {
            StudyTarget::Local => return None,
            StudyTarget::Queue => LaunchTarget::Queue,
            StudyTarget::Slurm => LaunchTarget::Slurm(jobs.settings().slurm.clone()),
        };
        Some(Launcher { jobs, target, device: options.device.clone() })
    }

    pub fn is_on_cluster(&self) -> bool {
        matches!(self.target, LaunchTarget::Slurm(_))
    }

    /// What is wrong with the user's settings of queues and clusters.
    pub fn problems(&self) -> &[String] {
        self.jobs.problems()
    }

    /// Launches runs. New ones are launched together: on a cluster they are the tasks of one array.
    pub fn launch(&self, runs: &[(&PlannedRun, &PlannedRunState)]) -> Result<(), StudyError> {
        let (new, existing): (Vec<_>, Vec<_>) =
            runs.iter().partition(|(_, state)| **state == PlannedRunState::Missing);
        for (run, _) in existing {
            match self.jobs.resume(&run.name, &self.target) {
                // an earlier command has launched it
                Ok(()) | Err(JobError::AtWork { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let requests = new.iter().map(|(run, _)| self.request(run)).collect::<Result<Vec<_>, _>>()?;
        self.jobs.launch_all(&requests, &self.target)?;
        Ok(())
    }

    /// Starts the next runs of the queue, and queries the cluster now and then.
    pub fn tick(&self) -> Result<(), StudyError> {
        Ok(self.jobs.tick().map(drop)?)
    }

    /// Whether one of these runs is being trained or will be.
    pub fn has_open_runs(&self, runs: &[&RunName]) -> Result<bool, StudyError> {
        let is_open =
            |state: JobState| state.is_alive() || matches!(state, JobState::Queued | JobState::Unknown);
        let rows = self.jobs.list()?;
        Ok(rows.iter().any(|row| is_open(row.state) && runs.iter().any(|run| run.as_str() == row.name)))
    }

    fn request(&self, run: &PlannedRun) -> Result<RunRequest, StudyError> {
        let work = if run.is_pretraining() { RunKind::Pretrain } else { RunKind::Train };
        let mut request = RunRequest { work, ..RunRequest::new(run.name.clone(), &run.config()?)? };
        if !(run.is_pretraining() && self.device.starts_with("metal")) {
            request.options.device.clone_from(&self.device);
        }
        Ok(request)
    }
}
