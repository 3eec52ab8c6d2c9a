//! Why a checkpoint is not used.

use std::{fmt, io, path::PathBuf};

/// What is wrong with a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{file} has {found} bytes instead of {expected}")]
    Size { file: String, expected: u64, found: u64 },
    #[error("{file} has changed since it was saved")]
    Changed { file: String },
    #[error("{file} is missing")]
    Absent { file: String },
    #[error("{file} cannot be read: {problem}")]
    Unreadable { file: String, problem: String },
    #[error("it is not a matchbook checkpoint: {0}")]
    Foreign(String),
    #[error("it belongs to a run with other settings or another corpus")]
    OtherRun,
    #[error("a newer matchbook saved it (format {found}; this one reads up to {known})")]
    Newer { found: u64, known: u64 },
}

impl Refusal {
    /// Whether another program, or this one later, may be able to read it.
    pub fn may_be_intact(&self) -> bool {
        matches!(self, Refusal::Unreadable { .. } | Refusal::Newer { .. })
    }

    pub(super) fn unreadable(file: &str, error: &io::Error) -> Refusal {
        Refusal::Unreadable { file: file.to_owned(), problem: error.to_string() }
    }
}

/// A checkpoint that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub step: u64,
    pub path: PathBuf,
    pub refusal: Refusal,
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the checkpoint {} is refused: {}", self.path.display(), self.refusal)
    }
}
