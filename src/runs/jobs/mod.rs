//! Launches, lists and stops runs: on this machine, in a queue, or on a Slurm cluster.
//!
//! A run is trained by its own process, which outlives the one that launched it. There is no daemon: what is to be started
//! next is recorded in the runs' directories. A run that ends starts the next one of its queue, and so do
//! every `matchbook runs` and every open workbench ([`Jobs::tick`]), under a [lock](queue_lock) of the workspace, so that two
//! never start the same run. Closing, killing or rebooting anything loses nothing: the next tick continues the queue.
//!
//! ```text
//! runs/NAME/
//!   job.json     how and where it is launched, and what was started               Record
//!   notes.toml   the user's note and tags                                         Notes
//!   stop         a request to stop, for a process that no signal reaches
//!   job.sh       the batch script, on a cluster
//! ```
//!
//! - [`Jobs::launch`] creates a run and starts it on a [`LaunchTarget`]; [`resume`](Jobs::resume) starts an existing one.
//! - [`stop`](Jobs::stop) lets it write a checkpoint first; [`kill`](Jobs::kill) does not.
//! - [`list`](Jobs::list) returns the state of all runs. It reads small files only, and each once per change: 200 runs take
//!   some milliseconds.
//!
//! A job knows only the command of its run: it starts `matchbook train --run NAME --resume` (or `pretrain`), which starts a
//! run without a checkpoint from the first step and resumes one that has a checkpoint. That is why a run can be started again
//! at any time, also by a cluster that took its node
//! away.

mod cached_file;
mod change;
mod error;
mod fields;
mod local;
mod manage;
mod program;
mod queue;
mod queue_lock;
mod record;
mod request;
mod row;
mod settings;
pub mod slurm;
#[cfg(test)]
mod tests;

use std::{path::PathBuf, sync::Mutex};

pub use change::change_settings;
pub use error::JobError;
pub use local::{start_detached, stop_process, this_program};
pub use manage::Notes;
pub use program::{EXPECTED_VERSION, check_version};
pub use record::LaunchKind;
pub use request::{LaunchTarget, RunKind, RunOptions, RunRequest};
pub use row::{JobRow, JobState, LatestMetrics};
pub use settings::{JobSettings, SlurmOptions};

use self::{queue_lock::QueueLock, record::Record, row::Cache};
use crate::{
    base::workspace::Workspace,
    runs::{RunDirectory, RunName, RunState, Status, Timestamp},
    train::device::{Device, DeviceError},
};

/// The runs of a workspace as jobs. Keep it when calling [`Jobs::list`] often: it caches the files that it has read.
#[derive(Debug)]
pub struct Jobs {
    workspace: Workspace,
    /// The program that is started.
    program: PathBuf,
    settings: JobSettings,
    problems: Vec<String>,
    cache: Mutex<Cache>,
    cluster_queries: slurm::ClusterQueries,
}

/// The result of a request to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopOutcome {
    /// It was waiting and was removed from its queue.
    Dequeued,
    /// It was signalled, and stops after its step.
    Signalled,
    /// It runs where no signal reaches it, and will find the `stop` file within seconds.
    Requested,
}

impl Jobs {
    /// Reads the user's settings, as far as they are valid.
    pub fn new(workspace: &Workspace) -> Jobs {
        let (settings, problems) = JobSettings::of(workspace);
        Jobs {
            workspace: workspace.clone(),
            program: local::this_program(),
            settings,
            problems,
            cache: Mutex::default(),
            cluster_queries: slurm::ClusterQueries::default(),
        }
    }

    /// With another program to start, for tests.
    #[must_use]
    pub fn with_program(mut self, program: impl Into<PathBuf>) -> Jobs {
        self.program = program.into();
        self
    }

    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    pub fn settings(&self) -> &JobSettings {
        &self.settings
    }

    /// What is wrong with the user's settings.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Creates a run and starts it, or queues it. When starting fails, the run exists and its status has the
    /// cause.
    pub fn launch(&self, request: &RunRequest, place: &LaunchTarget) -> Result<RunName, JobError> {
        place.check()?;
        self.make(request, place)?;
        self.set_going(&request.name)?;
        Ok(request.name.clone())
    }

    fn make(&self, request: &RunRequest, place: &LaunchTarget) -> Result<RunDirectory, JobError> {
        let now = Timestamp::now();
        let record = Record::new(request, place, now);
        self.check_device(&record.options, place)?;
        let fill = |folder: &std::path::Path| {
            record.write(folder)?;
            request.notes.write(folder)
        };
        Ok(RunDirectory::create_with(&self.workspace, &request.name, &request.config, now, fill)?)
    }

    /// Refuses a device that no program here supports, or that this machine lacks, before anything is written.
    fn check_device(&self, options: &RunOptions, place: &LaunchTarget) -> Result<(), JobError> {
        self.program_for(options)?;
        if !matches!(place, LaunchTarget::Slurm(_)) {
            let device = |error: DeviceError| JobError::Device(error.to_string());
            Device::named(&options.device).and_then(|device| device.find()).map_err(device)?;
        }
        Ok(())
    }

    /// Creates runs and starts them. On a cluster, several are the tasks of one array. Either all are created or none; when
    /// some of them cannot be started, the status of each has the cause, and the first error is returned.
    pub fn launch_all(
        &self,
        requests: &[RunRequest],
        place: &LaunchTarget,
    ) -> Result<Vec<RunName>, JobError> {
        place.check()?;
        let names: Vec<RunName> = requests.iter().map(|request| request.name.clone()).collect();
        for name in &names {
            let existing = RunDirectory::open(&self.workspace, name).ok();
            // a run of the user's own may have the name of a built-in one
            if let Some(run) = existing.filter(|run| !run.is_built_in()) {
                let (name, path) = (name.to_string(), run.path().to_owned());
                return Err(crate::runs::RunError::Exists { name, path }.into());
            }
        }
        // under the lock, no other process starts one of them before all exist
        let lock = QueueLock::take(&self.workspace)?;
        let made = self.make_all(requests, place)?;
        if matches!(place, LaunchTarget::Slurm(_)) && made.len() > 1 {
            self.submit_all(&made.iter().collect::<Vec<_>>())?;
            return Ok(names);
        }
        drop(lock);
        let mut failed = None;
        for name in &names {
            if let Err(error) = self.set_going(name) {
                failed.get_or_insert(error);
            }
        }
        failed.map_or(Ok(names), Err)
    }

    /// Creates runs, all or none. The caller holds the queue lock.
    fn make_all(&self, requests: &[RunRequest], place: &LaunchTarget) -> Result<Vec<RunDirectory>, JobError> {
        let mut made: Vec<RunDirectory> = Vec::new();
        for request in requests {
            match self.make(request, place) {
                Ok(run) => made.push(run),
                Err(error) => {
                    for run in made {
                        // the first error is the one to report
                        let _ = run.remove(&self.workspace, Timestamp::now());
                    }
                    return Err(error);
                }
            }
        }
        Ok(made)
    }

    /// Starts a run that is not training: stopped, failed, dead, or still queued. It continues from its last checkpoint.
    pub fn resume(&self, name: &RunName, place: &LaunchTarget) -> Result<(), JobError> {
        self.resume_with(name, place, |_| Ok(()))
    }

    /// Resumes a run after `change` was applied to the options that it was started with.
    pub fn resume_with(
        &self,
        name: &RunName,
        place: &LaunchTarget,
        change: impl FnOnce(&mut RunOptions) -> Result<(), JobError>,
    ) -> Result<(), JobError> {
        place.check()?;
        {
            let run = RunDirectory::open(&self.workspace, name)?;
            self.let_job_end(&run)?;
            let queue_lock = QueueLock::take(&self.workspace)?;
            let row = self.read_row(&run);
            if row.state.is_alive() {
                return Err(JobError::AtWork { name: name.to_string() });
            }
            if let Some(job) = row.slurm.as_ref().filter(|job| job.is_open()) {
                return Err(slurm::still_open(name, job));
            }
            let status = run.status()?;
            if status.state == RunState::Finished {
                return Err(JobError::Finished { name: name.to_string() });
            }
            let lock = run.lock()?;
            let now = Timestamp::now();
            // a run that was trained in the foreground has no record; its settings show its kind
            let work = RunKind::of(&run.config()?);
            let old = Record::read(run.path())?;
            let mut again = old.unwrap_or_else(|| Record::of_foreground(&status, place, now));
            change(&mut again.options)?;
            let record = Record { work, ..again.again(place, now) };
            self.check_device(&record.options, place)?;
            let _ = std::fs::remove_file(run.stop_path());
            record.write(run.path())?;
            lock.write_status(&Status {
                state: RunState::Queued,
                cause: None,
                process: None,
                heartbeat: now,
                ..status
            })?;
            drop((lock, queue_lock));
        }
        self.set_going(name)
    }

    /// Where a run was last launched, which is here for one that was trained in the foreground.
    pub fn last_place(&self, name: &RunName) -> Result<LaunchTarget, JobError> {
        let run = RunDirectory::open(&self.workspace, name)?;
        Ok(match Record::read(run.path())? {
            Some(Record { place: LaunchKind::Queue, .. }) => LaunchTarget::Queue,
            Some(Record { place: LaunchKind::Slurm, slurm_options, .. }) => {
                LaunchTarget::Slurm(slurm_options.unwrap_or_default().or(&self.settings.slurm))
            }
            Some(Record { place: LaunchKind::Here, .. }) | None => LaunchTarget::Here,
        })
    }

    /// Stops a run: after its step and with a checkpoint if it runs, at once if it waits.
    pub fn stop(&self, name: &RunName) -> Result<StopOutcome, JobError> {
        let run = RunDirectory::open(&self.workspace, name)?;
        let row = self.read_row(&run);
        if let Some(job) = row.slurm.as_ref().filter(|job| job.is_open()) {
            return self.stop_on_cluster(&run, job);
        }
        match row.state {
            JobState::Queued => self.unqueue(&run).map(|()| StopOutcome::Dequeued),
            state if state.is_alive() || state == JobState::Unknown => local::stop(&run, &row),
            state => Err(JobError::Resting { name: name.to_string(), state: state.name() }),
        }
    }

    /// Kills a run. What it did after its last checkpoint is lost.
    pub fn kill(&self, name: &RunName) -> Result<(), JobError> {
        let run = RunDirectory::open(&self.workspace, name)?;
        let row = self.read_row(&run);
        if let Some(job) = row.slurm.as_ref().filter(|job| job.is_open()) {
            return self.cancel(&run, job);
        }
        match row.state {
            JobState::Queued => self.unqueue(&run)?,
            state if state.is_alive() || state == JobState::Unknown => local::kill(&run, &row)?,
            state => return Err(JobError::Resting { name: name.to_string(), state: state.name() }),
        }
        self.start_next().map(drop)
    }

    /// Starts a run as its record says, now or when its turn comes.
    fn set_going(&self, name: &RunName) -> Result<(), JobError> {
        let run = RunDirectory::open(&self.workspace, name)?;
        let record = Record::read(run.path())?.ok_or_else(|| JobError::no_record(&run))?;
        match record.place {
            LaunchKind::Here => {
                let _lock = QueueLock::take(&self.workspace)?;
                self.start(&run)
            }
            LaunchKind::Queue => self.start_next().map(drop),
            LaunchKind::Slurm => {
                let _lock = QueueLock::take(&self.workspace)?;
                self.submit(&run)
            }
        }
    }

    /// Starts a run's process and records it. The caller holds the queue lock and has checked that
    /// the run waits.
    fn start(&self, run: &RunDirectory) -> Result<(), JobError> {
        let mut record = Record::read(run.path())?.ok_or_else(|| JobError::no_record(run))?;
        if record.process.is_some() || run.status()?.state != RunState::Queued {
            return Ok(());
        }
        // Checks that no other process writes it; the new process takes the lock itself.
        drop(run.lock()?);
        let spawned = self
            .program_for(&record.options)
            .and_then(|program| local::spawn(&program, &self.workspace, run, &record));
        match spawned {
            Ok(process) => {
                record.process = Some(process);
                record.starts += 1;
                Ok(record.write(run.path())?)
            }
            Err(error) => {
                let status = run.status()?;
                let (state, cause) = (RunState::Failed, Some(error.to_string()));
                let failed = Status { state, cause, heartbeat: Timestamp::now(), ..status };
                run.lock()?.write_status(&failed)?;
                Err(error)
            }
        }
    }

    /// Removes a run from its queue.
    fn unqueue(&self, run: &RunDirectory) -> Result<(), JobError> {
        let _lock = QueueLock::take(&self.workspace)?;
        let lock = run.lock()?;
        let status = run.status()?;
        if status.state != RunState::Queued
            || Record::read(run.path())?.is_some_and(|record| record.process.is_some())
        {
            return Err(JobError::AtWork { name: run.name().to_string() });
        }
        let cause = Some("removed from the queue".to_owned());
        lock.write_status(&Status {
            state: RunState::Stopped,
            cause,
            heartbeat: Timestamp::now(),
            ..status
        })?;
        Ok(())
    }
}
