//! What has become of the runs on the cluster.

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
    Answer, Phase, Seen, SlurmJob, seen,
};
use crate::runs::{RunDirectory, RunState, Timestamp};

/// How long after a submission that nobody confirmed the cluster may still show it.
const MAY_APPEAR: Duration = Duration::from_secs(10);

/// How often the cluster is asked while somebody looks.
const ASK_EVERY: Duration = Duration::from_secs(15);
/// The same while a run says that it rests and nobody knows yet what the cluster makes of it.
const ASK_SOON: Duration = Duration::from_secs(3);

/// Whether a run rests by its own words while its job, as far as was heard, is at work.
fn is_between(line: &JobRow) -> bool {
    let rests = line.status.as_ref().is_some_and(|status| status.state == RunState::Stopped);
    rests && line.slurm.as_ref().is_some_and(|job| job.phase() == Phase::Running)
}

/// When the cluster was asked last, and whether somebody still waits for its answer.
#[derive(Debug, Default)]
pub struct Following {
    asked: Mutex<Option<Instant>>,
    waits: Arc<AtomicBool>,
}

impl Jobs {
    /// Asks the cluster in a thread of its own, unless that was done a moment ago.
    pub(in super::super) fn follow_now_and_then(&self) {
        let mut asked = self.following.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |after: Duration| asked.is_none_or(|asked| asked.elapsed() >= after);
        if !is_due(ASK_SOON) || self.following.waits.load(Ordering::Acquire) {
            return;
        }
        let is_open = |line: &&JobRow| line.slurm.as_ref().is_some_and(SlurmJob::is_open);
        let lines = self.list().unwrap_or_default();
        let mut open = lines.iter().filter(is_open).peekable();
        if open.peek().is_none() || (!is_due(ASK_EVERY) && !open.any(is_between)) {
            return;
        }
        *asked = Some(Instant::now());
        let waits = Arc::clone(&self.following.waits);
        let other = Jobs::new(self.workspace()).with_program(self.program.clone());
        waits.store(true, Ordering::Release);
        let asking = move || {
            // what goes wrong is in the runs' records, or will be asked again
            let _ = other.follow();
            waits.store(false, Ordering::Release);
        };
        if thread::Builder::new().name("asks the cluster".to_owned()).spawn(asking).is_err() {
            self.following.waits.store(false, Ordering::Release);
        }
    }

    /// Asks the cluster about runs that are there, and writes down what it says. Where no run is on a cluster it asks
    /// nothing; where one is, it waits for the answer, which may take seconds;
    /// [`tick`](Jobs::tick) does not. A controller that does not answer is no error.
    pub fn follow(&self) -> Result<(), JobError> {
        let open: Vec<JobRow> = self
            .list()?
            .into_iter()
            .filter(|line| line.slurm.as_ref().is_some_and(SlurmJob::is_open))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let queue = seen::queue();
        let missing: Vec<&str> = match &queue {
            Ok(queue) => open
                .iter()
                .filter_map(|line| line.slurm.as_ref()?.id.as_deref())
                .filter(|id| !queue.iter().any(|seen| seen.is(id)))
                .collect(),
            Err(_) => Vec::new(),
        };
        let history = match missing.is_empty() {
            true => Ok(Vec::new()),
            false => seen::history(&missing),
        };
        let Some(_lock) = QueueLock::try_take(self.workspace())? else { return Ok(()) };
        for line in &open {
            if let Some(run) = &line.directory {
                self.hear(run, queue.as_deref(), history.as_deref())?;
            }
        }
        Ok(())
    }

    /// Takes note of what was said about one run.
    fn hear(
        &self,
        run: &RunDirectory,
        queue: Result<&[Seen], &Answer>,
        history: Result<&[Seen], &Answer>,
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
            // it may be over already, and then the run itself tells its number
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
                (true, false) => {
                    self.settle(run, RunState::Failed, "the array that it was a part of was not submitted")
                }
            };
        };
        let of = |all: &[Seen]| all.iter().rev().find(|seen| seen.is(&id)).cloned();
        let found = of(queue).or_else(|| of(history.unwrap_or_default()));
        let exit = match found {
            Some(found) => {
                if job.state != found.state {
                    (job.state, job.since) = (found.state, Some(Timestamp::now()));
                }
                found.exit
            }
            // The controller has forgotten it, and who could remember does not answer.
            None if matches!(history, Err(Answer::Silent(_))) => {
                job.silent_since = before.silent_since.or(Some(Timestamp::now()));
                return match *job == before {
                    true => Ok(()),
                    false => Ok(record.write(run.path())?),
                };
            }
            // Nobody remembers: the run's own words count.
            None if run.status().is_ok_and(|status| status.liveness(Timestamp::now()).is_alive()) => {
                return Ok(());
            }
            None => {
                job.state = seen::FORGOTTEN.to_owned();
                String::new()
            }
        };
        let (phase, state) = (job.phase(), job.state.clone());
        if *job != before {
            record.write(run.path())?;
        }
        self.conclude(run, phase, &state, &exit)
    }

    /// Ends a run whose job has ended without the run saying so.
    fn conclude(&self, run: &RunDirectory, phase: Phase, word: &str, exit: &str) -> Result<(), JobError> {
        let status = run.status()?;
        let was_asked = run.stop_path().exists();
        let ended = match (phase, status.state) {
            (Phase::Waiting | Phase::Running | Phase::Unknown, _) => return Ok(()),
            (_, RunState::Finished | RunState::Failed) => return Ok(()),
            // It stopped on request, and has said so.
            (_, RunState::Stopped) if was_asked || status.cause.is_some() => return Ok(()),
            // It stopped because the cluster wanted it to, and was not started again.
            (Phase::Failed, RunState::Stopped) => RunState::Failed,
            (_, RunState::Stopped) => RunState::Stopped,
            // whoever asked for it is not told of a failure
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
                "Slurm told it to, and did not start it again; resume it".to_owned()
            }
            Phase::Completed => "the job completed without a word of the run; look at its log".to_owned(),
            _ if word == seen::FORGOTTEN => "Slurm knows the job no more".to_owned(),
            _ => format!("Slurm says {word}{exit}"),
        };
        match self.settle(run, ended, &cause) {
            // its process is about to end, and may yet say how
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

    /// What becomes of a run that says `state`, was asked to stop or not, and whose job the cluster calls `word`.
    fn heard(state: RunState, was_asked: bool, word: &str) -> (JobState, Option<String>) {
        let home = tempfile::tempdir().unwrap();
        let jobs = Jobs::new(&Workspace::at(home.path(), home.path().join("config")));
        let config = RunConfig::new(7, CorpusReference::default(), toml::Table::new());
        let request = RunRequest::new("one".parse().unwrap(), &config).unwrap();
        let run = jobs.make(&request, &LaunchTarget::Slurm(Default::default())).unwrap();
        let mut record = Record::read(run.path()).unwrap().unwrap();
        record.slurm = Some(SlurmJob {
            comment: "matchbook one".to_owned(),
            task: None,
            id: Some("12".to_owned()),
            submitted: Timestamp::now(),
            state: "RUNNING".to_owned(),
            since: None,
            silent_since: None,
        });
        record.write(run.path()).unwrap();
        let status = Status { state, ..Status::queued(Timestamp::now()) };
        run.lock().unwrap().write_status(&status).unwrap();
        if was_asked {
            crate::runs::jobs::local::ask(&run).unwrap();
        }
        let seen = Seen { job: 12, state: word.to_owned(), exit: "1:0".to_owned(), ..Seen::default() };
        jobs.hear(&run, Ok(&[seen]), Ok(&[])).unwrap();
        let line = jobs.line(&request.name).unwrap();
        (line.state, line.cause)
    }

    #[test]
    fn a_run_that_slurm_took_away_waits_or_says_why_it_does_not_go_on() {
        let check = |state, was_asked, word, expected, cause: Option<&str>| {
            let found = heard(state, was_asked, word);
            assert_eq!(found, (expected, cause.map(str::to_owned)), "{state:?} {was_asked} {word}");
        };
        // Back in the queue after a preemption, which the run has said as it stopped.
        check(RunState::Stopped, false, "PENDING", JobState::Queued, None);
        // A start that was refused, because it came too soon after the end.
        let refused = "Slurm says FAILED, exit code 1:0";
        check(RunState::Stopped, false, "FAILED", JobState::Failed, Some(refused));
        check(
            RunState::Stopped,
            false,
            "NODE_FAIL",
            JobState::Stopped,
            Some("Slurm says NODE_FAIL, exit code 1:0"),
        );
        let resume = "Slurm told it to, and did not start it again; resume it";
        check(RunState::Stopped, false, "COMPLETED", JobState::Stopped, Some(resume));
        // Whoever stopped it knows why.
        check(RunState::Stopped, true, "COMPLETED", JobState::Stopped, None);
        check(
            RunState::Queued,
            true,
            "CANCELLED",
            JobState::Stopped,
            Some("Slurm says CANCELLED, exit code 1:0"),
        );
        check(
            RunState::Queued,
            false,
            "OUT_OF_MEMORY",
            JobState::Failed,
            Some("Slurm says OUT_OF_MEMORY, exit code 1:0"),
        );
        check(RunState::Finished, false, "COMPLETED", JobState::Finished, None);
    }
}
