//! The splits that a corpus file stores: one byte per pair.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Store, StoreError, checksum};
use crate::corpus::split::{Part, Scheme, Split};

impl Store {
    /// The split of a scheme for a seed or, with `None`, the default split, which is that of the imported files or else
    /// that of seed 0. Splits that are not stored are computed.
    pub fn split(&self, scheme: Scheme, seed: Option<u64>) -> Result<Split, StoreError> {
        let failed = StoreError::database("reading a split of", self.path());
        if let Some(parts) = read(&self.connection, scheme, seed).map_err(&failed)? {
            let split = self.check(Split { scheme, seed, parts: self.decode(&parts)? })?;
            return self.verify(split);
        }
        match seed {
            None => self.split(scheme, Some(0)),
            Some(seed) => {
                let names = PairNames::read(&self.connection).map_err(&failed)?;
                Ok(Split::deal(scheme, seed, names.iter()))
            }
        }
    }

    /// Stores a split in the corpus file, where stores that are opened from now on find it.
    pub fn keep_split(&self, split: &Split) -> Result<(), StoreError> {
        let split = self.check(split.clone())?;
        self.amend("adding a split to", |connection| write(connection, &split))
    }

    /// The seeds whose splits are stored; `None` means parts from imported files.
    pub fn stored_splits(&self) -> Result<Vec<(Scheme, Option<u64>)>, StoreError> {
        let failed = StoreError::database("listing the splits of", self.path());
        let mut statement =
            self.connection.prepare_cached("SELECT scheme, seed FROM split").map_err(&failed)?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Option<i64>>(1)?)))
            .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
            .map_err(&failed)?;
        let known = rows.into_iter().filter_map(|(name, seed)| {
            name.parse::<Scheme>().ok().map(|scheme| (scheme, seed.map(i64::cast_unsigned)))
        });
        Ok(known.collect())
    }

    fn check(&self, split: Split) -> Result<Split, StoreError> {
        let (given, pairs) = (split.parts.len(), self.pair_count() as usize);
        if given == pairs {
            return Ok(split);
        }
        Err(StoreError::WrongParts { path: self.path().to_owned(), scheme: split.scheme, given, pairs })
    }

    /// Compares a stored split with its checksum, if it has one.
    fn verify(&self, split: Split) -> Result<Split, StoreError> {
        let failed = StoreError::database("reading a split of", self.path());
        if !self.has_checksums()? {
            return Ok(split);
        }
        let sum = checksum::read(&self.connection, &checksum::split_key(&split)).map_err(&failed)?;
        match sum.is_none_or(|sum| sum == checksum::of_split(&split)) {
            true => Ok(split),
            false => Err(StoreError::Damaged {
                path: self.path().to_owned(),
                what: format!("a {} split has changed since it was written", split.scheme),
            }),
        }
    }

    fn decode(&self, parts: &[u8]) -> Result<Vec<Part>, StoreError> {
        let decoded: Option<Vec<Part>> = parts.iter().map(|&code| Part::from_code(code)).collect();
        decoded.ok_or_else(|| StoreError::Damaged {
            path: self.path().to_owned(),
            what: "a split names a part that does not exist".to_owned(),
        })
    }
}

/// Article and number of every pair, by row.
pub(super) struct PairNames {
    articles: Vec<String>,
    pairs: Vec<(u32, u32)>,
}

impl PairNames {
    pub fn read(connection: &Connection) -> rusqlite::Result<PairNames> {
        let mut articles = connection.prepare("SELECT id FROM article ORDER BY key")?;
        let mut pairs = connection.prepare("SELECT article, number FROM pair ORDER BY row")?;
        Ok(PairNames {
            articles: articles.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?,
            pairs: pairs.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?,
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.pairs.iter().map(|&(article, number)| {
            (self.articles.get(article as usize).map_or("", String::as_str), number)
        })
    }
}

/// SQLite's integers have a sign, so a seed is kept by its bits.
fn read(connection: &Connection, scheme: Scheme, seed: Option<u64>) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .prepare_cached("SELECT parts FROM split WHERE scheme = ? AND seed IS ?")?
        .query_row(params![scheme.name(), seed.map(u64::cast_signed)], |row| row.get(0))
        .optional()
}

/// Writes a split and its checksum: both or none, after a crash too.
pub(super) fn write(connection: &Connection, split: &Split) -> rusqlite::Result<()> {
    connection.execute_batch("SAVEPOINT split")?;
    let written = write_parts(connection, split).and_then(|()| match checksum::is_there(connection)? {
        true => checksum::write(connection, &checksum::split_key(split), checksum::of_split(split)),
        false => Ok(()),
    });
    match written {
        Ok(()) => connection.execute_batch("RELEASE split"),
        Err(error) => {
            let _ = connection.execute_batch("ROLLBACK TO split; RELEASE split");
            Err(error)
        }
    }
}

fn write_parts(connection: &Connection, split: &Split) -> rusqlite::Result<()> {
    let parts: Vec<u8> = split.parts.iter().map(|part| part.code()).collect();
    let seed = split.seed.map(u64::cast_signed);
    let replaced = connection.execute(
        "UPDATE split SET parts = ?3 WHERE scheme = ?1 AND seed IS ?2",
        params![split.scheme.name(), seed, parts],
    )?;
    if replaced == 0 {
        connection
            .execute("INSERT INTO split VALUES (?, ?, ?)", params![split.scheme.name(), seed, parts])?;
    }
    Ok(())
}
