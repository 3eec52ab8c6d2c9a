//! Runs on a Slurm cluster: submitted with `sbatch`, followed with `squeue` and `sacct`, ended with `scancel`.
//!
//! A run that is submitted has in its record a comment that no other submission has, before anything is submitted. The job
//! carries it too. Whoever finds a record without a job's number asks the cluster for that comment first, so a crash
//! between submitting and recording cannot submit twice. A controller that does not answer is no news: what was known
//! stays, and the run is called unknown unless it speaks for itself.
//!
//! What the job does is `matchbook train --run NAME --resume` under a [script](script) that passes signals on. Slurm may
//! start it again after a preemption, a time limit or a failed node; it goes on after its last checkpoint, to the same bits.

pub mod batch;
mod command;
mod follow;
mod script;
mod seen;

use std::{
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

pub(super) use follow::Following;
pub use seen::Phase;

use self::{command::Answer, seen::Seen};
use super::{JobError, Jobs, StopOutcome, local, record::Record};
use crate::runs::{RunDirectory, RunName, RunState, Status, Timestamp};

/// How long Slurm may take from the end of a run to that of its job.
const ENDING: Duration = Duration::from_secs(12);
const LOOK_AGAIN: Duration = Duration::from_millis(400);

/// What is known of a run's job on the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlurmJob {
    /// What the job says of itself, and no other job does.
    pub comment: String,
    /// Which task of an array it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u32>,
    /// The cluster's number, with the task's for one of an array: `12`, `12_3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// When it was submitted, or when that was tried.
    pub submitted: Timestamp,
    /// The cluster's last word: `PENDING`, `RUNNING`, ...
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// When that was first heard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Since when the controller has not answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_since: Option<Timestamp>,
}

impl SlurmJob {
    pub fn phase(&self) -> Phase {
        Phase::of(&self.state)
    }

    /// Whether the cluster has it, or may have it.
    pub fn is_open(&self) -> bool {
        !matches!(self.phase(), Phase::Completed | Phase::Failed | Phase::Interrupted)
    }
}

/// Why a run cannot be started whose job is not over.
pub(super) fn still_open(name: &RunName, job: &SlurmJob) -> JobError {
    let id = job.id.as_deref().unwrap_or("of an unknown number");
    JobError::Slurm(match (job.silent_since, job.phase()) {
        (Some(_), _) => {
            format!(
                "Slurm does not answer, and its job {id} may still train the run {name}; try again when it does"
            )
        }
        (None, Phase::Waiting) => format!(
            "the run {name} waits in Slurm's queue as job {id}; `matchbook runs stop {name}` takes it from there"
        ),
        _ => format!(
            "the run {name} has stopped, but Slurm has not ended its job {id} yet ({}); try again in some seconds",
            job.state.to_lowercase()
        ),
    })
}

/// The cluster's id of the job that this process is part of: `12`, or `12_3` for a task of an array.
pub fn current_job() -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    match (variable("SLURM_ARRAY_JOB_ID"), variable("SLURM_ARRAY_TASK_ID")) {
        (Some(job), Some(task)) => Some(format!("{job}_{task}")),
        _ => variable("SLURM_JOB_ID"),
    }
}

/// Whether a script can say what these options ask for.
pub(super) fn check(options: &super::SlurmOptions) -> Result<(), JobError> {
    script::plain(options, "").map(drop)
}

impl Jobs {
    /// Submits one run. The caller holds the workspace's lock.
    pub(super) fn submit(&self, run: &RunDirectory) -> Result<(), JobError> {
        self.submit_all(&[run])
    }

    /// Submits runs, more than one as an array. The caller holds the workspace's lock.
    pub(super) fn submit_all(&self, runs: &[&RunDirectory]) -> Result<(), JobError> {
        let Some(first) = runs.first() else { return Ok(()) };
        let comment = format!("matchbook {} {}", first.name(), token(self.workspace.root(), first));
        let mut records = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let mut record = Record::read(run.path())?.ok_or_else(|| JobError::no_record(run))?;
            if record.slurm.as_ref().is_some_and(|job| job.id.is_some())
                || run.status()?.state != RunState::Queued
            {
                return Err(JobError::AtWork { name: run.name().to_string() });
            }
            let task = (runs.len() > 1).then_some(index as u32);
            let submitted = Timestamp::now();
            let (id, state, since, silent_since) = (None, String::new(), None, None);
            record.slurm =
                Some(SlurmJob { comment: comment.clone(), task, id, submitted, state, since, silent_since });
            record.write(run.path())?;
            records.push(record);
        }
        let script = script::write(self, runs, &records)?;
        let options = records[0].slurm_options.clone().unwrap_or_default();
        match script::submit(&script, &comment, runs, &options) {
            Ok(id) => {
                for (run, mut record) in runs.iter().zip(records) {
                    record.starts += 1;
                    if let Some(job) = &mut record.slurm {
                        job.id = Some(job.task.map_or_else(|| id.clone(), |task| format!("{id}_{task}")));
                        job.state = "PENDING".to_owned();
                    }
                    record.write(run.path())?;
                }
                Ok(())
            }
            // It may have been submitted all the same: whoever looks next asks for the comment.
            Err(answer @ Answer::Silent(_)) => Err(JobError::Slurm(format!(
                "{answer}; nobody knows whether the job was submitted, and `matchbook runs` will find out"
            ))),
            Err(answer) => {
                for run in runs {
                    self.settle(run, RunState::Failed, &answer.to_string())?;
                }
                Err(JobError::Slurm(answer.to_string()))
            }
        }
    }

    /// Has a run on the cluster stop: with a checkpoint if it trains.
    pub(super) fn stop_on_cluster(
        &self,
        run: &RunDirectory,
        job: &SlurmJob,
    ) -> Result<StopOutcome, JobError> {
        // Read by a job that Slurm starts again, and by one that no signal reaches.
        local::ask(run)?;
        let id = self.number_of(run, job)?;
        if self.look(run).state == super::JobState::Queued {
            command::scancel(&[&id]).map_err(|answer| JobError::Slurm(answer.to_string()))?;
            self.settle(run, RunState::Stopped, "taken from Slurm's queue")?;
            return Ok(StopOutcome::Dequeued);
        }
        // TERM would be sent to every process of the job, and be called a cancellation
        match command::scancel(&["--batch", "--signal=USR2", &id]) {
            Ok(()) => Ok(StopOutcome::Signalled),
            // the file is there, and will be read
            Err(_) => Ok(StopOutcome::Requested),
        }
    }

    /// Asks what has become of a run's job, and gives one that is about to end some seconds to do it.
    pub(super) fn let_job_end(&self, run: &RunDirectory) -> Result<(), JobError> {
        let until = Instant::now() + ENDING;
        loop {
            let line = self.look(run);
            let Some(job) = line.slurm.as_ref().filter(|job| job.is_open()) else { return Ok(()) };
            let first = job.clone();
            self.follow()?;
            let is_ending = !line.state.is_alive() && first.phase() == Phase::Running;
            if !is_ending || Instant::now() >= until {
                return Ok(());
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Ends a run's job.
    pub(super) fn cancel(&self, run: &RunDirectory, job: &SlurmJob) -> Result<(), JobError> {
        local::ask(run)?;
        let id = self.number_of(run, job)?;
        command::scancel(&[&id]).map_err(|answer| JobError::Slurm(answer.to_string()))?;
        if self.look(run).state == super::JobState::Queued {
            self.settle(run, RunState::Stopped, "cancelled")?;
        }
        Ok(())
    }

    fn number_of(&self, run: &RunDirectory, job: &SlurmJob) -> Result<String, JobError> {
        if job.id.is_none() {
            self.follow()?;
        }
        let record = Record::read(run.path())?;
        record.and_then(|record| record.slurm?.id).ok_or_else(|| {
            JobError::Slurm(format!("nobody knows yet which job of Slurm trains {}; try again", run.name()))
        })
    }

    /// Writes down how a run ended that cannot say so itself.
    fn settle(&self, run: &RunDirectory, state: RunState, cause: &str) -> Result<(), JobError> {
        let lock = run.lock()?;
        let status = run.status()?;
        let cause = Some(cause.to_owned());
        Ok(lock.write_status(&Status { state, cause, heartbeat: Timestamp::now(), ..status })?)
    }
}

/// What no other submission has: the place, the run and the moment.
fn token(root: &std::path::Path, run: &RunDirectory) -> String {
    let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    let text = format!(
        "{}\n{}\n{}\n{}",
        root.display(),
        run.name(),
        Timestamp::now().milliseconds(),
        std::process::id()
    );
    blake3::hash(text.as_bytes()).to_hex()[..12].to_owned()
}
