//! Checksums of the rows of a corpus, which notice a flipped byte.
//!
//! SQLite notices damage to the structure of its pages, not to the texts in them. So a corpus has a CRC-32 of every article
//! and every pair, four bytes per row, in one table that is written at the end. A row is verified whenever it is read, which
//! costs a few microseconds; opening a corpus verifies only its header, and `matchbook stats --check` verifies everything.
//! Corpora of earlier versions have no such table and are read as before.

use rusqlite::{Connection, OptionalExtension, params};

use super::{PairSpans, Span, schema};
use crate::corpus::{Article, Pair, split::Split};

/// The keys of the table.
pub const HEADER: &str = "header";
pub const ARTICLES: &str = "articles";
pub const PAIRS: &str = "pairs";
pub const CATEGORIES: &str = "categories";
pub const INDEX: &str = "index";

/// A CRC-32 over fields, each preceded by its length.
#[derive(Default)]
pub struct Checksum(crc32fast::Hasher);

impl Checksum {
    pub fn number(&mut self, number: u64) -> &mut Checksum {
        self.0.update(&number.to_le_bytes());
        self
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Checksum {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
        self
    }

    pub fn finish(&self) -> u32 {
        self.0.clone().finalize()
    }
}

pub fn of_article(article: &Article) -> u32 {
    let mut sum = Checksum::default();
    let Article { id, title, categories, file, source, dialect } = article;
    for field in [id, title, file, source, dialect.name()] {
        sum.bytes(field.as_bytes());
    }
    // As they are read: empty codes are not kept.
    for code in schema::split_categories(&schema::join_categories(categories)) {
        sum.bytes(code.as_bytes());
    }
    sum.finish()
}

/// `article` is the key of the pair's article.
pub fn of_pair(article: u32, pair: &Pair, spans: PairSpans) -> u32 {
    let mut sum = Checksum::default();
    sum.number(u64::from(article)).number(u64::from(pair.id.number));
    for field in [pair.kind.name(), &pair.label, &pair.title, &pair.anchor] {
        sum.bytes(field.as_bytes());
    }
    sum.bytes(pair.statement.encoded().as_bytes()).bytes(pair.proof.encoded().as_bytes());
    for Span { start, end } in [spans.statement, spans.proof].into_iter().flatten() {
        sum.number(u64::from(start)).number(u64::from(end));
    }
    sum.finish()
}

pub fn of_header(pairs: u32, articles: u32, articles_with_pairs: u32, fingerprint: &str) -> u32 {
    let mut sum = Checksum::default();
    for number in [pairs, articles, articles_with_pairs] {
        sum.number(u64::from(number));
    }
    sum.bytes(fingerprint.as_bytes()).finish()
}

pub fn of_split(split: &Split) -> u32 {
    let parts: Vec<u8> = split.parts.iter().map(|part| part.code()).collect();
    Checksum::default().bytes(&parts).finish()
}

/// The key of a split.
pub fn split_key(split: &Split) -> String {
    let seed = split.seed.map_or("given".to_owned(), |seed| seed.to_string());
    format!("split {} {seed}", split.scheme.name())
}

/// The category tables, which are small.
pub fn of_categories(connection: &Connection) -> rusqlite::Result<u32> {
    let mut sum = Checksum::default();
    let mut statement = connection.prepare(
        "SELECT key, code, archive, articles, pairs, all_articles, all_pairs FROM category ORDER BY key",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for text in [1, 2] {
            sum.bytes(row.get_ref(text)?.as_bytes()?);
        }
        for number in [0, 3, 4, 5, 6] {
            sum.number(row.get::<_, i64>(number)?.cast_unsigned());
        }
    }
    let mut statement =
        connection.prepare("SELECT category, article FROM article_category ORDER BY category, article")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        sum.number(row.get::<_, i64>(0)?.cast_unsigned()).number(row.get::<_, i64>(1)?.cast_unsigned());
    }
    Ok(sum.finish())
}

/// The pages of the index of words.
pub fn of_index(connection: &Connection) -> rusqlite::Result<u32> {
    let mut sum = Checksum::default();
    let mut statement = connection.prepare("SELECT id, block FROM word_data ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        sum.number(row.get::<_, i64>(0)?.cast_unsigned()).bytes(row.get_ref(1)?.as_blob()?);
    }
    Ok(sum.finish())
}

/// Sums of rows, by their index.
#[derive(Debug, Default)]
pub struct RowSums(Vec<u8>);

impl RowSums {
    pub fn push(&mut self, sum: u32) {
        self.0.extend_from_slice(&sum.to_le_bytes());
    }

    pub fn len(&self) -> usize {
        self.0.len() / 4
    }

    pub fn get(&self, row: u32) -> Option<u32> {
        let start = row as usize * 4;
        Some(u32::from_le_bytes(self.0.get(start..start + 4)?.try_into().ok()?))
    }
}

/// Whether a corpus has the table: earlier versions did not write it.
pub fn is_there(connection: &Connection) -> rusqlite::Result<bool> {
    let found = connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'checksum'")?
        .query_row([], |_| Ok(()))
        .optional()?;
    Ok(found.is_some())
}

pub fn read_rows(connection: &Connection, key: &str) -> rusqlite::Result<Option<RowSums>> {
    connection
        .prepare_cached("SELECT sums FROM checksum WHERE what = ?")?
        .query_row([key], |row| Ok(RowSums(row.get(0)?)))
        .optional()
}

pub fn read(connection: &Connection, key: &str) -> rusqlite::Result<Option<u32>> {
    Ok(read_rows(connection, key)?.and_then(|sums| sums.get(0)))
}

pub fn write_rows(connection: &Connection, key: &str, sums: &RowSums) -> rusqlite::Result<()> {
    connection.execute("INSERT OR REPLACE INTO checksum VALUES (?, ?)", params![key, sums.0]).map(drop)
}

pub fn write(connection: &Connection, key: &str, sum: u32) -> rusqlite::Result<()> {
    let mut sums = RowSums::default();
    sums.push(sum);
    write_rows(connection, key, &sums)
}
