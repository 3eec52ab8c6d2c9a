//! The table of all runs, one row each, at the cost of what has changed.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
    time::Duration,
};

use super::{
    JobError, Jobs, LaunchKind, Notes, RunOptions,
    cached_file::CachedFile,
    change::path_of,
    queue,
    record::Record,
    slurm::{Phase, SlurmJob},
};
use crate::{
    base::{
        process::{self, ProcessIdentity, ProcessState},
        temporary,
        workspace::{Folder, Workspace},
    },
    runs::{
        self, Liveness, RunConfig, RunDirectory, RunError, RunName, RunScores, RunState, SLOW_AFTER, Status,
        Timestamp, built_in, layout, metric, run_folders,
    },
    symbols::{Setting, level},
};

/// A run in the table of runs.
#[derive(Clone, Debug)]
pub struct JobRow {
    /// The name of the folder, which need not be a valid run name.
    pub name: String,
    pub path: PathBuf,
    /// None when the folder cannot be opened as a run.
    pub directory: Option<RunDirectory>,
    pub state: JobState,
    /// Why it stopped or failed, as in its status.
    pub cause: Option<String>,
    /// The age of the heartbeat of a run whose status is `running`.
    pub silence: Duration,
    /// None for a run that was trained in the foreground.
    pub place: Option<LaunchKind>,
    /// The device, which decides the queue.
    pub device: String,
    /// What computes it, as in `candle on cuda:0 (NVIDIA A100, 80 GB), tf32`; none before it has started.
    pub engine: Option<String>,
    /// How it is run.
    pub options: RunOptions,
    /// Where it runs, ran or waits; empty when unknown.
    pub host: String,
    /// The job id on a cluster.
    pub job: Option<String>,
    /// Its job on the cluster that it was submitted to.
    pub slurm: Option<SlurmJob>,
    pub process: Option<ProcessIdentity>,
    pub queued: Option<Timestamp>,
    /// From 1, for a run that waits in the queue of its machine and device.
    pub turn: Option<usize>,
    pub step: u64,
    pub total_steps: Option<u64>,
    pub epoch: u64,
    pub latest: LatestMetrics,
    /// The best and the last evaluation.
    pub scores: RunScores,
    /// When it was created, as far as its files tell.
    pub created: Option<Timestamp>,
    pub heartbeat: Option<Timestamp>,
    pub config: Option<Arc<RunConfig>>,
    /// The status file of the run.
    pub status: Option<Status>,
    pub notes: Notes,
    /// What could not be read.
    pub problems: Vec<String>,
}

/// The state of a run, as far as this machine can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum JobState {
    /// It waits in a queue, or for the cluster.
    Queued,
    /// Its process exists and has not written a status yet.
    Starting,
    Running,
    /// Its process exists, or may exist, but is silent.
    Slow,
    /// Its process is gone and did not write why.
    Dead,
    Stopped,
    Finished,
    Failed,
    /// The cluster or machine that could tell does not answer.
    Unknown,
}

/// The latest values of training. A loss may be NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatestMetrics {
    pub loss: Option<f64>,
    pub tokens_per_second: Option<f64>,
    /// The step and the completed epochs of the last line; 0 if the values are those of the status.
    step: u64,
    epoch: u64,
    /// The estimated rest of a run that is training.
    pub left: Option<Duration>,
}

/// The files that were read, by the name of the folder.
#[derive(Debug, Default)]
pub(super) struct Cache {
    runs: HashMap<String, Read>,
}

#[derive(Debug, Default)]
struct Read {
    config: CachedFile<Arc<RunConfig>>,
    status: CachedFile<Status>,
    record: CachedFile<Record>,
    notes: CachedFile<Notes>,
    /// For runs whose status has no latest values.
    metrics: CachedFile<LatestMetrics>,
    /// For runs whose status has no scores.
    scores: CachedFile<RunScores>,
}

impl Jobs {
    /// All runs by name. Problems of a run are listed with it and do not hide the others. What killed processes left is
    /// removed: among the runs each time, in a run when it is first seen.
    pub fn list(&self) -> Result<Vec<JobRow>, JobError> {
        temporary::sweep(&self.workspace.folder(Folder::Runs));
        let folders = run_folders(&self.workspace)?;
        let now = Timestamp::now();
        let here = process::host();
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.runs.retain(|name, _| folders.binary_search_by(|(known, _)| known.cmp(name)).is_ok());
        let mut rows: Vec<JobRow> = folders
            .into_iter()
            .map(|(name, folder)| {
                let read = cache.runs.entry(name.clone()).or_insert_with(|| {
                    let run = folder.join(&name);
                    [&run, &run.join(layout::CHECKPOINTS), &run.join(layout::EVALUATION)]
                        .into_iter()
                        .for_each(|folder| temporary::sweep(folder));
                    Read::default()
                });
                read_run(&self.workspace, name, &folder, read, now, &here)
            })
            .collect();
        assign_turns(&mut rows);
        Ok(rows)
    }

    /// One run.
    pub fn row(&self, name: &RunName) -> Result<JobRow, JobError> {
        Ok(self.read_row(&RunDirectory::open(&self.workspace, name)?))
    }

    pub(super) fn read_row(&self, run: &RunDirectory) -> JobRow {
        let name = run.name().to_string();
        let folder = run.path().parent().unwrap_or(run.path());
        read_run(&self.workspace, name, folder, &mut Read::default(), Timestamp::now(), &process::host())
    }
}

fn read_run(
    workspace: &Workspace,
    name: String,
    folder: &Path,
    read: &mut Read,
    now: Timestamp,
    here: &str,
) -> JobRow {
    let path: PathBuf = folder.join(&name);
    let mut problems: Vec<String> = Vec::new();
    let directory = match name.parse::<RunName>().and_then(|name| RunDirectory::open(workspace, &name)) {
        Ok(directory) => Some(directory),
        Err(error) => {
            problems.push(error.to_string());
            None
        }
    };
    let mut keep = |error: &dyn std::fmt::Display| problems.push(error.to_string());
    let config = read.config.read(&path.join(layout::CONFIG), |path| {
        RunConfig::read(path).map(|config: RunConfig| Arc::new(config.with_defaults()))
    });
    let config = config.unwrap_or_else(|error| report(&error, &mut keep));
    let status = read.status.read(&path.join(layout::STATUS), Status::read);
    let status = status.unwrap_or_else(|error| report(&error, &mut keep));
    let record = read.record.read(&path.join(layout::JOB), |_| {
        Record::read(&path)?.ok_or_else(|| JobError::Change("it was just removed".to_owned()))
    });
    let record = record.unwrap_or_else(|error| report(&error, &mut keep));
    let notes = read.notes.read(&path.join(layout::NOTES), |_| Notes::read(&path));
    let notes = notes.unwrap_or_else(|error| report(&error, &mut keep)).unwrap_or_default();
    if directory.is_some() && config.is_none() && problems.is_empty() {
        problems.push(format!("{} is missing", path.join(layout::CONFIG).display()));
    }
    if directory.is_some() && status.is_none() && problems.is_empty() {
        problems.push(format!("{} is missing", path.join(layout::STATUS).display()));
    }
    let latest = match &status {
        Some(status) if !status.latest.is_empty() => LatestMetrics::of(&status.latest),
        Some(_) => {
            let found = read.metrics.read(&path.join(layout::METRICS), LatestMetrics::from_tail);
            found.ok().flatten().unwrap_or_default()
        }
        None => LatestMetrics::default(),
    };
    let scores = match &status {
        Some(Status { scores: Some(scores), .. }) => scores.clone(),
        Some(_) => {
            read.scores.read(&path.join(layout::METRICS), RunScores::read).ok().flatten().unwrap_or_default()
        }
        None => RunScores::default(),
    };
    let slurm = record.as_ref().and_then(|record| record.slurm.clone());
    let (state, silence) = match (&slurm, &status) {
        (Some(job), Some(status)) => state_on_cluster(status, job, now),
        _ => state_of(status.as_ref(), record.as_ref(), now, here),
    };
    let running = status.as_ref().filter(|status| status.state == RunState::Running);
    let process = running
        .and_then(|status| status.process.clone())
        .or_else(|| record.as_ref().and_then(|record| record.process.clone()));
    let host = status.as_ref().map(|status| status.host.clone()).filter(|host| !host.is_empty());
    let waits = status.as_ref().is_some_and(|status| status.state == RunState::Queued);
    let host = match (&record, host) {
        // a run that ran elsewhere before waits where it was launched
        (Some(record), _) if waits => record.host.clone(),
        (_, Some(host)) => host,
        (Some(record), None) => record.host.clone(),
        (None, None) => String::new(),
    };
    // a run that has started stays on its device, whichever process looks at it
    let started_on = status.as_ref().filter(|_| !waits).and_then(|status| status.device.clone());
    JobRow {
        state,
        silence,
        cause: status.as_ref().and_then(|status| status.cause.clone()),
        place: record.as_ref().map(|record| record.place),
        device: started_on
            .or_else(|| record.as_ref().map(|record| record.options.queue()))
            .unwrap_or_else(|| "cpu".to_owned()),
        engine: status.as_ref().and_then(|status| status.engine.clone()),
        options: record.as_ref().map(|record| record.options.clone()).unwrap_or_default(),
        host,
        job: slurm
            .as_ref()
            .and_then(|job| job.id.clone())
            .or_else(|| status.as_ref().and_then(|status| status.job.clone())),
        slurm,
        process,
        queued: record.as_ref().map(|record| record.queued),
        turn: None,
        // until the first heartbeat, the metrics are ahead of the status
        step: status.as_ref().map_or(0, |status| status.step.max(latest.step)),
        total_steps: status.as_ref().and_then(|status| status.total_steps),
        epoch: status.as_ref().map_or(0, |status| status.epoch.max(latest.epoch)),
        latest: LatestMetrics { left: latest.left.filter(|_| state.is_alive()), ..latest },
        scores,
        // the files of a built-in run are as old as the workspace, which says nothing about the run
        created: read.config.changed().map(Timestamp::from).filter(|_| !built_in::is_built_in(&path)),
        heartbeat: status.as_ref().map(|status| status.heartbeat),
        config,
        notes,
        problems,
        status,
        directory,
        path,
        name,
    }
}

fn report<T>(error: &dyn std::fmt::Display, keep: &mut dyn FnMut(&dyn std::fmt::Display)) -> Option<T> {
    keep(error);
    None
}

/// The state of a run, from its status and from what was launched.
fn state_of(
    status: Option<&Status>,
    record: Option<&Record>,
    now: Timestamp,
    here: &str,
) -> (JobState, Duration) {
    let Some(status) = status else { return (JobState::Unknown, Duration::ZERO) };
    let state = match status.state {
        RunState::Finished => JobState::Finished,
        RunState::Stopped => JobState::Stopped,
        RunState::Failed => JobState::Failed,
        RunState::Queued => match record {
            Some(Record { process: Some(process), host, .. }) if host == here => match process.presence() {
                ProcessState::Running | ProcessState::Unknown => JobState::Starting,
                ProcessState::Gone => JobState::Dead,
            },
            Some(Record { process: Some(_), .. }) => JobState::Unknown,
            Some(_) => JobState::Queued,
            // Made by a process that trains it itself, which writes within moments that it runs. None will start it later.
            None if now.since(status.heartbeat) > SLOW_AFTER => JobState::Dead,
            None => JobState::Queued,
        },
        RunState::Running => match status.liveness(now) {
            Liveness::Running | Liveness::Inactive => JobState::Running,
            Liveness::Slow(silence) => return (JobState::Slow, silence),
            Liveness::Dead => JobState::Dead,
            Liveness::PresumedDead(silence) => return (JobState::Dead, silence),
        },
    };
    (state, Duration::ZERO)
}

/// The same for a run on a cluster: its own status counts while it is fresh, then the cluster's.
fn state_on_cluster(status: &Status, job: &SlurmJob, now: Timestamp) -> (JobState, Duration) {
    let is_silent = job.silent_since.is_some();
    let silence = now.since(status.heartbeat);
    let state = match (status.state, job.phase()) {
        (RunState::Finished, _) => JobState::Finished,
        (RunState::Failed, _) => JobState::Failed,
        // it will be started again
        (RunState::Stopped, Phase::Waiting) if !is_silent => JobState::Queued,
        (RunState::Stopped, _) => JobState::Stopped,
        // the cluster's state counts from when it was first seen: a job that waits has no process
        (RunState::Running, Phase::Waiting) if !is_silent && job.since > Some(status.heartbeat) => {
            JobState::Queued
        }
        (RunState::Running, phase) => match status.liveness(now) {
            Liveness::Running | Liveness::Inactive => JobState::Running,
            Liveness::Slow(silence) => return (JobState::Slow, silence),
            Liveness::Dead | Liveness::PresumedDead(_) if is_silent => return (JobState::Unknown, silence),
            Liveness::Dead | Liveness::PresumedDead(_) => match phase {
                Phase::Waiting => JobState::Queued,
                Phase::Running => return (JobState::Slow, silence),
                Phase::Unknown => return (JobState::Unknown, silence),
                Phase::Completed | Phase::Failed | Phase::Interrupted => JobState::Dead,
            },
        },
        (RunState::Queued, _) if is_silent => JobState::Unknown,
        (RunState::Queued, Phase::Waiting) => JobState::Queued,
        (RunState::Queued, Phase::Running) => JobState::Starting,
        // submitted, or about to be
        (RunState::Queued, Phase::Unknown) => JobState::Queued,
        (RunState::Queued, _) => JobState::Dead,
    };
    (state, Duration::ZERO)
}

fn assign_turns(rows: &mut [JobRow]) {
    let mut waiting: Vec<usize> = (0..rows.len()).filter(|&index| queue::waits(&rows[index])).collect();
    waiting.sort_by(|&one, &other| queue::in_turn(&rows[one], &rows[other]));
    let devices: Vec<Vec<String>> = waiting.iter().map(|&index| queue::devices(&rows[index])).collect();
    for (at, own) in devices.iter().enumerate() {
        // a run on several GPUs waits in the queue of each
        let is_ahead = |other: &usize| {
            rows[waiting[*other]].host == rows[waiting[at]].host
                && devices[*other].iter().any(|device| own.contains(device))
        };
        rows[waiting[at]].turn = Some((0..at).filter(is_ahead).count() + 1);
    }
}

impl JobState {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Whether a process is training the run, as far as this machine can tell.
    pub fn is_alive(self) -> bool {
        matches!(self, JobState::Starting | JobState::Running | JobState::Slow)
    }

    /// Whether it ended badly.
    pub fn is_bad(self) -> bool {
        matches!(self, JobState::Dead | JobState::Failed)
    }
}

impl JobRow {
    /// A setting of the run as text, by its name in `run.toml` or its flag: `encoder`, `shape.width`, `width`, `seed`. What
    /// the file leaves out has its default value.
    pub fn setting(&self, name: &str) -> Option<String> {
        let config = self.config.as_ref()?;
        if name == "seed" {
            return Some(config.seed.to_string());
        }
        let path = path_of(&config.settings, name);
        let mut keys = path.split('.');
        let first = keys.next().and_then(|key| config.settings.get(key));
        let value = first.and_then(|first| keys.try_fold(first, |table, key| table.get(key)));
        match value {
            Some(value) => Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
            None => config.defaults.get(&path).cloned(),
        }
    }

    /// The file name of its corpus, or `demo`.
    pub fn corpus_name(&self) -> String {
        self.config.as_ref().map_or(String::new(), |config| config.corpus.short_name())
    }

    /// The state as text: `queued (2)`, `slow (31 s)`, `presumed dead`.
    pub fn state_text(&self) -> String {
        match self.state {
            JobState::Slow => format!("slow ({} s)", self.silence.as_secs()),
            JobState::Queued => match self.turn {
                Some(turn) => format!("queued ({turn})"),
                None => "queued".to_owned(),
            },
            JobState::Dead if self.silence > Duration::ZERO => "presumed dead".to_owned(),
            state => state.name().to_owned(),
        }
    }

    /// The level of symbol replacement that the run trains at.
    pub fn level(&self) -> Option<Setting> {
        level::in_file::read(&self.setting("level")?).ok()
    }
}

impl LatestMetrics {
    fn of(values: &std::collections::BTreeMap<String, f64>) -> LatestMetrics {
        let get = |name: &str| values.get(name).copied();
        LatestMetrics {
            loss: get(metric::LOSS),
            tokens_per_second: get(metric::TOKENS_PER_SECOND),
            left: get(metric::SECONDS_LEFT).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            ..LatestMetrics::default()
        }
    }

    /// Reads the last lines of the metrics.
    fn from_tail(path: &Path) -> Result<LatestMetrics, RunError> {
        const LINES: usize = 100;
        let mut latest = LatestMetrics::default();
        for row in runs::last_rows(path, LINES)? {
            if row.evaluation.is_none() {
                (latest.step, latest.epoch) = (row.step, row.epoch as u64);
                latest.loss = row.value(metric::LOSS).or(latest.loss);
                latest.tokens_per_second = row.value(metric::TOKENS_PER_SECOND).or(latest.tokens_per_second);
            }
        }
        Ok(latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_whose_process_died_before_its_first_status_does_not_wait_forever() {
        let at = |seconds: u64| Timestamp::from_milliseconds(1_000_000 + seconds * 1000);
        let queued = Status::queued(at(0));
        // A process that trains in the foreground has made it, and is about to write that it runs.
        assert_eq!(state_of(Some(&queued), None, at(1), "here").0, JobState::Queued);
        assert_eq!(state_of(Some(&queued), None, at(31), "here").0, JobState::Dead);
        // A run in a queue has a record, and waits as long as it takes.
        let waiting = Record::of_foreground(&queued, &crate::runs::jobs::LaunchTarget::Queue, at(0));
        assert_eq!(state_of(Some(&queued), Some(&waiting), at(9999), "here").0, JobState::Queued);
    }

    #[test]
    fn on_a_cluster_a_run_speaks_for_itself_until_the_cluster_knows_better() {
        let at = |seconds: u64| Timestamp::from_milliseconds(1_000_000 + seconds * 1000);
        let job = |state: &str, since: u64| SlurmJob {
            comment: String::new(),
            task: None,
            id: Some("1".to_owned()),
            submitted: at(0),
            state: state.to_owned(),
            since: Some(at(since)),
            silent_since: None,
        };
        let elsewhere = |state| Status {
            state,
            host: "a node".to_owned(),
            process: Some(ProcessIdentity { pid: 1, started: None }),
            ..Status::queued(at(10))
        };
        let judged = |state, job: &SlurmJob| state_on_cluster(&elsewhere(state), job, at(20)).0;
        assert_eq!(judged(RunState::Running, &job("RUNNING", 5)), JobState::Running);
        // It started after the last query of the cluster.
        assert_eq!(judged(RunState::Running, &job("PENDING", 5)), JobState::Running);
        // Its node was taken away.
        assert_eq!(judged(RunState::Running, &job("PENDING", 15)), JobState::Queued);
        assert_eq!(judged(RunState::Stopped, &job("PENDING", 15)), JobState::Queued);
        assert_eq!(judged(RunState::Stopped, &job("RUNNING", 5)), JobState::Stopped);
        let silent = SlurmJob { silent_since: Some(at(16)), ..job("PENDING", 15) };
        assert_eq!(judged(RunState::Running, &silent), JobState::Running, "nothing says otherwise");
        assert_eq!(judged(RunState::Queued, &silent), JobState::Unknown);
        assert_eq!(judged(RunState::Queued, &job("FAILED", 15)), JobState::Dead);
    }
}
