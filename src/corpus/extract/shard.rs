//! A part of an extraction, for many machines: each reads every n-th article, and what came of it waits in a file until
//! all parts are merged.
//!
//! Which part an article belongs to depends on its place among the inputs alone. Articles of one place stay together and in
//! their order, and merging sorts all of them as one extraction does, so the corpus, its summary and its report are the same
//! to the byte whatever the number of parts.

use std::{fs, io, path::Path, str::FromStr};

use rusqlite::{Connection, OpenFlags, params};

use super::{ExtractError, source::Place, staging::Staging};

/// The number of the layout of the file.
const FORMAT: i64 = 1;

/// Which part of how many, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub number: u32,
    pub count: u32,
}

impl Shard {
    /// Whether an article belongs to this part.
    pub fn has(self, place: &Place) -> bool {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&place.input.to_le_bytes());
        for text in [&place.name, &place.path] {
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
            _ => Err("a part is written as 2/8: the second of eight".to_owned()),
        }
    }
}

/// Keeps what was staged as a file, whole or not at all.
pub fn keep(staging: Staging, shard: Shard, asked: &str, path: &Path) -> Result<(), ExtractError> {
    let error = |cause: String| ExtractError::Shard { path: path.to_owned(), cause };
    let name = path.file_name().ok_or_else(|| error("it has no file name".to_owned()))?;
    let unfinished =
        path.with_file_name(format!(".{}.{}.unfinished", name.to_string_lossy(), std::process::id()));
    let written = staging.write_to(&unfinished, |table| {
        table.execute_batch(
            "CREATE TABLE shard (format INTEGER, number INTEGER, count INTEGER, asked TEXT)",
        )?;
        table.execute(
            "INSERT INTO shard VALUES (?1, ?2, ?3, ?4)",
            params![FORMAT, shard.number, shard.count, asked],
        )
    });
    let kept = written.map_err(|cause| error(cause.to_string())).and_then(|()| {
        let sync = |path: &Path| fs::File::open(path).and_then(|file| file.sync_all());
        let renamed = sync(&unfinished).and_then(|()| fs::rename(&unfinished, path));
        renamed.map_err(|cause: io::Error| error(cause.to_string()))
    });
    if kept.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    kept
}

/// Takes all parts of one extraction together. Parts that are missing, double or of different extractions are refused.
pub fn gather(paths: &[impl AsRef<Path>]) -> Result<Staging, ExtractError> {
    let mut staging = Staging::new()?;
    let mut found: Vec<u32> = Vec::new();
    let mut first: Option<(u32, String)> = None;
    for path in paths {
        let path = path.as_ref();
        let error = |cause: String| ExtractError::Shard { path: path.to_owned(), cause };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let table = Connection::open_with_flags(path, flags).map_err(|cause| error(cause.to_string()))?;
        let head = table.query_row("SELECT format, number, count, asked FROM shard", [], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, u32>(1)?,
                row.get::<_, u32>(2)?,
                row.get::<_, String>(3)?,
            ))
        });
        let (format, number, count, asked) = head.map_err(|cause| error(cause.to_string()))?;
        if format != FORMAT {
            return Err(error(format!("another matchbook wrote it (format {format})")));
        }
        let (expected, same) = first.get_or_insert((count, asked.clone()));
        if *expected != count || *same != asked {
            return Err(error("it is a part of another extraction than the first one".to_owned()));
        }
        if found.contains(&number) {
            return Err(error(format!("part {number} was there already")));
        }
        found.push(number);
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
