//! Appends metrics, also after a crash.

use std::{
    io::{self, Write},
    path::Path,
    time::Duration,
};

use super::{
    MetricsRow,
    summary::{self, Summary},
};
use crate::{
    base::{atomic, outside},
    runs::{
        RunError, Timestamp,
        append::BatchedFile,
        follow::{Followed, LineFollower},
    },
};

/// How long a line is buffered before readers can see it.
const FLUSH_INTERVAL: Duration = Duration::from_millis(500);
/// How often the summary is updated. A reader reads the lines since then, a few hundred kilobytes.
const LINES_PER_SUMMARY: u64 = 2048;

/// Appends lines to `metrics.jsonl`. Lines are written in batches, twice a second; a line is never written in part,
/// unless the machine stops in the middle of it.
#[derive(Debug)]
pub struct MetricsWriter {
    file: BatchedFile,
    summary: Summary,
    lines_since_summary: u64,
}

impl MetricsWriter {
    /// Opens the file to continue after a step. Lines of later steps and a torn last line are moved to
    /// `metrics.dropped.jsonl`; without a step all lines are.
    pub fn resume(path: &Path, step: Option<u64>) -> Result<MetricsWriter, RunError> {
        let summary = drop_after(path, step)?;
        let file = outside::append(path).map_err(RunError::file("open", path))?;
        let length = file.metadata().map_err(RunError::file("read", path))?.len();
        let file = BatchedFile::new(path.to_owned(), file, length, FLUSH_INTERVAL, Timestamp::default());
        Ok(MetricsWriter { file, summary, lines_since_summary: 0 })
    }

    /// Adds a line. Its time decides whether the buffered lines are written now.
    pub fn append(&mut self, row: &MetricsRow<'_>) -> Result<(), RunError> {
        let start = self.file.pending.len();
        if let Err(error) = serde_json::to_writer(&mut self.file.pending, row) {
            self.file.pending.truncate(start);
            return Err(RunError::content(self.file.path(), error));
        }
        self.summary.add_line(row, &self.file.pending[start..]);
        self.file.pending.push(b'\n');
        self.lines_since_summary += 1;
        if self.file.is_due(row.time) { self.flush() } else { Ok(()) }
    }

    /// Writes the buffered lines.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.flush()?;
        if self.lines_since_summary >= LINES_PER_SUMMARY {
            self.write_summary();
        }
        Ok(())
    }

    /// Writes the buffered lines and forces them to the disk. Call it before a checkpoint is saved: otherwise a crash may
    /// leave a checkpoint whose steps have no metrics.
    pub fn sync(&mut self) -> Result<(), RunError> {
        self.flush()?;
        self.file.sync()
    }

    /// Ignores failures: a reader that finds no summary makes its own.
    fn write_summary(&mut self) {
        self.lines_since_summary = 0;
        let _ = self.summary.write(&summary::path_beside(self.file.path()));
    }
}

impl Drop for MetricsWriter {
    fn drop(&mut self) {
        if self.flush().is_ok() && self.lines_since_summary > 0 {
            self.write_summary();
        }
    }
}

/// Removes the lines after a step from a file, atomically. Returns the summary of the remaining ones.
fn drop_after(path: &Path, step: Option<u64>) -> Result<Summary, RunError> {
    let (mut kept, mut dropped, mut summary) = (Vec::new(), Vec::new(), Summary::default());
    let read = LineFollower::new(path).read(|followed| {
        let Followed::Line(text) = followed else { return };
        let row = serde_json::from_slice::<MetricsRow<'_>>(text).ok();
        let stays = match (&row, step) {
            (Some(row), Some(step)) => row.step <= step,
            // An unreadable line belongs to no step.
            _ => false,
        };
        let lines = if stays { &mut kept } else { &mut dropped };
        lines.extend_from_slice(text);
        lines.push(b'\n');
        if let Some(row) = row.filter(|_| stays) {
            summary.add_line(&row, text);
        }
    });
    read.map_err(RunError::file("read", path))?;
    let length = match path.metadata() {
        Ok(data) => data.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(summary),
        Err(error) => return Err(RunError::file("read", path)(error)),
    };
    if length != kept.len() as u64 {
        keep_aside(path, &dropped)?;
        // A new file instead of a truncated one, so that no reader takes what follows for a continuation.
        atomic::replace(path, &kept).map_err(RunError::file("write", path))?;
    }
    Ok(summary)
}

fn keep_aside(path: &Path, dropped: &[u8]) -> Result<(), RunError> {
    if dropped.is_empty() {
        return Ok(());
    }
    let path = path.with_extension("dropped.jsonl");
    outside::append(&path)
        .and_then(|mut file| file.write_all(dropped))
        .map_err(RunError::file("write", &path))
}
