//! Reads metrics as they are appended.

use std::path::{Path, PathBuf};

use super::MetricsRow;
use crate::runs::{
    RunError,
    follow::{Anchor, Followed, LineFollower},
};

/// Follows `metrics.jsonl`. A read costs as much as was appended; the file need not exist yet.
#[derive(Clone, Debug)]
pub struct Tail {
    path: PathBuf,
    follower: LineFollower,
}

/// What a read finds.
#[derive(Debug, PartialEq)]
pub enum Tailed<'a> {
    /// The run was resumed at an earlier step: discard all rows, they come again.
    Restarted,
    Row(MetricsRow<'a>),
    /// A complete line that is not a row of metrics.
    Unreadable(&'a [u8]),
}

impl Tail {
    pub fn new(path: &Path) -> Tail {
        Tail::from(path, Anchor::default())
    }

    /// Continues from a position that was reached before, such as the end of a [`Summary`](super::Summary).
    pub fn from(path: &Path, anchor: Anchor) -> Tail {
        Tail { path: path.to_owned(), follower: LineFollower::from(path, anchor) }
    }

    /// Reads the rows since the last read.
    pub fn read(&mut self, mut visit: impl FnMut(Tailed<'_>)) -> Result<(), RunError> {
        self.read_lines(|tailed, _| visit(tailed))
    }

    /// Like [`Tail::read`], with the text of the line.
    pub(super) fn read_lines(&mut self, mut visit: impl FnMut(Tailed<'_>, &[u8])) -> Result<(), RunError> {
        let read = self.follower.read(|followed| match followed {
            Followed::Restarted => visit(Tailed::Restarted, b""),
            Followed::Line(text) => match serde_json::from_slice(text) {
                Ok(row) => visit(Tailed::Row(row), text),
                Err(_) => visit(Tailed::Unreadable(text), text),
            },
        });
        read.map_err(RunError::file("read", &self.path))
    }

    /// All rows that are there now.
    pub fn read_all(path: &Path) -> Result<Vec<MetricsRow<'static>>, RunError> {
        let mut rows = Vec::new();
        Tail::new(path).read(|tailed| {
            if let Tailed::Row(row) = tailed {
                rows.push(row.into_owned());
            }
        })?;
        Ok(rows)
    }
}
