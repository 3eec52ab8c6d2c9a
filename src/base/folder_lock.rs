//! One change at a time to the small files of a folder: labels, tags, filters, settings.
//!
//! A change reads a file, edits its content and replaces the file. Of two changes at once, one would undo the other, so a
//! change first locks the folder. The operating system's lock is on the folder itself, so it leaves nothing behind and is
//! released however the process ends. Where folders cannot be locked, the lock is granted.

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

/// The right to change files of a folder, until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _folder: Option<File>,
}

impl FolderLock {
    /// Waits until no other process or thread changes files of the folder, which must exist.
    pub fn take(folder: &Path) -> io::Result<FolderLock> {
        let Ok(opened) = outside::open_folder(folder) else { return Ok(FolderLock { _folder: None }) };
        let until = Instant::now() + PATIENCE;
        loop {
            match opened.try_lock() {
                Ok(()) => return Ok(FolderLock { _folder: Some(opened) }),
                Err(TryLockError::Error(_)) => return Ok(FolderLock { _folder: None }),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    let message = format!("another process keeps changing files in {}", folder.display());
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK_EVERY),
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
