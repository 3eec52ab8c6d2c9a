//! The lock of a run: one process at a time may write it.
//!
//! It is an operating system lock on a file of the run's directory, so it is released however the process ends. Where a file
//! system has no locks, the lock is granted: the status still shows which process is training.

use std::{
    fs::{self, File},
    num::NonZeroUsize,
    path::PathBuf,
    time::Duration,
};

use super::{
    Checkpoint, CheckpointWriter, EventWriter, LogWriter, MetricsWriter, RunDirectory, RunError, Status,
    Timestamp, layout,
};
use crate::base::{lock::lock_within, outside, process, temporary};

/// A child that this process is just starting has its open files, and so its locks, for a moment.
const INHERITED: Duration = Duration::from_millis(250);

/// A run that this process has locked.
#[derive(Debug)]
pub struct RunLock {
    directory: RunDirectory,
    _lock: File,
}

impl RunLock {
    pub(super) fn take(directory: &RunDirectory) -> Result<RunLock, RunError> {
        let path = directory.path().join(layout::LOCK);
        let lock = outside::open_lock(&path).map_err(RunError::file("open", &path))?;
        if !lock_within(INHERITED, &lock) {
            return Err(RunError::Busy { name: directory.name().to_string() });
        }
        temporary::sweep(directory.path());
        directory.checkpoints().recover()?;
        Ok(RunLock { directory: directory.clone(), _lock: lock })
    }

    pub fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    pub fn write_status(&self, status: &Status) -> Result<(), RunError> {
        status.write(&self.directory.status_path())
    }

    /// Opens the metrics to continue after a step: lines of later steps and a torn last line are removed. Without a step,
    /// all lines are.
    pub fn metrics_after(&self, step: Option<u64>) -> Result<MetricsWriter, RunError> {
        MetricsWriter::resume(&self.directory.metrics_path(), step)
    }

    pub fn log(&self) -> Result<LogWriter, RunError> {
        LogWriter::open(&self.directory.log_path())
    }

    /// Opens the TensorBoard events to continue after a step.
    pub fn tensorboard_after(&self, step: Option<u64>, now: Timestamp) -> Result<EventWriter, RunError> {
        let folder: PathBuf = self.directory.tensorboard_path();
        fs::create_dir_all(&folder).map_err(RunError::file("create the folder", &folder))?;
        EventWriter::resume(&folder, &process::host(), step, now)
    }

    /// Saves the files of a checkpoint. Once this returns they are complete and on the disk.
    pub fn save_checkpoint<'a>(
        &self,
        step: u64,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Checkpoint, RunError> {
        self.save_checkpoint_with(step, |writer| writer.add_all(files))
    }

    /// Like [`RunLock::save_checkpoint`], for files that are too large to be held in memory as bytes.
    pub fn save_checkpoint_with(
        &self,
        step: u64,
        fill: impl FnOnce(&mut CheckpointWriter) -> Result<(), RunError>,
    ) -> Result<Checkpoint, RunError> {
        self.directory.checkpoints().save(&format!("step-{step}"), step, fill)
    }

    /// Replaces the best model so far.
    pub fn save_best<'a>(
        &self,
        step: u64,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Checkpoint, RunError> {
        self.directory.checkpoints().save(layout::BEST, step, |writer| writer.add_all(files))
    }

    /// Removes all but the last `count` checkpoints up to the one just saved.
    pub fn keep_last_checkpoints(&self, count: NonZeroUsize, saved: &Checkpoint) -> Result<(), RunError> {
        self.directory.checkpoints().keep_last(count, saved.step())
    }
}
