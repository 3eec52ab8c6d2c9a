//! Articles that arrive out of order wait here until all have come.
//!
//! A temporary SQLite database (private, on disk only when it grows) keeps memory bounded whatever the
//! size of a tar archive.

use rusqlite::{Connection, params};

use super::{ExtractError, builder::Processed, source::Place};

/// Readable articles with pairs, sorted by place when they are taken out. Articles that give no pair and
/// problems are staged too, since the summary and the report list them in order.
pub struct Staging {
    table: Connection,
    problems: Vec<Processed>,
}

impl Staging {
    pub fn new() -> Result<Staging, ExtractError> {
        let table = Connection::open("").map_err(ExtractError::Staging)?;
        table
            .execute_batch(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000;
                 CREATE TABLE staged (input INTEGER, name TEXT, path TEXT, source TEXT, bytes INTEGER, article BLOB);
                 BEGIN;",
            )
            .map_err(ExtractError::Staging)?;
        Ok(Staging { table, problems: Vec::new() })
    }

    pub fn add(&mut self, processed: Processed) -> Result<(), ExtractError> {
        let Ok(extraction) = &processed.outcome else {
            self.problems.push(processed);
            return Ok(());
        };
        let encoded =
            serde_json::to_vec(extraction).map_err(|error| ExtractError::Staged(error.to_string()))?;
        let Place { input, name, path } = &processed.place;
        self.table
            .prepare_cached("INSERT INTO staged VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
            .and_then(|mut insert| {
                insert.execute(params![input, name, path, processed.source, processed.bytes as i64, encoded])
            })
            .map_err(ExtractError::Staging)?;
        Ok(())
    }

    /// Gives everything to `take`, sorted.
    pub fn drain(
        mut self,
        take: &mut dyn FnMut(Processed) -> Result<(), ExtractError>,
    ) -> Result<(), ExtractError> {
        // The sort is stable, and so is the database's by row, so duplicates keep the order they came in.
        self.problems.sort_by(|one, other| one.place.cmp(&other.place));
        let mut problems = self.problems.into_iter().peekable();
        let mut select = self
            .table
            .prepare(
                "SELECT input, name, path, source, bytes, article FROM staged
                 ORDER BY input, name, path, rowid",
            )
            .map_err(ExtractError::Staging)?;
        let mut rows = select.query([]).map_err(ExtractError::Staging)?;
        while let Some(row) = rows.next().map_err(ExtractError::Staging)? {
            let processed = decode(row).map_err(ExtractError::Staging)?;
            let (place, source, bytes, encoded) = processed;
            while let Some(problem) = problems.next_if(|problem| problem.place <= place) {
                take(problem)?;
            }
            let extraction =
                serde_json::from_slice(&encoded).map_err(|error| ExtractError::Staged(error.to_string()))?;
            take(Processed { place, source, bytes, outcome: Ok(extraction) })?;
        }
        problems.try_for_each(take)
    }
}

fn decode(row: &rusqlite::Row<'_>) -> rusqlite::Result<(Place, String, u64, Vec<u8>)> {
    let place = Place { input: row.get(0)?, name: row.get(1)?, path: row.get(2)? };
    let bytes: i64 = row.get(4)?;
    Ok((place, row.get(3)?, bytes as u64, row.get(5)?))
}
