//! Appending metrics, and going on after a crash.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    MetricsRow,
    summary::{self, Summary},
};
use crate::{
    base::atomic,
    runs::{
        RunError, Timestamp,
        follow::{Followed, LineFollower},
    },
};

/// How long a line waits in memory at most before whoever looks can see it.
const PATIENCE: Duration = Duration::from_millis(500);
/// How much waits in memory at most.
const MOST_WAITING: usize = 64 << 10;
/// How often the summary beside is brought up to date. A reader reads the lines since then, a few hundred kilobytes.
const LINES_PER_SUMMARY: u64 = 2048;

/// Adds lines to `metrics.jsonl`. Lines are written together, twice a second; a line is never written in part,
/// unless the machine stops in the middle of it.
#[derive(Debug)]
pub struct MetricsWriter {
    path: PathBuf,
    file: File,
    /// The length of the file as far as it is whole.
    length: u64,
    waiting: Vec<u8>,
    last_flush: Timestamp,
    summary: Summary,
    lines_since_summary: u64,
}

impl MetricsWriter {
    /// Opens the file to go on after a step: what is of later steps, and a torn last line, is taken out and kept in
    /// `metrics.dropped.jsonl`. Without a step everything is.
    pub fn resume(path: &Path, step: Option<u64>) -> Result<MetricsWriter, RunError> {
        let summary = drop_after(path, step)?;
        let file =
            File::options().create(true).append(true).open(path).map_err(RunError::file("open", path))?;
        let length = file.metadata().map_err(RunError::file("read", path))?.len();
        Ok(MetricsWriter {
            path: path.to_owned(),
            file,
            length,
            waiting: Vec::new(),
            last_flush: Timestamp::default(),
            summary,
            lines_since_summary: 0,
        })
    }

    /// Adds a line. Its time decides whether the lines that wait are written now.
    pub fn append(&mut self, row: &MetricsRow<'_>) -> Result<(), RunError> {
        let start = self.waiting.len();
        if let Err(error) = serde_json::to_writer(&mut self.waiting, row) {
            self.waiting.truncate(start);
            return Err(RunError::content(&self.path, error));
        }
        self.summary.add_line(row, &self.waiting[start..]);
        self.waiting.push(b'\n');
        self.lines_since_summary += 1;
        if self.waiting.len() >= MOST_WAITING || row.time.since(self.last_flush) >= PATIENCE {
            self.last_flush = row.time;
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the lines that wait. After a failure (a full disk) they still wait, and the file ends with a line.
    pub fn flush(&mut self) -> Result<(), RunError> {
        if let Err(error) = self.file.write_all(&self.waiting) {
            let _ = self.file.set_len(self.length);
            return Err(RunError::file("write", &self.path)(error));
        }
        self.length += self.waiting.len() as u64;
        self.waiting.clear();
        if self.lines_since_summary >= LINES_PER_SUMMARY {
            self.write_summary();
        }
        Ok(())
    }

    /// Writes the lines that wait and makes them last. Call it before a checkpoint is saved: else a crash may leave
    /// a checkpoint whose steps have no metrics.
    pub fn sync(&mut self) -> Result<(), RunError> {
        self.flush()?;
        self.file.sync_data().map_err(RunError::file("write", &self.path))
    }

    /// The summary is made again by whoever misses it, so a failure to write it is none of the trainer's.
    fn write_summary(&mut self) {
        self.lines_since_summary = 0;
        let _ = self.summary.write(&summary::path_beside(&self.path));
    }
}

impl Drop for MetricsWriter {
    fn drop(&mut self) {
        if self.flush().is_ok() && self.lines_since_summary > 0 {
            self.write_summary();
        }
    }
}

/// Takes the lines after a step out of a file, in one step, and gives the summary of what is left.
fn drop_after(path: &Path, step: Option<u64>) -> Result<Summary, RunError> {
    let (mut kept, mut dropped, mut summary) = (Vec::new(), Vec::new(), Summary::default());
    let read = LineFollower::new(path).read(|followed| {
        let Followed::Line(text) = followed else { return };
        let row = serde_json::from_slice::<MetricsRow<'_>>(text).ok();
        let stays = match (&row, step) {
            (Some(row), Some(step)) => row.step <= step,
            // A line that nobody can read is of no step.
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
        // A new file instead of a shorter one, so that no reader takes what comes for a continuation.
        atomic::replace(path, &kept).map_err(RunError::file("write", path))?;
    }
    Ok(summary)
}

fn keep_aside(path: &Path, dropped: &[u8]) -> Result<(), RunError> {
    if dropped.is_empty() {
        return Ok(());
    }
    let path = path.with_extension("dropped.jsonl");
    let file = File::options().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(dropped)).map_err(RunError::file("write", &path))
}
