//! Follows the runs on the cluster.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    super::{JobError, JobRow, Jobs, LaunchKind, queue_lock::QueueLock, record::Record},
    JobReport, Phase, SlurmCommandError, SlurmJob, report,
};
use crate::runs::{RunDirectory, RunState, Timestamp};

/// How long an unconfirmed submission may take to appear on the cluster.
const MAY_APPEAR: Duration = Duration::from_secs(10);

/// How often the cluster is queried.
const QUERY_INTERVAL: Duration = Duration::from_secs(15);
/// The same while a run has stopped and the state of its job is not known yet.
const QUERY_SOON: Duration = Duration::from_secs(3);

/// Whether a run has stopped by its status while its job was last seen running.
fn is_ending(row: &JobRow) -> bool {
    let rests = row.status.as_ref().is_some_and(|status| status.state == RunState::Stopped);
    rests && row.slurm.as_ref().is_some_and(|job| job.phase() == Phase::Running)
}

/// When the cluster was queried last, and whether a query is running.
#[derive(Debug, Default)]
pub struct ClusterQueries {
    last: Mutex<Option<Instant>>,
    is_running: Arc<AtomicBool>,
    /// The error of the last query in the background.
    error: Arc<Mutex<Option<String>>>,
}

impl Jobs {
    /// Queries the cluster in another thread, unless that was done recently.
    pub(in super::super) fn query_in_background(&self) {
        let mut last = self.cluster_queries.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |after: Duration| last.is_none_or(|last| last.elapsed() >= after);
        if !is_due(QUERY_SOON) || self.cluster_queries.is_running.load(Ordering::Acquire) {
            return;
        }
        let is_open = |row: &&JobRow| row.slurm.as_ref().is_some_and(SlurmJob::is_open);
        let rows = self.list().unwrap_or_default();
        let mut open = rows.iter().filter(is_open).peekable();
        if open.peek().is_none() || (!is_due(QUERY_INTERVAL) && !open.any(is_ending)) {
            return;
        }
        *last = Some(Instant::now());
        let is_running = Arc::clone(&self.cluster_queries.is_running);
        let error = Arc::clone(&self.cluster_queries.error);
        let other = Jobs::new(self.workspace()).with_program(self.program.clone());
        is_running.store(true, Ordering::Release);
        let query = move || {
            let found = other.follow().err().map(|error| error.to_string());
            *error.lock().unwrap_or_else(PoisonError::into_inner) = found;
            is_running.store(false, Ordering::Release);
        };
        if thread::Builder::new().name("cluster query".to_owned()).spawn(query).is_err() {
            self.cluster_queries.is_running.store(false, Ordering::Release);
        }
    }

    /// Why the last query in the background failed, until the next one has ended.
    pub fn query_error(&self) -> Option<String> {
        self.cluster_queries.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Queries the cluster about its runs, and records the answers. Without runs on a cluster nothing is queried;
    /// with some, it waits for the answer, which may take seconds;
    /// [`tick`](Jobs::tick) does not. A controller that does not answer is not an error.
    pub fn follow(&self) -> Result<(), JobError> {
        let open: Vec<JobRow> = self
            .list()?
            .into_iter()
            .filter(|row| row.slurm.as_ref().is_some_and(SlurmJob::is_open))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let queue = report::queue();
        let missing: Vec<&str> = match &queue {
            Ok(queue) => open
                .iter()
                .filter_map(|row| row.slurm.as_ref()?.id.as_deref())
                .filter(|id| !queue.iter().any(|seen| seen.is(id)))
                .collect(),
            Err(_) => Vec::new(),
        };
        let history = match missing.is_empty() {
            true => Ok(Vec::new()),
            false => report::history(&missing),
        };
        let Some(_lock) = QueueLock::try_take(self.workspace())? else { return Ok(()) };
        self.record_all(&open, queue.as_deref(), history.as_deref())
    }

    /// Records the answers about runs. A run that cannot be read does not keep the others from being followed; the first
    /// error is returned.
    fn record_all(
        &self,
        rows: &[JobRow],
        queue: Result<&[JobReport], &SlurmCommandError>,
        history: Result<&[JobReport], &SlurmCommandError>,
    ) -> Result<(), JobError> {
        let mut first = None;
        for run in rows.iter().filter_map(|row| row.directory.as_ref()) {
            if let Err(error) = self.record_reports(run, queue, history) {
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// Records the answers about one run.
    fn record_reports(
        &self,
        run: &RunDirectory,
        queue: Result<&[JobReport], &SlurmCommandError>,
        history: Result<&[JobReport], &SlurmCommandError>,
    ) -> Result<(), JobError> {
        let Some(mut record) = Record::read(run.path())?.filter(|record| record.place == LaunchKind::Slurm)
        else {
            return Ok(());
        };
        let Some(job) = &mut record.slurm else { return Ok(()) };
        let before = job.clone();
        let Ok(queue) = queue else {
            job.silent_since.get_or_insert(Timestamp::now());
            return match *job == before {
                true => Ok(()),
                false => Ok(record.write(run.path())?),
            };
        };
        job.silent_since = None;
        if job.id.is_none() {
            job.id = queue.iter().find_map(|seen| seen.id_for(&job.comment, job.task));
            // the job may be over already, and then the run itself has its id
            job.id = job.id.take().or_else(|| run.status().ok()?.job);
        }
        let Some(id) = job.id.clone() else {
            let lost = Timestamp::now().since(job.submitted) > MAY_APPEAR;
            let is_single = job.task.is_none();
            if *job != before {
                record.write(run.path())?;
            }
            return match (lost, is_single) {
                (false, _) => Ok(()),
                (true, true) => self.submit(run),
                (true, false) => self.settle(run, RunState::Failed, "its job array was not submitted"),
            };
        };
        let of = |all: &[JobReport]| all.iter().rev().find(|seen| seen.is(&id)).cloned();
        let found = of(queue).or_else(|| of(history.unwrap_or_default()));
        let exit = match found {
            Some(found) => {
                if job.state != found.state {
                    (job.state, job.since) = (found.state, Some(Timestamp::now()));
                }
                found.exit
            }
            // The controller has dropped it, and accounting does not answer.
            None if matches!(history, Err(SlurmCommandError::Silent(_))) => {
                job.silent_since = before.silent_since.or(Some(Timestamp::now()));
                return match *job == before {
                    true => Ok(()),
                    false => Ok(record.write(run.path())?),
                };
            }
            // Slurm has no record of it: the run's own status counts.
            None if run.status().is_ok_and(|status| status.liveness(Timestamp::now()).is_alive()) => {
                return Ok(());
            }
            None => {
                job.state = report::FORGOTTEN.to_owned();
                String::new()
            }
        };
        let (phase, state) = (job.phase(), job.state.clone());
        if *job != before {
            record.write(run.path())?;
        }
        self.conclude(run, phase, &state, &exit)
    }

    /// Ends a run whose job has ended without a final status.
    fn conclude(&self, run: &RunDirectory, phase: Phase, word: &str, exit: &str) -> Result<(), JobError> {
        let status = run.status()?;
        let was_asked = run.stop_path().exists();
        let ended = match (phase, status.state) {
            (Phase::Waiting | Phase::Running | Phase::Unknown, _) => return Ok(()),
            (_, RunState::Finished | RunState::Failed) => return Ok(()),
            // It stopped on request, and its status says so.
            (_, RunState::Stopped) if was_asked || status.cause.is_some() => return Ok(()),
            // It stopped because of the cluster, and was not started again.
            (Phase::Failed, RunState::Stopped) => RunState::Failed,
            (_, RunState::Stopped) => RunState::Stopped,
            // a run that was asked to stop has not failed
            (_, RunState::Queued | RunState::Running) if was_asked => RunState::Stopped,
            (Phase::Completed | Phase::Failed, _) => RunState::Failed,
            (Phase::Interrupted, _) => RunState::Stopped,
        };
        let exit = match exit {
            "" | "0:0" => String::new(),
            exit => format!(", exit code {exit}"),
        };
        let cause = match phase {
            Phase::Completed if status.state == RunState::Stopped => {
                "Slurm stopped it and did not requeue it; resume it".to_owned()
            }
            Phase::Completed => "the job completed, but the run reported nothing; see its log".to_owned(),
            _ if word == report::FORGOTTEN => "Slurm no longer has a record of the job".to_owned(),
            _ => format!("Slurm reports {word}{exit}"),
        };
        match self.settle(run, ended, &cause) {
            // its process is about to end, and may still write its status
            Err(JobError::Run(crate::runs::RunError::Busy { .. })) => Ok(()),
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::{JobState, LaunchTarget, RunRequest},
        *,
    };
    use crate::{
        base::workspace::Workspace,
        corpus::CorpusReference,
        runs::{RunConfig, Status},
    };

    /// A run that was submitted as this job.
    fn submitted(jobs: &Jobs, name: &str, id: u64) -> RunDirectory {
        let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
        let request = RunRequest::new(name.parse().unwrap(), &config).unwrap();
        let run = jobs.make(&request, &LaunchTarget::Slurm(Default::default())).unwrap();
        let mut record = Record::read(run.path()).unwrap().unwrap();
        record.slurm = Some(SlurmJob {
            comment: format!("matchbook {name}"),
            task: None,
            id: Some(id.to_string()),
            submitted: Timestamp::now(),
            state: "RUNNING".to_owned(),
            since: None,
            silent_since: None,
        });
        record.write(run.path()).unwrap();
        run
    }

    fn report_of(job: u64, word: &str) -> JobReport {
        JobReport { job, state: word.to_owned(), exit: "1:0".to_owned(), ..JobReport::default() }
    }

    /// The result for a run with this state, asked to stop or not, whose job has this Slurm state.
    fn heard(state: RunState, was_asked: bool, word: &str) -> (JobState, Option<String>) {
        let home = tempfile::tempdir().unwrap();
        let jobs = Jobs::new(&Workspace::at(home.path(), home.path().join("config")));
        let run = submitted(&jobs, "one", 12);
        let status = Status { state, ..Status::queued(Timestamp::now()) };
        run.lock().unwrap().write_status(&status).unwrap();
        if was_asked {
            crate::runs::jobs::local::request_stop(&run).unwrap();
        }
        jobs.record_reports(&run, Ok(&[report_of(12, word)]), Ok(&[])).unwrap();
        let row = jobs.row(run.name()).unwrap();
        (row.state, row.cause)
    }

    #[test]
    fn a_run_that_cannot_be_read_leaves_the_others_followed() {
        let home = tempfile::tempdir().unwrap();
        let jobs = Jobs::new(&Workspace::at(home.path(), home.path().join("config")));
        let (damaged, other) = (submitted(&jobs, "damaged", 12), submitted(&jobs, "other", 13));
        std::fs::write(damaged.status_path(), "{").unwrap();
        let reports = [report_of(12, "FAILED"), report_of(13, "FAILED")];
        let error = jobs.record_all(&jobs.list().unwrap(), Ok(&reports), Ok(&[])).unwrap_err();
        assert!(error.to_string().contains("status.json"), "{error}");
        assert_eq!(jobs.row(other.name()).unwrap().state, JobState::Failed);
    }

    #[test]
    fn a_run_that_slurm_took_away_waits_or_says_why_it_does_not_go_on() {
        let check = |state, was_asked, word, expected, cause: Option<&str>| {
            let found = heard(state, was_asked, word);
            assert_eq!(found, (expected, cause.map(str::to_owned)), "{state:?} {was_asked} {word}");
        };
        // Back in the queue after a preemption; the run had stopped cleanly.
        check(RunState::Stopped, false, "PENDING", JobState::Queued, None);
        // A start that was refused, because it came too soon after the end.
        let refused = "Slurm reports FAILED, exit code 1:0";
        check(RunState::Stopped, false, "FAILED", JobState::Failed, Some(refused));
        check(
            RunState::Stopped,
            false,
            "NODE_FAIL",
            JobState::Stopped,
            Some("Slurm reports NODE_FAIL, exit code 1:0"),
        );
        let resume = "Slurm stopped it and did not requeue it; resume it";
        check(RunState::Stopped, false, "COMPLETED", JobState::Stopped, Some(resume));
        // The user stopped it and needs no cause.
        check(RunState::Stopped, true, "COMPLETED", JobState::Stopped, None);
        check(
            RunState::Queued,
            true,
            "CANCELLED",
            JobState::Stopped,
            Some("Slurm reports CANCELLED, exit code 1:0"),
        );
        check(
            RunState::Queued,
            false,
            "OUT_OF_MEMORY",
            JobState::Failed,
            Some("Slurm reports OUT_OF_MEMORY, exit code 1:0"),
        );
        check(RunState::Finished, false, "COMPLETED", JobState::Finished, None);
    }
}
