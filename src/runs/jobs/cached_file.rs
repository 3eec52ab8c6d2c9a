//! Caches small files that are read often: each is read once per change.

use std::{fs, io, path::Path, time::SystemTime};

/// Identifies a version of a file: files of a run are replaced, which changes the inode too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    changed: Option<SystemTime>,
    number: u64,
}

/// The value that was read from a file, until the file changes.
#[derive(Debug)]
pub struct CachedFile<T> {
    stamp: Option<Stamp>,
    value: Option<T>,
}

impl<T> Default for CachedFile<T> {
    fn default() -> Self {
        CachedFile { stamp: None, value: None }
    }
}

impl<T: Clone> CachedFile<T> {
    /// The value of the file now; none if it is missing. A file that cannot be read is tried again every time.
    pub fn read<E>(&mut self, path: &Path, read: impl FnOnce(&Path) -> Result<T, E>) -> Result<Option<T>, E> {
        let stamp = stamp(path).ok();
        let Some(stamp) = stamp else {
            *self = CachedFile::default();
            return Ok(None);
        };
        if self.stamp != Some(stamp) || self.value.is_none() {
            self.stamp = None;
            self.value = Some(read(path)?);
            self.stamp = Some(stamp);
        }
        Ok(self.value.clone())
    }

    /// When the file was last changed, as of the last read.
    pub fn changed(&self) -> Option<SystemTime> {
        self.stamp?.changed
    }
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    let data = fs::metadata(path)?;
    Ok(Stamp { length: data.len(), changed: data.modified().ok(), number: number_of(&data) })
}

#[cfg(unix)]
fn number_of(data: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(data)
}

#[cfg(not(unix))]
fn number_of(_: &fs::Metadata) -> u64 {
    0
}
