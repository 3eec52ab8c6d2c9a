//! A study as a separate process, which outlives the workbench that started it.
//!
//! The process is `matchbook study` with the options that were chosen. Its runs and evaluations are in the workspace as
//! always, so nothing is lost when it is stopped or killed: starting it again continues with what is missing. What was
//! started, and its output, are kept in a folder of the workspace.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::{Deserialize, Serialize};

use super::{
    StudyRequest,
    runner::{StudyError, StudyTarget},
};
use crate::{
    base::{
        atomic, outside,
        process::{ProcessIdentity, ProcessState, host},
        workspace::{VARIABLE, Workspace},
    },
    runs::{
        Timestamp,
        jobs::{start_detached, stop_process, this_program},
        last_lines,
    },
};

/// Where and how the runs of a study are trained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyOptions {
    pub target: StudyTarget,
    /// The name of a device.
    pub device: String,
}

impl Default for StudyOptions {
    fn default() -> StudyOptions {
        StudyOptions { target: StudyTarget::Local, device: "auto".to_owned() }
    }
}

/// The process of a study, as far as this machine can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StudyJobState {
    /// None was started, or it has ended.
    #[default]
    Idle,
    Running {
        since: Timestamp,
    },
    /// It runs on another machine, or did.
    Elsewhere {
        host: String,
    },
}

/// The process of a study, by its folder.
#[derive(Clone, Debug)]
pub struct StudyJob {
    folder: PathBuf,
}

/// What was started: `job.json`.
#[derive(Debug, Serialize, Deserialize)]
struct StudyRecord {
    arguments: Vec<String>,
    process: ProcessIdentity,
    host: String,
    started: Timestamp,
}

impl StudyJob {
    /// The process of a study on a corpus: one for each preset.
    pub fn new(workspace: &Workspace, request: &StudyRequest, fingerprint: &str) -> StudyJob {
        let short: String = fingerprint.chars().take(10).collect();
        let name = format!("{}-{}-{short}", request.study, request.preset.name());
        StudyJob { folder: workspace.root().join("studies").join("jobs").join(name) }
    }

    fn record_path(&self) -> PathBuf {
        self.folder.join("job.json")
    }

    pub fn log_path(&self) -> PathBuf {
        self.folder.join("log.txt")
    }

    fn record(&self) -> Option<StudyRecord> {
        serde_json::from_slice(&outside::read(&self.record_path(), outside::SETTINGS).ok()?).ok()
    }

    pub fn state(&self) -> StudyJobState {
        let Some(record) = self.record() else { return StudyJobState::Idle };
        if record.host != host() {
            return StudyJobState::Elsewhere { host: record.host };
        }
        match record.process.presence() {
            ProcessState::Gone => StudyJobState::Idle,
            ProcessState::Running | ProcessState::Unknown => StudyJobState::Running { since: record.started },
        }
    }

    /// The last line that the process wrote, such as the reason why it ended.
    pub fn last_line(&self) -> Option<String> {
        last_lines(&self.log_path(), 1).ok()?.pop().filter(|line| !line.trim().is_empty())
    }

    /// Starts the process, which trains and evaluates what is missing.
    pub fn start(
        &self,
        workspace: &Workspace,
        request: &StudyRequest,
        corpus: &Path,
        options: &StudyOptions,
    ) -> Result<(), StudyError> {
        if let StudyJobState::Running { .. } = self.state() {
            return Err(StudyError::AtWork(request.study.to_string()));
        }
        let failed = |doing: &'static str, path: &Path| {
            let path = path.to_owned();
            move |source| StudyError::File { doing, path, source }
        };
        fs::create_dir_all(&self.folder).map_err(failed("create the folder", &self.folder))?;
        let log_path = self.log_path();
        // A pipe or a device in its place is refused.
        let log = outside::append(&log_path)
            .and_then(|log| log.set_len(0).map(|()| log))
            .map_err(failed("write", &log_path))?;
        let errors = log.try_clone().map_err(failed("write", &log_path))?;
        let root = std::path::absolute(workspace.root()).unwrap_or_else(|_| workspace.root().to_owned());
        let mut arguments = request.arguments(corpus);
        arguments.extend(["--on".to_owned(), options.target.name().to_owned()]);
        arguments.extend(["--device".to_owned(), options.device.clone()]);
        let mut command = Command::new(this_program());
        // As an argument of its own: the path need not be UTF-8.
        command.args(&arguments).arg("--workspace").arg(root).stdin(Stdio::null()).stdout(log).stderr(errors);
        command.current_dir(&self.folder).env_remove(VARIABLE);
        let process = start_detached(&mut command).map_err(StudyError::Spawn)?;
        let record = StudyRecord { arguments, process, host: host(), started: Timestamp::now() };
        let written = serde_json::to_vec_pretty(&record).unwrap_or_default();
        atomic::replace(&self.record_path(), &written).map_err(failed("write", &self.record_path()))
    }

    /// Asks the process to stop: its runs write a checkpoint first. Returns whether it was running.
    pub fn stop(&self) -> bool {
        match (self.state(), self.record()) {
            (StudyJobState::Running { .. }, Some(record)) => stop_process(&record.process),
            _ => false,
        }
    }
}
