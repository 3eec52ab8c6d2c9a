//! Adding to a corpus that exists, such as a split.
//!
//! The corpus is copied, the copy is changed and takes the name of the original. So at any time the file is a whole corpus
//! without a journal, whatever is killed; a copy of it is a whole corpus too, and readers that have it open continue to
//! read what they opened. Where the file system can share blocks between files, copying costs nothing.

#[cfg(unix)]
use std::time::Duration;
use std::{fs, path::Path};

use rusqlite::{Connection, OpenFlags};

use super::{Fingerprint, Store, StoreError, journal, location::Location};
use crate::base::{atomic::behind_links, temporary::TemporaryFile};

/// How long a writer waits for another one.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(10);

impl Store {
    /// Changes the stored corpus; `doing` is for messages. Fails if the file is another corpus by now.
    pub(super) fn amend(
        &self,
        doing: &'static str,
        change: impl FnOnce(&Connection) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        let path = &behind_links(self.path());
        let failed = StoreError::database(doing, path);
        if let Location::Memory(_) = self.location {
            let connection = self.location.connect_writable().map_err(&failed)?;
            return change(&connection).map_err(failed);
        }
        let not_written = StoreError::file(doing, path);
        let lock = CorpusLock::take(path).map_err(&not_written)?;
        journal::settle(path)?;
        let copy = TemporaryFile::beside(path).map_err(&not_written)?;
        fs::copy(path, copy.path()).map_err(&not_written)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(copy.path(), flags).map_err(&failed)?;
        // A copy that is not finished is thrown away, so nothing has to be rolled back.
        connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").map_err(&failed)?;
        let found: String =
            connection.query_row("SELECT fingerprint FROM header", [], |row| row.get(0)).map_err(&failed)?;
        if found.parse::<Fingerprint>().ok() != Some(self.fingerprint()) {
            return Err(StoreError::Replaced { path: path.to_owned() });
        }
        change(&connection).map_err(&failed)?;
        connection.close().map_err(|(_, error)| failed(error))?;
        journal::clear(path).map_err(&not_written)?;
        copy.persist(path).map_err(&not_written)?;
        drop(lock);
        Ok(())
    }
}

/// Held by the one process that may replace a corpus.
pub struct CorpusLock {
    _file: Option<fs::File>,
}

impl CorpusLock {
    /// Waits for other writers of the corpus, which may replace it meanwhile.
    #[cfg(unix)]
    pub fn take(path: &Path) -> std::io::Result<CorpusLock> {
        use std::{os::unix::fs::MetadataExt, thread, time::Instant};
        let deadline = Instant::now() + PATIENCE;
        loop {
            let file = fs::File::options().read(true).write(true).open(path)?;
            let is_locked = match file.try_lock() {
                Ok(()) => true,
                Err(fs::TryLockError::WouldBlock) => false,
                // Not every file system has locks.
                Err(fs::TryLockError::Error(_)) => return Ok(CorpusLock { _file: None }),
            };
            let same = |data: &fs::Metadata, other: &fs::Metadata| {
                (data.dev(), data.ino()) == (other.dev(), other.ino())
            };
            if is_locked && same(&file.metadata()?, &fs::metadata(path)?) {
                return Ok(CorpusLock { _file: Some(file) });
            }
            if Instant::now() > deadline {
                return Err(std::io::Error::other(
                    "another process is writing it; try again when it is done",
                ));
            }
            drop(file);
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Locks keep others from reading on other systems, so there the last writer wins.
    #[cfg(not(unix))]
    pub fn take(_: &Path) -> std::io::Result<CorpusLock> {
        Ok(CorpusLock { _file: None })
    }
}
