//! The location of a corpus: a file, or memory for as long as there is an open connection.

use std::{
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

/// The location of a corpus, from which it can be reopened, for instance in another thread.
#[derive(Clone, Debug)]
pub enum Location {
    File(PathBuf),
    /// A name that SQLite understands; every connection of this process sees the same database.
    Memory(PathBuf),
}

impl Location {
    pub fn new_memory() -> Location {
        let random = RandomState::new().hash_one(0);
        Location::Memory(PathBuf::from(format!("file:/matchbook-{random:016x}?vfs=memdb")))
    }

    /// The name in messages and for SQLite.
    pub fn path(&self) -> &Path {
        match self {
            Location::File(path) | Location::Memory(path) => path,
        }
    }

    pub fn connect(&self) -> rusqlite::Result<Connection> {
        self.open(OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// Connects for writing: a file must exist, a memory database is created.
    pub fn connect_writable(&self) -> rusqlite::Result<Connection> {
        match self {
            Location::File(_) => self.open(OpenFlags::SQLITE_OPEN_READ_WRITE),
            Location::Memory(_) => {
                self.open(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
            }
        }
    }

    fn open(&self, mode: OpenFlags) -> rusqlite::Result<Connection> {
        // A file name is never parsed as a URI: it may begin with `file:` or contain a question mark.
        let naming = match self {
            Location::File(_) => OpenFlags::empty(),
            Location::Memory(_) => OpenFlags::SQLITE_OPEN_URI,
        };
        Connection::open_with_flags(self.path(), mode | naming | OpenFlags::SQLITE_OPEN_NO_MUTEX)
    }
}
