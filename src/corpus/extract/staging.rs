//! Sorts articles that arrive out of order.
//!
//! They are kept in a temporary SQLite database (private, on disk only when it grows), so memory is bounded for a tar
//! archive of any size.

use std::path::Path;

use rusqlite::{Connection, params};

use super::{ExtractError, builder::Processed, problem::Unreadable, source::ArticleLocation};

const INSERT: &str = "INSERT INTO staged VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

/// The outcome of every article, sorted by location when it is taken out.
pub struct Staging {
    table: Connection,
}

impl Staging {
    pub fn new() -> Result<Staging, ExtractError> {
        let table = Connection::open("").map_err(ExtractError::Staging)?;
        table
            .execute_batch(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000;
                 CREATE TABLE staged (input INTEGER, name TEXT, path TEXT, source TEXT, bytes INTEGER, outcome BLOB);
                 BEGIN;",
            )
            .map_err(ExtractError::Staging)?;
        Ok(Staging { table })
    }

    /// Writes everything, and what `more` adds, to a file.
    pub fn write_to(
        self,
        path: &Path,
        more: impl FnOnce(&Connection) -> rusqlite::Result<usize>,
    ) -> rusqlite::Result<()> {
        more(&self.table)?;
        self.table.execute_batch("COMMIT")?;
        let name = path.to_str().ok_or_else(|| rusqlite::Error::InvalidPath(path.to_owned()))?;
        self.table.execute("VACUUM INTO ?1", [name])?;
        Ok(())
    }

    /// Adds everything from a file that [`Staging::write_to`] wrote, in its order.
    pub fn take_from(&mut self, other: &Connection) -> rusqlite::Result<()> {
        let mut select =
            other.prepare("SELECT input, name, path, source, bytes, outcome FROM staged ORDER BY rowid")?;
        let mut insert = self.table.prepare_cached(INSERT)?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (ArticleLocation { input, name, path }, source, bytes, encoded) = decode(row)?;
            insert.execute(params![input, name, path, source, bytes as i64, encoded])?;
        }
        Ok(())
    }

    pub fn add(&mut self, processed: Processed) -> Result<(), ExtractError> {
        let Processed { location: ArticleLocation { input, name, path }, source, bytes, outcome } = processed;
        let outcome = outcome.map_err(Unreadable::shortened);
        let encoded =
            serde_json::to_vec(&outcome).map_err(|error| ExtractError::Staged(error.to_string()))?;
        self.table
            .prepare_cached(INSERT)
            .and_then(|mut insert| insert.execute(params![input, name, path, source, bytes as i64, encoded]))
            .map_err(ExtractError::Staging)?;
        Ok(())
    }

    /// Passes every article to `take`, sorted; duplicates keep their order.
    pub fn drain(
        self,
        take: &mut dyn FnMut(Processed) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        let mut select = self
            .table
            .prepare(
                "SELECT input, name, path, source, bytes, outcome FROM staged
                 ORDER BY input, name, path, rowid",
            )
            .map_err(ExtractError::Staging)?;
        let mut rows = select.query([]).map_err(ExtractError::Staging)?;
        while let Some(row) = rows.next().map_err(ExtractError::Staging)? {
            let (location, source, bytes, encoded) = decode(row).map_err(ExtractError::Staging)?;
            let outcome =
                serde_json::from_slice(&encoded).map_err(|error| ExtractError::Staged(error.to_string()))?;
            take(Processed { location, source, bytes, outcome })?;
        }
        Ok(())
    }
}

fn decode(row: &rusqlite::Row<'_>) -> rusqlite::Result<(ArticleLocation, String, u64, Vec<u8>)> {
    let location = ArticleLocation { input: row.get(0)?, name: row.get(1)?, path: row.get(2)? };
    let bytes: i64 = row.get(4)?;
    Ok((location, row.get(3)?, bytes as u64, row.get(5)?))
}
