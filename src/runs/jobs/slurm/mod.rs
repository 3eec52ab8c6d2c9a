//! Runs on a Slurm cluster: submitted with `sbatch`, followed with `squeue` and `sacct`, ended with `scancel`.
//!
//! Before a run is submitted, its record gets a comment that no other submission has, and the job carries
//! it too. A record without a job id makes the next reader search the cluster for that comment first, so a crash
//! between submitting and recording cannot submit twice. A controller that does not answer changes nothing, and the run's
//! state is unknown unless its own status is fresh.
//!
//! The job runs `matchbook train --run NAME --resume` under a [script](script) that forwards signals. Slurm may
//! restart it after a preemption, a time limit or a failed node; it continues from its last checkpoint, to the same bits.

pub mod batch;
mod command;
mod follow;
mod report;
mod script;

use std::{
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

pub(super) use follow::ClusterQueries;
pub use report::Phase;

use self::{command::SlurmCommandError, report::JobReport};
use super::{JobError, Jobs, StopOutcome, local, record::Record};
use crate::runs::{RunDirectory, RunName, RunState, Status, Timestamp};

/// How long Slurm may take from the end of a run to the end of its job.
const ENDING: Duration = Duration::from_secs(12);
const LOOK_AGAIN: Duration = Duration::from_millis(400);

/// A run's job on the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlurmJob {
    /// The unique comment of the job.
    pub comment: String,
    /// Its task of an array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u32>,
    /// The job id, with the task for one of an array: `12`, `12_3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// When it was submitted, or when that was tried.
    pub submitted: Timestamp,
    /// The last known state: `PENDING`, `RUNNING`, ...
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// When that state was first seen.
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

/// Why a run whose job is not over cannot be started.
pub(super) fn still_open(name: &RunName, job: &SlurmJob) -> JobError {
    let id = job.id.as_deref().unwrap_or("with an unknown id");
    JobError::Slurm(match (job.silent_since, job.phase()) {
        (Some(_), _) => {
            format!(
                "Slurm does not respond, and its job {id} may still be training the run {name}; try again later"
            )
        }
        (None, Phase::Waiting) => {
            format!("the run {name} is in Slurm's queue as job {id}; `matchbook runs stop {name}` removes it")
        }
        _ => format!(
            "the run {name} has stopped, but Slurm has not ended its job {id} yet ({}); try again in a few seconds",
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

/// Whether a script can express these options.
pub(super) fn check(options: &super::SlurmOptions) -> Result<(), JobError> {
    script::plain(options, "").map(drop)
}

impl Jobs {
    /// Submits one run. The caller holds the queue lock.
    pub(super) fn submit(&self, run: &RunDirectory) -> Result<(), JobError> {
        self.submit_all(&[run])
    }

    /// Submits runs, several as an array. The caller holds the queue lock.
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
        let script = match script::write(self, runs, &records) {
            Ok(script) => script,
            Err(error) => {
                self.give_up(runs, records, &error.to_string())?;
                return Err(error);
            }
        };
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
            // It may have been submitted all the same: the next query searches for the comment.
            Err(answer @ SlurmCommandError::Silent(_)) => Err(JobError::Slurm(format!(
                "{answer}; whether the job was submitted is unknown until `matchbook runs` asks again"
            ))),
            Err(answer) => {
                self.give_up(runs, records, &answer.to_string())?;
                Err(JobError::Slurm(answer.to_string()))
            }
        }
    }

    /// Records that runs were not submitted: they have failed, and no job of theirs is searched for.
    fn give_up(&self, runs: &[&RunDirectory], records: Vec<Record>, cause: &str) -> Result<(), JobError> {
        for (run, record) in runs.iter().zip(records) {
            Record { slurm: None, ..record }.write(run.path())?;
            self.settle(run, RunState::Failed, cause)?;
        }
        Ok(())
    }

    /// Stops a run on the cluster: with a checkpoint if it trains.
    pub(super) fn stop_on_cluster(
        &self,
        run: &RunDirectory,
        job: &SlurmJob,
    ) -> Result<StopOutcome, JobError> {
        // Read by a job that Slurm restarts, and by one that no signal reaches.
        local::request_stop(run)?;
        let id = self.number_of(run, job)?;
        if self.read_row(run).state == super::JobState::Queued {
            command::scancel(&[&id]).map_err(|answer| JobError::Slurm(answer.to_string()))?;
            self.settle(run, RunState::Stopped, "removed from Slurm's queue")?;
            return Ok(StopOutcome::Dequeued);
        }
        // TERM would be sent to every process of the job, and be recorded as a cancellation
        match command::scancel(&["--batch", "--signal=USR2", &id]) {
            Ok(()) => Ok(StopOutcome::Signalled),
            // the file is there, and will be found
            Err(_) => Ok(StopOutcome::Requested),
        }
    }

    /// Queries a run's job, and gives one that is about to end some seconds.
    pub(super) fn let_job_end(&self, run: &RunDirectory) -> Result<(), JobError> {
        let until = Instant::now() + ENDING;
        loop {
            let row = self.read_row(run);
            let Some(job) = row.slurm.as_ref().filter(|job| job.is_open()) else { return Ok(()) };
            let first = job.clone();
            // An error may be about another run; the caller reads this one again.
            let _ = self.follow();
            let is_ending = !row.state.is_alive() && first.phase() == Phase::Running;
            if !is_ending || Instant::now() >= until {
                return Ok(());
            }
            thread::sleep(LOOK_AGAIN);
        }
    }

    /// Cancels a run's job.
    pub(super) fn cancel(&self, run: &RunDirectory, job: &SlurmJob) -> Result<(), JobError> {
        local::request_stop(run)?;
        let id = self.number_of(run, job)?;
        command::scancel(&[&id]).map_err(|answer| JobError::Slurm(answer.to_string()))?;
        if self.read_row(run).state == super::JobState::Queued {
            self.settle(run, RunState::Stopped, "cancelled")?;
        }
        Ok(())
    }

    fn number_of(&self, run: &RunDirectory, job: &SlurmJob) -> Result<String, JobError> {
        let followed = if job.id.is_none() { self.follow() } else { Ok(()) };
        let record = Record::read(run.path())?;
        match record.and_then(|record| record.slurm?.id) {
            Some(id) => Ok(id),
            None => followed.and_then(|()| {
                Err(JobError::Slurm(format!("the Slurm job of {} is not known yet; try again", run.name())))
            }),
        }
    }

    /// Writes the final status of a run that cannot write it itself.
    fn settle(&self, run: &RunDirectory, state: RunState, cause: &str) -> Result<(), JobError> {
        let lock = run.lock()?;
        let status = run.status()?;
        let cause = Some(cause.to_owned());
        Ok(lock.write_status(&Status { state, cause, heartbeat: Timestamp::now(), ..status })?)
    }
}

/// A token that no other submission has: workspace, run and time.
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
