//! A shard of an extraction, for several machines: each reads every n-th article into a file, and the files are merged.
//!
//! The shard of an article depends on its location among the inputs alone. Articles of one location stay together and in
//! their order, and the merge sorts all of them as a single extraction does, so the corpus, its summary and its report
//! have the same bytes for any number of shards.

use std::{path::Path, str::FromStr};

use rusqlite::{Connection, OpenFlags, params};

use serde::{Deserialize, Serialize};

use super::{
    ExtractError,
    options::Options,
    source::{ArticleLocation, Limits},
    staging::Staging,
};
use crate::base::{atomic::behind_links, temporary::TemporaryFile};

/// The version of the file's layout.
const FORMAT: i64 = 2;

/// What all shards of one extraction have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractionIdentity {
    pub options: Options,
    pub limits: Limits,
    /// Size of all inputs.
    pub bytes: u64,
}

/// One of `count` shards; `number` starts from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub number: u32,
    pub count: u32,
}

impl Shard {
    /// Whether an article belongs to this shard.
    pub fn contains(self, location: &ArticleLocation) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&location.input.to_le_bytes());
        for text in [&location.name, &location.path] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        u64::from_le_bytes(first) % u64::from(self.count.max(1)) == u64::from(self.number.saturating_sub(1))
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parsed = text.split_once('/').and_then(|(number, count)| {
            Some(Shard { number: number.parse().ok()?, count: count.parse().ok()? })
        });
        match parsed {
            Some(shard) if (1..=shard.count).contains(&shard.number) => Ok(shard),
            _ => Err("write a shard as 2/8: the second of eight".to_owned()),
        }
    }
}

/// Writes staged articles to a file, whole or not at all.
pub fn keep(
    staging: Staging,
    shard: Shard,
    identity: &ExtractionIdentity,
    path: &Path,
) -> Result<(), ExtractError> {
    let error = |cause: String| ExtractError::Shard { path: path.to_owned(), cause };
    let identity = serde_json::to_string(identity).map_err(|cause| error(cause.to_string()))?;
    let path = &behind_links(path);
    let temporary = TemporaryFile::beside(path).map_err(|cause| error(cause.to_string()))?;
    let written = staging.write_to(temporary.path(), |table| {
        table.execute_batch(
            "CREATE TABLE shard (format INTEGER, number INTEGER, count INTEGER, identity TEXT)",
        )?;
        table.execute(
            "INSERT INTO shard VALUES (?1, ?2, ?3, ?4)",
            params![FORMAT, shard.number, shard.count, identity],
        )
    });
    written.map_err(|cause| error(cause.to_string()))?;
    temporary.persist(path).map_err(|cause| error(cause.to_string()))
}

/// Collects all shards of one extraction. Fails if shards are missing, duplicate or of different extractions.
pub fn gather(paths: &[impl AsRef<Path>]) -> Result<Staging, ExtractError> {
    let mut staging = Staging::new()?;
    let mut found: Vec<u32> = Vec::new();
    let mut first: Option<(u32, ExtractionIdentity)> = None;
    for path in paths {
        let path = path.as_ref();
        let error = |cause: String| ExtractError::Shard { path: path.to_owned(), cause };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let table = Connection::open_with_flags(path, flags).map_err(|cause| error(cause.to_string()))?;
        let (shard, identity) = read_header(&table).map_err(error)?;
        let (count, common) = first.get_or_insert((shard.count, identity.clone()));
        if *count != shard.count || *common != identity {
            return Err(error("it belongs to a different extraction than the first shard".to_owned()));
        }
        if found.contains(&shard.number) {
            return Err(error(format!("shard {} is given twice", shard.number)));
        }
        found.push(shard.number);
        staging.take_from(&table).map_err(|cause| error(cause.to_string()))?;
    }
    let count = first.map_or(0, |(count, _)| count);
    let missing: Vec<String> =
        (1..=count).filter(|number| !found.contains(number)).map(|number| number.to_string()).collect();
    match missing.is_empty() {
        true => Ok(staging),
        false => Err(ExtractError::MissingShards { count, missing: missing.join(", ") }),
    }
}

fn read_header(table: &Connection) -> Result<(Shard, ExtractionIdentity), String> {
    // The version first, since other versions have other columns.
    let format = table.query_row("SELECT format FROM shard", [], |row| row.get::<_, i64>(0));
    let format = format.map_err(|cause| cause.to_string())?;
    if format != FORMAT {
        return Err(format!("another version of matchbook wrote it (format {format})"));
    }
    let header = table.query_row("SELECT number, count, identity FROM shard", [], |row| {
        Ok((Shard { number: row.get(0)?, count: row.get(1)? }, row.get::<_, String>(2)?))
    });
    let (shard, identity) = header.map_err(|cause| cause.to_string())?;
    Ok((shard, serde_json::from_str(&identity).map_err(|cause| cause.to_string())?))
}
