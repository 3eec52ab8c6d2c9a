//! Opening a corpus, and rejecting other files.
//!
//! The first hundred bytes of an SQLite file contain the application, the format and the length of the file. Checking them
//! before SQLite does makes the difference between "database disk image is malformed" and a helpful message.

use std::{
    io::{ErrorKind, Read},
    path::Path,
    time::Duration,
};

use rusqlite::{Connection, OptionalExtension};

use super::{Fingerprint, Header, Store, StoreError, checksum, journal, location::Location, schema};
use crate::base::{outside, temporary::is_temporary};

impl Store {
    /// Opens a corpus file for reading. What a killed writer left unfinished is rolled back first.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        check_kind(path)?;
        let location = match journal::settle(path)? {
            None => Location::File(path.to_owned()),
            Some(copy) => Location::Settled { path: path.to_owned(), copy },
        };
        check_header(&location)?;
        let connection = location.connect().map_err(StoreError::database("opening", path))?;
        Store::from_connection(connection, location)
    }

    /// Opens the same corpus again, for another thread. Fails if another corpus has taken the place of its file.
    pub fn reopen(&self) -> Result<Store, StoreError> {
        match &self.location {
            Location::File(path) => {
                let again = Store::open(path)?;
                match again.fingerprint() == self.fingerprint() {
                    true => Ok(again),
                    false => Err(StoreError::Replaced { path: path.clone() }),
                }
            }
            Location::Settled { path: name, .. } | Location::Memory(name) => {
                let connection = self.location.connect().map_err(StoreError::database("opening", name))?;
                Store::from_connection(connection, self.location.clone())
            }
        }
    }

    pub(super) fn from_connection(connection: Connection, location: Location) -> Result<Store, StoreError> {
        let path = location.path();
        let failed = StoreError::database("opening", path);
        // Another process may be adding a split; 16 MB of pages cache the small tables.
        connection.busy_timeout(Duration::from_secs(10)).map_err(&failed)?;
        connection.pragma_update(None, "cache_size", -16384).map_err(&failed)?;
        // A view may compute for ever when it is read, and a trigger may change what is written.
        let programs = "SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')";
        if connection.query_row(programs, [], |row| row.get::<_, u32>(0)).map_err(&failed)? > 0 {
            let found = "it has views or triggers, which no corpus has";
            return Err(StoreError::NotACorpus { path: path.to_owned(), found });
        }
        let header = connection
            .query_row("SELECT pairs, articles, articles_with_pairs, fingerprint FROM header", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, String>(3)?))
            })
            .optional()
            .map_err(&failed)?;
        let Some((pairs, articles, articles_with_pairs, fingerprint)) = header else {
            return Err(StoreError::Unfinished { path: path.to_owned() });
        };
        let fingerprint: Fingerprint = fingerprint.parse().map_err(|error| StoreError::Damaged {
            path: path.to_owned(),
            what: format!("its header: {error}"),
        })?;
        if checksum::is_there(&connection).map_err(&failed)? {
            let found = checksum::of_header(pairs, articles, articles_with_pairs, &fingerprint.to_string());
            if checksum::read(&connection, checksum::HEADER).map_err(&failed)? != Some(found) {
                return Err(StoreError::Damaged {
                    path: path.to_owned(),
                    what: "its header has changed since it was written".to_owned(),
                });
            }
        }
        drop(failed);
        Ok(Store {
            connection,
            location,
            header: Header { pairs, articles, articles_with_pairs, fingerprint },
            sums: std::cell::OnceCell::new(),
            derived: std::cell::OnceCell::new(),
        })
    }
}

const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Refuses to replace anything that is not a database. A pipe or a device would be replaced rather than written to.
pub(super) fn check_replaceable(path: &Path) -> Result<(), StoreError> {
    let Ok(data) = std::fs::metadata(path) else { return Ok(()) };
    let occupied = |found| StoreError::Occupied { path: path.to_owned(), found };
    if data.is_dir() {
        return Err(StoreError::NotACorpus { path: path.to_owned(), found: "it is a folder" });
    }
    if !data.is_file() {
        return Err(occupied("is a pipe or a device"));
    }
    let mut start = Vec::new();
    let read = outside::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start));
    match read {
        Ok(_) if !start.is_empty() && start != MAGIC => Err(occupied("is not a corpus")),
        _ => Ok(()),
    }
}

/// Refuses what is not an SQLite file, before anything is rolled back into it.
fn check_kind(path: &Path) -> Result<(), StoreError> {
    let not_a_corpus = |found| StoreError::NotACorpus { path: path.to_owned(), found };
    let failed = StoreError::file("opening the corpus", path);
    let mut file = outside::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => StoreError::Missing { path: path.to_owned() },
        ErrorKind::IsADirectory => not_a_corpus("it is a folder"),
        ErrorKind::InvalidInput => not_a_corpus("it is a pipe or a device"),
        _ => failed(error),
    })?;
    if is_temporary(path) {
        return Err(StoreError::Unfinished { path: path.to_owned() });
    }
    let mut start = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start).map_err(failed)?;
    match &start[..] {
        [] => Err(not_a_corpus("it is empty")),
        start if start.len() < MAGIC.len() => Err(not_a_corpus("it is too short")),
        start if start != MAGIC => Err(not_a_corpus("it is another kind of file")),
        _ => Ok(()),
    }
}

fn check_header(location: &Location) -> Result<(), StoreError> {
    let path = location.path();
    let not_a_corpus = |found| StoreError::NotACorpus { path: path.to_owned(), found };
    let failed = StoreError::file("opening the corpus", path);
    let mut file = outside::open(&location.file()).map_err(&failed)?;
    let mut start = [0; 100];
    if let Err(error) = file.read_exact(&mut start) {
        return Err(match error.kind() {
            ErrorKind::UnexpectedEof => not_a_corpus("it is too short"),
            _ => failed(error),
        });
    }
    let number = |at: usize| u32::from_be_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
    if number(68) != schema::APPLICATION_ID {
        return Err(not_a_corpus("it is the database of another program"));
    }
    let version = number(60);
    if version > schema::VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found: version, known: schema::VERSION });
    }
    // The format encodes the largest page size, 65536, as 1.
    let page_size = match u16::from_be_bytes([start[16], start[17]]) {
        1 => 65536,
        size => u64::from(size),
    };
    let expected = page_size * u64::from(number(28));
    let found = file.metadata().map_err(&failed)?.len();
    if found < expected {
        return Err(StoreError::CutShort { path: path.to_owned(), found, expected });
    }
    Ok(())
}
