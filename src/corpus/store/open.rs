//! Opening a corpus, and rejecting other files.
//!
//! The first hundred bytes of an SQLite file contain the application, the format and the length of the file. Checking them
//! before SQLite does makes the difference between "database disk image is malformed" and a helpful message.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::Path,
    time::Duration,
};

use rusqlite::{Connection, OptionalExtension};

use super::{
    Fingerprint, Header, Store, StoreError, checksum, location::Location, schema, temporary::is_temporary,
};

impl Store {
    /// Opens a corpus file for reading.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        check_file(path)?;
        let location = Location::File(path.to_owned());
        let connection = location.connect().map_err(StoreError::database("opening", path))?;
        Store::from_connection(connection, location)
    }

    /// Opens the same corpus again, for another thread.
    pub fn reopen(&self) -> Result<Store, StoreError> {
        match &self.location {
            Location::File(path) => Store::open(path),
            Location::Memory(name) => {
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
            what: format!("its header says {error}"),
        })?;
        if checksum::is_there(&connection).map_err(&failed)? {
            let found = checksum::of_header(pairs, articles, articles_with_pairs, &fingerprint.to_string());
            if checksum::read(&connection, checksum::HEADER).map_err(&failed)? != Some(found) {
                return Err(StoreError::Damaged {
                    path: path.to_owned(),
                    what: "its header is not what was written".to_owned(),
                });
            }
        }
        drop(failed);
        Ok(Store {
            connection,
            location,
            header: Header { pairs, articles, articles_with_pairs, fingerprint },
            sums: std::cell::OnceCell::new(),
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
    let read = File::open(path).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut start));
    match read {
        Ok(_) if !start.is_empty() && start != MAGIC => Err(occupied("is no corpus")),
        _ => Ok(()),
    }
}

fn check_file(path: &Path) -> Result<(), StoreError> {
    let not_a_corpus = |found| StoreError::NotACorpus { path: path.to_owned(), found };
    let failed = StoreError::file("opening the corpus", path);
    let mut file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => StoreError::Missing { path: path.to_owned() },
        _ => failed(error),
    })?;
    let data = file.metadata().map_err(&failed)?;
    if data.is_dir() {
        return Err(not_a_corpus("it is a folder"));
    }
    if is_temporary(path) {
        return Err(StoreError::Unfinished { path: path.to_owned() });
    }
    if data.len() == 0 {
        return Err(not_a_corpus("it is empty"));
    }
    let mut start = [0; 100];
    if let Err(error) = file.read_exact(&mut start) {
        return Err(match error.kind() {
            ErrorKind::UnexpectedEof => not_a_corpus("it is too short"),
            _ => failed(error),
        });
    }
    if !start.starts_with(MAGIC) {
        return Err(not_a_corpus("it is another kind of file"));
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
    if data.len() < expected {
        return Err(StoreError::CutShort { path: path.to_owned(), found: data.len(), expected });
    }
    Ok(())
}
