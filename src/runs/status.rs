//! `status.json`: what a run is doing.
//!
//! The process that trains replaces the file every few seconds, which is its heartbeat. Readers judge by the process, if it
//! is on this machine, and by the age of the heartbeat: a run whose process exists but is silent is slow (swapping, stopped
//! by a debugger, a long evaluation), and a run whose process is gone is dead,
//! whatever its last status was.

use std::{collections::BTreeMap, path::Path, time::Duration};

use serde::{Deserialize, Serialize};

use crate::base::process::{self, ProcessIdentity, ProcessState};

use super::{RunError, RunScores, Timestamp, files};

/// The version of `status.json` that this program writes.
const FORMAT: u64 = 1;

/// How long a run may be silent before it counts as slow.
pub const SLOW_AFTER: Duration = Duration::from_secs(30);
/// How long a run whose process cannot be looked up may be silent before it is presumed dead.
pub const PRESUMED_DEAD_AFTER: Duration = Duration::from_secs(600);

/// The status of a run. Write it every few seconds, and more often than [`SLOW_AFTER`], while it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The version of the file format.
    pub format: u64,
    pub state: RunState,
    /// Why it stopped or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    #[serde(default)]
    pub step: u64,
    #[serde(default)]
    pub epoch: u64,
    /// The total number of steps, once it is known.
    #[serde(default, rename = "steps_in_all", skip_serializing_if = "Option::is_none")]
    pub total_steps: Option<u64>,
    /// The process that trains; none before the run has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessIdentity>,
    #[serde(default)]
    pub host: String,
    /// The job id, if a cluster runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    pub heartbeat: Timestamp,
    /// The best and the last evaluation; none in the status of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<RunScores>,
    /// What computes it: engine, device, its model and memory, precision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The device that it computes on, in the form of `--device`; none before it has started, or in the status of an older
    /// version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The latest values of training, for a list of runs: `loss`, `tokens_per_second`, `seconds_left`, each once it is
    /// known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", with = "numbers")]
    pub latest: BTreeMap<String, f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum RunState {
    Queued,
    Running,
    /// On request; it can be resumed.
    Stopped,
    Finished,
    Failed,
}

/// Whether a run is alive, as a reader sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// Its status is not `running`.
    Inactive,
    Running,
    /// The process exists, or may exist, but has been silent for this long.
    Slow(Duration),
    /// Its status is `running`, but its process is gone.
    Dead,
    /// Its status is `running`, on a machine that cannot be asked, and it has been silent for this long.
    PresumedDead(Duration),
}

impl Status {
    /// A run that waits to be started.
    pub fn queued(now: Timestamp) -> Status {
        Status {
            format: FORMAT,
            state: RunState::Queued,
            cause: None,
            step: 0,
            epoch: 0,
            total_steps: None,
            process: None,
            host: String::new(),
            job: None,
            heartbeat: now,
            scores: None,
            engine: None,
            device: None,
            latest: BTreeMap::new(),
        }
    }

    /// A run that this process trains.
    pub fn running(now: Timestamp) -> Status {
        let process = Some(ProcessIdentity::own());
        Status { state: RunState::Running, process, host: process::host(), ..Status::queued(now) }
    }

    pub fn read(path: &Path) -> Result<Status, RunError> {
        let text = files::read(path)?;
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| RunError::content(path, error))?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(found) if found > FORMAT => {
                Err(RunError::Newer { path: path.to_owned(), found, known: FORMAT })
            }
            Some(_) => serde_json::from_value(value).map_err(|error| RunError::content(path, error)),
            None => Err(RunError::content(path, "it has no format, so it is not the status of a run")),
        }
    }

    pub fn write(&self, path: &Path) -> Result<(), RunError> {
        files::write_json(path, self)
    }

    /// Whether it is alive, as far as this machine can tell.
    pub fn liveness(&self, now: Timestamp) -> Liveness {
        self.liveness_from(now, &process::host(), ProcessIdentity::presence)
    }

    fn liveness_from(
        &self,
        now: Timestamp,
        here: &str,
        presence: impl FnOnce(&ProcessIdentity) -> ProcessState,
    ) -> Liveness {
        if self.state != RunState::Running {
            return Liveness::Inactive;
        }
        let silence = now.since(self.heartbeat);
        let presence = match &self.process {
            Some(process) if self.host == here => presence(process),
            _ => ProcessState::Unknown,
        };
        match presence {
            ProcessState::Gone => Liveness::Dead,
            ProcessState::Unknown if silence > PRESUMED_DEAD_AFTER => Liveness::PresumedDead(silence),
            _ if silence > SLOW_AFTER => Liveness::Slow(silence),
            _ => Liveness::Running,
        }
    }
}

impl Liveness {
    /// Whether a process may be training the run.
    pub fn is_alive(self) -> bool {
        matches!(self, Liveness::Running | Liveness::Slow(_))
    }
}

impl RunState {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Numbers by name, some of which may not be finite.
mod numbers {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::runs::metrics::Number;

    pub fn serialize<S: Serializer>(
        values: &BTreeMap<String, f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let written: BTreeMap<&String, Number> =
            values.iter().map(|(name, value)| (name, Number(Some(*value)))).collect();
        written.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, f64>, D::Error> {
        let read = BTreeMap::<String, Number>::deserialize(deserializer)?;
        Ok(read.into_iter().filter_map(|(name, Number(value))| Some((name, value?))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(seconds: u64) -> Timestamp {
        Timestamp::from_milliseconds(seconds * 1000)
    }

    #[test]
    fn a_process_says_more_than_a_heartbeat() {
        let status = Status { host: "here".to_owned(), ..Status::running(moment(1000)) };
        let judge = |after: u64, presence| status.liveness_from(moment(1000 + after), "here", |_| presence);
        let silent = Duration::from_secs;
        assert_eq!(judge(1, ProcessState::Running), Liveness::Running);
        assert_eq!(judge(1, ProcessState::Gone), Liveness::Dead);
        assert_eq!(judge(1, ProcessState::Unknown), Liveness::Running);
        assert_eq!(judge(9000, ProcessState::Running), Liveness::Slow(silent(9000)));
        assert_eq!(judge(31, ProcessState::Unknown), Liveness::Slow(silent(31)));
        assert_eq!(judge(9000, ProcessState::Unknown), Liveness::PresumedDead(silent(9000)));
    }

    #[test]
    fn a_process_of_another_machine_is_not_looked_up_here() {
        let status = Status { host: "there".to_owned(), ..Status::running(moment(1000)) };
        let judge = |after: u64| status.liveness_from(moment(1000 + after), "here", |_| unreachable!());
        assert_eq!(judge(1), Liveness::Running);
        assert_eq!(judge(601), Liveness::PresumedDead(Duration::from_secs(601)));
        // A clock that is ahead there does not make the run older.
        assert_eq!(status.liveness_from(moment(1), "here", |_| unreachable!()), Liveness::Running);
    }

    #[test]
    fn a_run_that_does_not_claim_to_run_rests() {
        for state in [RunState::Queued, RunState::Stopped, RunState::Finished, RunState::Failed] {
            let status = Status { state, ..Status::running(moment(1)) };
            assert_eq!(status.liveness(moment(9_999_999)), Liveness::Inactive);
        }
        assert_eq!(Status::running(moment(5)).liveness(moment(6)), Liveness::Running);
    }

    #[test]
    fn a_status_is_read_as_it_was_written_and_a_newer_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status.json");
        let cause = Some("the loss is not a number".to_owned());
        let latest = [("loss".to_owned(), f64::INFINITY), ("mrr".to_owned(), 0.1)].into();
        let status = Status {
            state: RunState::Failed,
            cause,
            step: 7,
            epoch: 2,
            latest,
            ..Status::running(moment(5))
        };
        status.write(&path).unwrap();
        assert_eq!(Status::read(&path).unwrap(), status);
        let newer = std::fs::read_to_string(&path).unwrap().replace("\"format\": 1", "\"format\": 9");
        std::fs::write(&path, newer).unwrap();
        assert!(matches!(Status::read(&path), Err(RunError::Newer { found: 9, .. })));
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(Status::read(&path), Err(RunError::Content { .. })));
    }
}
