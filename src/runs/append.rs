//! A file that records are appended to in batches, and that never ends in the middle of a record.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{RunError, Timestamp};

/// Bytes that are buffered at most.
const LARGEST_BATCH: usize = 64 << 10;

#[derive(Debug)]
pub struct BatchedFile {
    path: PathBuf,
    file: File,
    /// The length of the file up to its last whole record.
    length: u64,
    pub pending: Vec<u8>,
    last_flush: Timestamp,
    /// How long a record is buffered at most.
    interval: Duration,
}

impl BatchedFile {
    /// `length` is that of the file, whose last record is whole.
    pub fn new(
        path: PathBuf,
        file: File,
        length: u64,
        interval: Duration,
        last_flush: Timestamp,
    ) -> BatchedFile {
        BatchedFile { path, file, length, pending: Vec::new(), last_flush, interval }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the buffer is to be written, now that a record of this time was added.
    pub fn is_due(&mut self, time: Timestamp) -> bool {
        let is_due = self.pending.len() >= LARGEST_BATCH || time.since(self.last_flush) >= self.interval;
        if is_due {
            self.last_flush = time;
        }
        is_due
    }

    /// Writes what is buffered. After a failure (a full disk) it is still buffered, and the file ends with a whole record.
    pub fn flush(&mut self) -> Result<(), RunError> {
        if let Err(error) = self.file.write_all(&self.pending) {
            let _ = self.file.set_len(self.length);
            return Err(RunError::file("write", &self.path)(error));
        }
        self.length += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Forces what was written to the disk.
    pub fn sync(&mut self) -> Result<(), RunError> {
        self.file.sync_data().map_err(RunError::file("write", &self.path))
    }
}
