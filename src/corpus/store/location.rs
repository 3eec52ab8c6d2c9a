//! The location of a corpus: a file, a settled copy of one, or memory for as long as there is an open connection.

use std::{
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags, limits::Limit};

use super::journal::SettledCopy;

/// The bytes of a row, at most: a pair has at most 64 MB when it is imported. SQLite refuses longer ones before it reads
/// them, so that a damaged or hostile corpus does not fill the memory.
pub const LONGEST_ROW: i32 = 256 << 20;

/// The location of a corpus, from which it can be reopened, for instance in another thread.
#[derive(Clone, Debug)]
pub enum Location {
    File(PathBuf),
    /// A file on read-only media that a killed writer left unfinished, and the copy to read instead.
    Settled {
        path: PathBuf,
        copy: SettledCopy,
    },
    /// A name that SQLite understands; every connection of this process sees the same database.
    Memory(PathBuf),
}

impl Location {
    pub fn new_memory() -> Location {
        let random = RandomState::new().hash_one(0);
        Location::Memory(PathBuf::from(format!("file:/matchbook-{random:016x}?vfs=memdb")))
    }

    /// The name in messages.
    pub fn path(&self) -> &Path {
        match self {
            Location::File(path) | Location::Settled { path, .. } | Location::Memory(path) => path,
        }
    }

    /// The file that is read.
    pub fn file(&self) -> PathBuf {
        match self {
            Location::File(path) | Location::Memory(path) => path.clone(),
            Location::Settled { copy, .. } => copy.path(),
        }
    }

    pub fn connect(&self) -> rusqlite::Result<Connection> {
        self.open(OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// Connects for writing to a database in memory, which is created if missing. Files are never written in place.
    pub fn connect_writable(&self) -> rusqlite::Result<Connection> {
        self.open(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    fn open(&self, mode: OpenFlags) -> rusqlite::Result<Connection> {
        // A file name is never parsed as a URI: it may begin with `file:` or contain a question mark.
        let mode = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match self {
            Location::Memory(name) => Connection::open_with_flags(name, mode | OpenFlags::SQLITE_OPEN_URI),
            Location::File(_) | Location::Settled { .. } => {
                let connection = Connection::open_with_flags(self.file(), mode)?;
                connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW)?;
                Ok(connection)
            }
        }
    }
}
