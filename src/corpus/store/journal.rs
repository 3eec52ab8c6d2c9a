//! The journal that a killed writer left beside a corpus.
//!
//! Corpora are replaced as a whole, so nothing here leaves a journal; but earlier versions wrote splits in place, and other
//! programs may. SQLite rolls such a journal back when the file is opened for writing, while a connection that only reads
//! fails with "attempt to write a readonly database". So [`settle`] opens the corpus for writing once. On read-only media
//! it rolls back a temporary copy instead, which is then read in the corpus's place.
//!
//! A journal may name a *super-journal*, a file that SQLite deletes after rolling back. A corpus never has one, and a
//! downloaded journal could name any file of the user, so such journals are refused.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use super::StoreError;
use crate::base::{outside, temporary::TemporaryFolder};

/// The files that SQLite keeps beside a database.
const COMPANIONS: [&str; 3] = ["-journal", "-wal", "-shm"];
/// The last bytes of a journal that names a super-journal.
const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
/// Where the header of a database says that it has a write-ahead log.
const JOURNAL_MODE: u64 = 18;

/// The rolled back copy of a corpus on read-only media, removed with its last reader.
#[derive(Clone, Debug)]
pub struct SettledCopy {
    folder: Arc<TemporaryFolder>,
}

impl SettledCopy {
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("corpus")
    }
}

/// Rolls back what a killed writer left, if anything. Returns a copy to read instead if the corpus cannot be written.
pub fn settle(path: &Path) -> Result<Option<SettledCopy>, StoreError> {
    if !is_pending(path)? {
        return Ok(None);
    }
    match roll_back(path) {
        Ok(()) => Ok(None),
        Err(_) => settle_copy(path).map(Some),
    }
}

/// Prepares the name `path` for another corpus: the old corpus there is rolled back, and none of its files remain beside it.
/// If the process is killed in between, the old corpus is whole.
pub fn clear(path: &Path) -> io::Result<()> {
    // A corpus that cannot be rolled back is about to be replaced.
    if is_pending(path).is_ok_and(|is_pending| is_pending) {
        let _ = roll_back(path);
    }
    for companion in COMPANIONS {
        match fs::remove_file(beside(path, companion)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Whether the corpus has a journal with content, or a write-ahead log.
fn is_pending(path: &Path) -> Result<bool, StoreError> {
    // SQLite follows links before it looks for a journal.
    let Ok(real) = fs::canonicalize(path) else { return Ok(false) };
    // SQLite opens what has these names, and would wait for the other end of a pipe.
    for companion in COMPANIONS {
        let file = beside(&real, companion);
        if fs::metadata(&file).is_ok_and(|data| !data.is_file()) {
            let what = format!("{} is not a file; remove it", file.display());
            return Err(StoreError::Damaged { path: path.to_owned(), what });
        }
    }
    let journal = beside(&real, "-journal");
    if names_another_file(&journal).unwrap_or(false) {
        let what = format!(
            "its journal {} names another file, which the journal of a corpus never does; remove the journal if you do not trust it",
            journal.display()
        );
        return Err(StoreError::Damaged { path: path.to_owned(), what });
    }
    // SQLite treats a journal that begins with a zero as finished.
    let is_hot = bytes_at(&journal, 0).is_ok_and(|byte| byte != 0);
    Ok(is_hot || bytes_at(&real, JOURNAL_MODE).is_ok_and(|mode| mode == 2))
}

fn names_another_file(journal: &Path) -> io::Result<bool> {
    let mut file = outside::open(journal)?;
    file.seek(SeekFrom::End(-(JOURNAL_MAGIC.len() as i64)))?;
    let mut end = [0; 8];
    file.read_exact(&mut end)?;
    // A journal of a header alone ends in zeros; only a name at its end is followed by the magic bytes.
    Ok(end == JOURNAL_MAGIC)
}

fn bytes_at(path: &Path, position: u64) -> io::Result<u8> {
    let mut file = outside::open(path)?;
    file.seek(SeekFrom::Start(position))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// Lets SQLite recover the file, which it does when the file is first read by a connection that may write.
fn roll_back(path: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.pragma_update(None, "journal_mode", "DELETE")?;
    connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error)
}

pub(super) fn settle_copy(path: &Path) -> Result<SettledCopy, StoreError> {
    let failed = StoreError::file("copying, to roll back the changes of a killed process, the corpus", path);
    let real = fs::canonicalize(path).map_err(&failed)?;
    let folder = TemporaryFolder::scratch().map_err(&failed)?;
    let copy = SettledCopy { folder: Arc::new(folder) };
    copy_file(&real, &copy.path()).map_err(&failed)?;
    for companion in &COMPANIONS[..2] {
        let from = beside(&real, companion);
        if from.exists() {
            copy_file(&from, &beside(&copy.path(), companion)).map_err(&failed)?;
        }
    }
    roll_back(&copy.path()).map_err(StoreError::database("rolling back", path))?;
    Ok(copy)
}

/// Without the permissions: the copy must be writable.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    io::copy(&mut outside::open(from)?, &mut File::create_new(to)?).map(drop)
}

/// `my.corpus-journal`
fn beside(path: &Path, companion: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(companion);
    PathBuf::from(name)
}
