//! TensorBoard event files, beside our own metrics.
//!
//! A run has one file. Scalars have tags like `train/loss` and, for an evaluation, `dev/mrr`. When a run is resumed, a
//! torn record is cut off and the start of a session is written, which is how TensorBoard learns that the steps from
//! there on are repeated. Values that are not finite are written as they are; TensorBoard marks them.

mod crc32c;
mod event;
mod record;
#[cfg(test)]
mod tests;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{MetricsRow, RunError, Timestamp, append::BatchedFile};
use crate::base::outside;

/// How long a record is buffered; TensorBoard reads every few seconds.
const FLUSH_INTERVAL: Duration = Duration::from_secs(2);
/// The prefix of the tags of training steps; that of an evaluation is its name.
const TRAINING: &str = "train";
const FILE_PREFIX: &str = "events.out.tfevents.";

/// Appends events to a run's event file.
#[derive(Debug)]
pub struct EventWriter {
    file: BatchedFile,
}

impl EventWriter {
    /// Opens or creates the event file of a folder, to continue after a step.
    pub fn resume(
        folder: &Path,
        host: &str,
        step: Option<u64>,
        now: Timestamp,
    ) -> Result<EventWriter, RunError> {
        let found = find(folder)?;
        let host: String =
            host.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
        let new_name = format!("{FILE_PREFIX}{:010}.{host}", now.milliseconds() / 1000);
        let path = found.unwrap_or_else(|| folder.join(new_name));
        let bytes = match outside::read(&path, outside::EVENTS) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(RunError::file("read", &path)(error)),
        };
        let length = record::whole_length(&bytes) as u64;
        let opened = outside::append(&path).and_then(|file| {
            file.set_len(length)?;
            Ok(file)
        });
        let file = opened.map_err(RunError::file("open", &path))?;
        let file = BatchedFile::new(path, file, length, FLUSH_INTERVAL, now);
        let mut writer = EventWriter { file };
        if length == 0 {
            writer.push(&event::file_version(now));
        } else {
            writer.push(&event::session_start(now, step.map_or(0, |step| step + 1)));
        }
        writer.flush()?;
        Ok(writer)
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Appends the values of a metrics row.
    pub fn append(&mut self, row: &MetricsRow<'_>) -> Result<(), RunError> {
        let group = row.evaluation.as_deref().unwrap_or(TRAINING);
        let tags: Vec<String> = row.values.iter().map(|(name, _)| format!("{group}/{name}")).collect();
        let values = tags.iter().map(String::as_str).zip(row.values.iter().map(|(_, value)| *value));
        self.push(&event::scalars(row.time, row.step, values));
        if self.file.is_due(row.time) { self.flush() } else { Ok(()) }
    }

    /// Writes the buffered records.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.flush()
    }

    fn push(&mut self, data: &[u8]) {
        record::push(&mut self.file.pending, data);
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// The newest event file of a folder.
fn find(folder: &Path) -> Result<Option<PathBuf>, RunError> {
    let entries = fs::read_dir(folder).map_err(RunError::file("read the folder", folder))?;
    let names = entries.flatten().map(|entry| entry.path());
    let is_ours =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(FILE_PREFIX));
    Ok(names.filter(is_ours).max())
}
