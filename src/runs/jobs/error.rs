//! Errors of jobs.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    base::workspace::WorkspaceError,
    runs::{RunDirectory, RunError, layout},
};

#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error("{0}")]
    Device(String),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error("cannot {doing} {}: {source}", path.display())]
    File { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("{} cannot be used: {problem}", path.display())]
    Content { path: PathBuf, problem: String },
    #[error("the run {name} is running; stop it first with `matchbook runs stop {name}`")]
    AtWork { name: String },
    #[error("the run {name} is {state}, so there is nothing to stop")]
    Resting { name: String, state: &'static str },
    #[error("the run {name} is {state} and is not queued")]
    NotWaiting { name: String, state: &'static str },
    #[error("the run {name} has finished; `matchbook runs duplicate {name} NAME` starts a copy")]
    Finished { name: String },
    #[error(
        "the run {name} is running on {host} and cannot be killed from this machine; stop it, or kill it there"
    )]
    Elsewhere { name: String, host: String },
    #[error("this system cannot signal the process {pid} of the run {name}; it was asked to stop instead")]
    NoSignals { name: String, pid: u32 },
    #[error("another matchbook ({owner}) has held the lock {} for too long; try again", path.display())]
    Locked { path: PathBuf, owner: String },
    #[error("cannot change the settings: {0}")]
    Change(String),
    #[error("{0}")]
    Slurm(String),
}

impl JobError {
    /// For `map_err`: what was being done to which file.
    pub(super) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> JobError {
        move |source| JobError::File { doing, path: path.to_owned(), source }
    }

    pub(super) fn no_record(run: &RunDirectory) -> JobError {
        JobError::Content {
            path: run.path().join(layout::JOB),
            problem: "it does not exist, so the run cannot be started".to_owned(),
        }
    }
}
