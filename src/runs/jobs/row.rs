//! What all runs do, a line each, at the cost of what has changed.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
    time::Duration,
};

use super::{
    JobError, Jobs, LaunchKind, Notes, RunOptions,
    files::Remembered,
    queue,
    record::Record,
    slurm::{Phase, SlurmJob},
};
use crate::{
    base::workspace::{Folder, Workspace},
    runs::{
        self, Liveness, ProcessIdentity, ProcessState, RunConfig, RunDirectory, RunError, RunName, RunState,
        Status, Timestamp, layout, metric,
    },
};

/// A run, as whoever chooses among runs sees it.
#[derive(Clone, Debug)]
pub struct JobRow {
    /// As the folder is called, which need not be the name of a run.
    pub name: String,
    pub path: PathBuf,
    /// None when the folder cannot be opened as a run.
    pub directory: Option<RunDirectory>,
    pub state: JobState,
    /// Why it stopped or failed, in its own words.
    pub cause: Option<String>,
    /// How long nothing was heard of a run that claims to run.
    pub silence: Duration,
    /// None for a run that was trained in the foreground.
    pub place: Option<LaunchKind>,
    /// Which queue it belongs to.
    pub device: String,
    /// How it is run.
    pub options: RunOptions,
    /// Where it runs, ran or waits; empty when nobody said.
    pub host: String,
    /// The cluster's number of the job.
    pub job: Option<String>,
    /// What is known of the job on the cluster that the run was sent to.
    pub slurm: Option<SlurmJob>,
    pub process: Option<ProcessIdentity>,
    pub queued: Option<Timestamp>,
    /// From 1, for a run that waits in the queue of its machine and device.
    pub turn: Option<usize>,
    pub step: u64,
    pub steps_in_all: Option<u64>,
    pub epoch: u64,
    pub latest: LatestMetrics,
    pub heartbeat: Option<Timestamp>,
    pub config: Option<Arc<RunConfig>>,
    /// What the run says of itself.
    pub status: Option<Status>,
    pub notes: Notes,
    /// Whatever could not be read.
    pub problems: Vec<String>,
}

/// What a run does, as far as can be told from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum JobState {
    /// It waits for its turn, or for the cluster.
    Queued,
    /// Its process is there and has not said anything yet.
    Starting,
    Running,
    /// Its process is there, or may be, but silent.
    Slow,
    /// Its process is gone and did not say why.
    Dead,
    Stopped,
    Finished,
    Failed,
    /// Nobody who could know answers.
    Unknown,
}

/// What was measured last. A loss may be no number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatestMetrics {
    pub loss: Option<f64>,
    pub tokens_per_second: Option<f64>,
    /// Of the last evaluation, which is on dev unless the settings say otherwise.
    pub mrr: Option<f64>,
    pub accuracy: Option<f64>,
    pub best_mrr: Option<f64>,
    /// Of a run at work.
    pub left: Option<Duration>,
}

/// What was read, by the name of the folder.
#[derive(Debug, Default)]
pub(super) struct Cache {
    runs: HashMap<String, Read>,
}

#[derive(Debug, Default)]
struct Read {
    config: Remembered<Arc<RunConfig>>,
    status: Remembered<Status>,
    record: Remembered<Record>,
    notes: Remembered<Notes>,
    /// For runs whose status does not tell what was measured.
    metrics: Remembered<LatestMetrics>,
}

impl Jobs {
    /// All runs by name. What is wrong with one is said beside it and keeps no other from being listed.
    pub fn list(&self) -> Result<Vec<JobRow>, JobError> {
        let folder = self.workspace.folder(Folder::Runs);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(JobError::file("read the folder", &folder)(error)),
        };
        let mut names: Vec<String> = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()) || entry.path().is_dir())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort_unstable();
        let now = Timestamp::now();
        let here = runs::host();
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.runs.retain(|name, _| names.binary_search(name).is_ok());
        let mut lines: Vec<JobRow> = names
            .into_iter()
            .map(|name| {
                let read = cache.runs.entry(name.clone()).or_default();
                look_at(&self.workspace, name, &folder, read, now, &here)
            })
            .collect();
        number_turns(&mut lines);
        Ok(lines)
    }

    /// One run.
    pub fn line(&self, name: &RunName) -> Result<JobRow, JobError> {
        Ok(self.look(&RunDirectory::open(&self.workspace, name)?))
    }

    pub(super) fn look(&self, run: &RunDirectory) -> JobRow {
        let folder = self.workspace.folder(Folder::Runs);
        let name = run.name().to_string();
        look_at(&self.workspace, name, &folder, &mut Read::default(), Timestamp::now(), &runs::host())
    }
}

fn look_at(
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
    let config = read.config.read(&path.join(layout::CONFIG), |path| RunConfig::read(path).map(Arc::new));
    let config = config.unwrap_or_else(|error| told(&error, &mut keep));
    let status = read.status.read(&path.join(layout::STATUS), Status::read);
    let status = status.unwrap_or_else(|error| told(&error, &mut keep));
    let record = read.record.read(&path.join(layout::JOB), |_| {
        Record::read(&path)?.ok_or_else(|| JobError::Change("it has just gone".to_owned()))
    });
    let record = record.unwrap_or_else(|error| told(&error, &mut keep));
    let notes = read.notes.read(&path.join(layout::NOTES), |_| Notes::read(&path));
    let notes = notes.unwrap_or_else(|error| told(&error, &mut keep)).unwrap_or_default();
    if directory.is_some() && config.is_none() && problems.is_empty() {
        problems.push(format!("{} is not there", path.join(layout::CONFIG).display()));
    }
    if directory.is_some() && status.is_none() && problems.is_empty() {
        problems.push(format!("{} is not there", path.join(layout::STATUS).display()));
    }
    let latest = match &status {
        Some(status) if !status.latest.is_empty() => LatestMetrics::of(&status.latest),
        Some(_) => {
            let found = read.metrics.read(&path.join(layout::METRICS), LatestMetrics::from_tail);
            found.ok().flatten().unwrap_or_default()
        }
        None => LatestMetrics::default(),
    };
    let slurm = record.as_ref().and_then(|record| record.slurm.clone());
    let (state, silence) = match (&slurm, &status) {
        (Some(job), Some(status)) => judge_on_cluster(status, job, now),
        _ => judge(status.as_ref(), record.as_ref(), now, here),
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
    JobRow {
        state,
        silence,
        cause: status.as_ref().and_then(|status| status.cause.clone()),
        place: record.as_ref().map(|record| record.place),
        device: record.as_ref().map_or("cpu", |record| record.options.queue()).to_owned(),
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
        step: status.as_ref().map_or(0, |status| status.step),
        steps_in_all: status.as_ref().and_then(|status| status.steps_in_all),
        epoch: status.as_ref().map_or(0, |status| status.epoch),
        latest: LatestMetrics { left: latest.left.filter(|_| state.is_alive()), ..latest },
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

fn told<T>(error: &dyn std::fmt::Display, keep: &mut dyn FnMut(&dyn std::fmt::Display)) -> Option<T> {
    keep(error);
    None
}

/// What a run does, from what it says and from what was started.
fn judge(
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
            _ => JobState::Queued,
        },
        RunState::Running => match status.liveness(now) {
            Liveness::Running | Liveness::Resting => JobState::Running,
            Liveness::Slow(silence) => return (JobState::Slow, silence),
            Liveness::Dead => JobState::Dead,
            Liveness::PresumedDead(silence) => return (JobState::Dead, silence),
        },
    };
    (state, Duration::ZERO)
}

/// The same for a run on a cluster: the run speaks for itself as long as it is heard, then the cluster does.
fn judge_on_cluster(status: &Status, job: &SlurmJob, now: Timestamp) -> (JobState, Duration) {
    let is_silent = job.silent_since.is_some();
    let silence = now.since(status.heartbeat);
    let state = match (status.state, job.phase()) {
        (RunState::Finished, _) => JobState::Finished,
        (RunState::Failed, _) => JobState::Failed,
        // it will be started again
        (RunState::Stopped, Phase::Waiting) if !is_silent => JobState::Queued,
        (RunState::Stopped, _) => JobState::Stopped,
        // what the cluster says counts from when it was first heard: a job that waits has no process
        (RunState::Running, Phase::Waiting) if !is_silent && job.since > Some(status.heartbeat) => {
            JobState::Queued
        }
        (RunState::Running, phase) => match status.liveness(now) {
            Liveness::Running | Liveness::Resting => JobState::Running,
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

fn number_turns(lines: &mut [JobRow]) {
    let mut waiting: Vec<usize> = (0..lines.len()).filter(|&index| queue::waits(&lines[index])).collect();
    waiting.sort_by(|&one, &other| queue::in_turn(&lines[one], &lines[other]));
    let mut turns: HashMap<(String, String), usize> = HashMap::new();
    for index in waiting {
        let line = &mut lines[index];
        let turn = turns.entry((line.host.clone(), line.device.clone())).or_default();
        *turn += 1;
        line.turn = Some(*turn);
    }
}

impl JobState {
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether a process is at work on the run, as far as can be told.
    pub fn is_alive(self) -> bool {
        matches!(self, JobState::Starting | JobState::Running | JobState::Slow)
    }

    /// Whether it did not end well.
    pub fn is_bad(self) -> bool {
        matches!(self, JobState::Dead | JobState::Failed)
    }
}

impl JobRow {
    /// A setting of the run in words: `encoder`, `level`, `objective`.
    pub fn setting(&self, name: &str) -> Option<String> {
        let value = self.config.as_ref()?.settings.get(name)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }
}

impl LatestMetrics {
    fn of(values: &std::collections::BTreeMap<String, f64>) -> LatestMetrics {
        let get = |name: &str| values.get(name).copied();
        LatestMetrics {
            loss: get(metric::LOSS),
            tokens_per_second: get(metric::TOKENS_PER_SECOND),
            mrr: get(metric::MRR),
            accuracy: get(metric::ACCURACY),
            best_mrr: get(metric::BEST_MRR),
            left: get(metric::SECONDS_LEFT).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        }
    }

    /// From the last lines of the metrics.
    fn from_tail(path: &Path) -> Result<LatestMetrics, RunError> {
        const LINES: usize = 100;
        let mut latest = LatestMetrics::default();
        for row in runs::last_rows(path, LINES)? {
            if row.evaluation.is_some() {
                latest.mrr = row.value(metric::MRR).or(latest.mrr);
                latest.accuracy = row.value(metric::ACCURACY).or(latest.accuracy);
            } else {
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
        let judged = |state, job: &SlurmJob| judge_on_cluster(&elsewhere(state), job, at(20)).0;
        assert_eq!(judged(RunState::Running, &job("RUNNING", 5)), JobState::Running);
        // It began after the cluster was last asked.
        assert_eq!(judged(RunState::Running, &job("PENDING", 5)), JobState::Running);
        // Its node was taken away.
        assert_eq!(judged(RunState::Running, &job("PENDING", 15)), JobState::Queued);
        assert_eq!(judged(RunState::Stopped, &job("PENDING", 15)), JobState::Queued);
        assert_eq!(judged(RunState::Stopped, &job("RUNNING", 5)), JobState::Stopped);
        let silent = SlurmJob { silent_since: Some(at(16)), ..job("PENDING", 15) };
        assert_eq!(judged(RunState::Running, &silent), JobState::Running, "nobody knows better");
        assert_eq!(judged(RunState::Queued, &silent), JobState::Unknown);
        assert_eq!(judged(RunState::Queued, &job("FAILED", 15)), JobState::Dead);
    }
}
