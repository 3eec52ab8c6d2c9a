//! Where a corpus is: in a file, or in memory for as long as somebody has it open.

use std::{
    hash::{BuildHasher, RandomState},
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

/// The place of a corpus, from which it can be opened again, in another thread for instance.
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

    /// What to call it in messages, and what SQLite calls it.
    pub fn path(&self) -> &Path {
        match self {
            Location::File(path) | Location::Memory(path) => path,
        }
    }

    pub fn connect(&self) -> rusqlite::Result<Connection> {
        self.open(OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    /// For the rare change: a file must exist already, memory comes into being.
    pub fn connect_writable(&self) -> rusqlite::Result<Connection> {
        match self {
            Location::File(_) => self.open(OpenFlags::SQLITE_OPEN_READ_WRITE),
            Location::Memory(_) => {
                self.open(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
            }
        }
    }

    fn open(&self, mode: OpenFlags) -> rusqlite::Result<Connection> {
        // A file's name is never read as an URI: it may begin with `file:` or hold a question mark.
        let naming = match self {
            Location::File(_) => OpenFlags::empty(),
            Location::Memory(_) => OpenFlags::SQLITE_OPEN_URI,
        };
        Connection::open_with_flags(self.path(), mode | naming | OpenFlags::SQLITE_OPEN_NO_MUTEX)
    }
}
