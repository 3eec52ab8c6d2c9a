//! Errors of runs.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::checkpoint::Refusal;
use crate::base::{task::Cancelled, workspace::WorkspaceError};

/// Why an operation on a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{name:?} is not a valid run name: {problem}")]
    Name { name: String, problem: &'static str },
    #[error("the run {name} already exists in {}; choose another name, or remove it with `matchbook runs remove {name}`", path.display())]
    Exists { name: String, path: PathBuf },
    #[error("there is no run {name} in {}; `matchbook runs` lists the runs", folder.display())]
    Missing { name: String, folder: PathBuf },
    #[error("{name} comes with matchbook and cannot be changed; duplicate it to train a similar one")]
    BuiltIn { name: String },
    #[error("the run {name} has no model yet: the first evaluation saves one")]
    NoModel { name: String },
    #[error(
        "{name} comes with matchbook without its model; duplicate it (`matchbook runs duplicate {name} NAME`, or d in Train) to train one"
    )]
    BuiltInWithoutModel { name: String },
    #[error("{name} is the name of a model that comes with matchbook; choose another name")]
    Reserved { name: String },
    #[error("the run {name} is in use by another process; stop that one first")]
    Busy { name: String },
    #[error("cannot {doing} {}: {source}{}", path.display(), advice(doing, source))]
    File { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("the path of the corpus {} is not UTF-8, so a run cannot record it; rename the file or its folder", .0.display())]
    CorpusPath(PathBuf),
    #[error("{} cannot be used: {problem}", path.display())]
    Content { path: PathBuf, problem: String },
    #[error("{} was written by a newer matchbook (format {found}; this one reads up to {known}); update matchbook", path.display())]
    Newer { path: PathBuf, found: u64, known: u64 },
    #[error("the checkpoint {} is refused: {refusal}", path.display())]
    Checkpoint { path: PathBuf, refusal: Refusal },
    #[error("the checkpoint {} is refused: {refusal}; {}", path.display(), remedy(refusal))]
    NotResumed { path: PathBuf, refusal: Refusal },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

impl RunError {
    /// For `map_err`: what was being done to which file.
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> RunError {
        move |source| RunError::File { doing, path: path.to_owned(), source }
    }

    pub(crate) fn content(path: &Path, problem: impl ToString) -> RunError {
        RunError::Content { path: path.to_owned(), problem: problem.to_string() }
    }

    /// Whether the disk is full, so that a retry helps once there is space.
    pub fn is_disk_full(&self) -> bool {
        matches!(self, RunError::File { source, .. } if is_full(source))
    }
}

/// What lets a run be resumed again.
fn remedy(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Newer { .. } => "update matchbook",
        _ => "restore it, or remove it to continue from an earlier one or from the start",
    }
}

fn is_full(source: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

fn advice(doing: &str, source: &io::Error) -> &'static str {
    match source.kind() {
        // A file that is larger than its kind can be was read; one that is larger than a limit of the system was written.
        _ if doing != "read" && is_full(source) => {
            "; free some space and resume: everything saved before is intact"
        }
        io::ErrorKind::PermissionDenied => "; you lack permission",
        _ => "",
    }
}
