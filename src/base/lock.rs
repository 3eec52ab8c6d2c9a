//! Locks of the operating system, which end with the process that has them. Where a file system has none, they are granted.
//!
//! Small files of a folder (labels, tags, filters, settings) are changed one at a time: a change reads a file, edits its
//! content and replaces the file, so of two changes at once, one would undo the other. The lock is on the folder itself, so it
//! leaves nothing behind.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::outside;

/// A change takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Locks a file or a folder unless another process or thread keeps it locked for as long as the patience lasts. Returns whether
/// it is locked now.
pub fn lock_within(patience: Duration, file: &File) -> bool {
    let until = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) | Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) if Instant::now() >= until => return false,
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK_EVERY),
        }
    }
}

/// The right to change files of a folder, until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _folder: Option<File>,
}

impl FolderLock {
    /// Waits until no other process or thread changes files of the folder, which must exist.
    pub fn take(folder: &Path) -> io::Result<FolderLock> {
        let Ok(opened) = outside::open_folder(folder) else { return Ok(FolderLock { _folder: None }) };
        match lock_within(PATIENCE, &opened) {
            true => Ok(FolderLock { _folder: Some(opened) }),
            false => {
                let message = format!("another process keeps changing files in {}", folder.display());
                Err(io::Error::new(io::ErrorKind::WouldBlock, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    #[cfg(unix)]
    fn no_change_is_lost_and_no_file_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count");
        fs::write(&path, "0").unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _lock = FolderLock::take(folder.path()).unwrap();
                        let count: u32 = fs::read_to_string(&path).unwrap().parse().unwrap();
                        fs::write(&path, (count + 1).to_string()).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "200");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        FolderLock::take(&folder.path().join("missing")).unwrap();
    }
}
