//! The right to write a run, which one process has at a time.
//!
//! It is a lock of the operating system on a file of the run's folder, so it ends with the process however that
//! ends. Where a file system has no locks, the claim is granted: the status still tells who is at work.

use std::{
    fs::{self, File, TryLockError},
    num::NonZeroUsize,
    path::PathBuf,
};

use super::{
    Checkpoint, CheckpointWriter, EventWriter, LogWriter, MetricsWriter, RunDirectory, RunError, Status,
    Timestamp, layout, process,
};

/// A run that this process alone may write.
#[derive(Debug)]
pub struct RunLock {
    directory: RunDirectory,
    _lock: File,
}

impl RunLock {
    pub(super) fn take(directory: &RunDirectory) -> Result<RunLock, RunError> {
        let path = directory.path().join(layout::LOCK);
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.map_err(RunError::file("open", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(RunError::Busy { name: directory.name().to_string() });
            }
            // Network file systems say in many ways that they have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        directory.checkpoints().recover()?;
        Ok(RunLock { directory: directory.clone(), _lock: lock })
    }

    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    pub fn write_status(&self, status: &Status) -> Result<(), RunError> {
        status.write(&self.directory.status_path())
    }

    /// The metrics, to go on after a step: lines of later steps and a torn last line are taken out. A new run
    /// goes on after nothing.
    pub fn metrics_after(&self, step: Option<u64>) -> Result<MetricsWriter, RunError> {
        MetricsWriter::resume(&self.directory.metrics_path(), step)
    }

    pub fn log(&self) -> Result<LogWriter, RunError> {
        LogWriter::open(&self.directory.log_path())
    }

    /// TensorBoard's events, to go on after a step.
    pub fn tensorboard_after(&self, step: Option<u64>, now: Timestamp) -> Result<EventWriter, RunError> {
        let folder: PathBuf = self.directory.tensorboard_path();
        fs::create_dir_all(&folder).map_err(RunError::file("make the folder", &folder))?;
        EventWriter::resume(&folder, &process::host(), step, now)
    }

    /// Saves what is needed to go on after a step. It is there whole, and will last, once this returns.
    pub fn save_checkpoint<'a>(
        &self,
        step: u64,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Checkpoint, RunError> {
        self.save_checkpoint_with(step, |writer| writer.add_all(files))
    }

    /// The same for files that are too large to lie in memory as bytes.
    pub fn save_checkpoint_with(
        &self,
        step: u64,
        fill: impl FnOnce(&mut CheckpointWriter) -> Result<(), RunError>,
    ) -> Result<Checkpoint, RunError> {
        self.directory.checkpoints().save(&format!("step-{step}"), step, fill)
    }

    /// Saves the best model so far in the place of the one before.
    pub fn save_best<'a>(
        &self,
        step: u64,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Checkpoint, RunError> {
        self.directory.checkpoints().save(layout::BEST, step, |writer| writer.add_all(files))
    }

    /// Removes the checkpoints before the last few up to the one just saved.
    pub fn keep_last_checkpoints(&self, count: NonZeroUsize, saved: &Checkpoint) -> Result<(), RunError> {
        self.directory.checkpoints().keep_last(count, saved.step())
    }
}
