//! TensorBoard's event files, beside our own metrics, for those who look with that.
//!
//! A run has one file. Scalars are called `train/loss` and, for an evaluation, `dev/mrr`. When a run is resumed, what
//! a crash left torn is cut off and the start of a session is noted, which is how TensorBoard learns that the steps
//! from there on are done again. Numbers that are not finite are written as they are; TensorBoard marks them.

mod crc32c;
mod event;
mod record;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{MetricsRow, RunError, Timestamp};

/// How long a record waits in memory at most; TensorBoard looks every few seconds.
const PATIENCE: Duration = Duration::from_secs(2);
const MOST_WAITING: usize = 64 << 10;

/// Adds events to a run's event file.
#[derive(Debug)]
pub struct EventWriter {
    path: PathBuf,
    file: File,
    length: u64,
    waiting: Vec<u8>,
    last_flush: Timestamp,
}

impl EventWriter {
    /// Opens the event file of a folder, or makes it, to go on after a step.
    pub fn resume(
        folder: &Path,
        host: &str,
        step: Option<u64>,
        now: Timestamp,
    ) -> Result<EventWriter, RunError> {
        let found = find(folder)?;
        let host: String =
            host.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
        let new_name = format!("events.out.tfevents.{:010}.{host}", now.milliseconds() / 1000);
        let path = found.unwrap_or_else(|| folder.join(new_name));
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(RunError::file("read", &path)(error)),
        };
        let length = record::whole_length(&bytes) as u64;
        let opened = File::options().create(true).append(true).open(&path).and_then(|file| {
            file.set_len(length)?;
            Ok(file)
        });
        let file = opened.map_err(RunError::file("open", &path))?;
        let mut writer = EventWriter { path, file, length, waiting: Vec::new(), last_flush: now };
        if length == 0 {
            writer.push(&event::file_version(now));
        } else {
            writer.push(&event::session_start(now, step.map_or(0, |step| step + 1)));
        }
        writer.flush()?;
        Ok(writer)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds the values of a row of metrics.
    pub fn append(&mut self, row: &MetricsRow<'_>) -> Result<(), RunError> {
        let group = row.evaluation.as_deref().unwrap_or("train");
        let tags: Vec<String> = row.values.iter().map(|(name, _)| format!("{group}/{name}")).collect();
        let values = tags.iter().map(String::as_str).zip(row.values.iter().map(|(_, value)| *value));
        self.push(&event::scalars(row.time, row.step, values));
        if self.waiting.len() >= MOST_WAITING || row.time.since(self.last_flush) >= PATIENCE {
            self.last_flush = row.time;
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the records that wait. After a failure they still wait, and the file ends with a record.
    pub fn flush(&mut self) -> Result<(), RunError> {
        if let Err(error) = self.file.write_all(&self.waiting) {
            let _ = self.file.set_len(self.length);
            return Err(RunError::file("write", &self.path)(error));
        }
        self.length += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    fn push(&mut self, data: &[u8]) {
        record::push(&mut self.waiting, data);
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
    let is_ours = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("events.out.tfevents."))
    };
    Ok(names.filter(is_ours).max())
}
