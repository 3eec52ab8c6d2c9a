//! The tables of a corpus file.
//!
//! A pair is kept in two tables. `pair` holds what lists, filters and statistics need, some 40 bytes
//! per row, so that a scan of 200,000 pairs reads 8 MB and needs no further indexes, which would
//! cost time when the corpus is written; `passage` holds the texts, read by row.
//!
//! The row of a pair is its index in the corpus, from 0 without gaps.

use rusqlite::Connection;

/// "MBok": the application id in the header of the file, which identifies a corpus.
pub const APPLICATION_ID: u32 = 0x4D42_6F6B;

/// Incremented when an older matchbook could no longer read the file.
pub const VERSION: u32 = 1;

/// 16 KB per page: a pair's texts, about 3 KB, mostly fit without overflow pages.
const SETTINGS: &str = "
    PRAGMA page_size = 16384;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -16384;
    PRAGMA temp_store = MEMORY;
";

const TABLES: &str = "
    CREATE TABLE header (
        pairs INTEGER NOT NULL,
        articles INTEGER NOT NULL,
        articles_with_pairs INTEGER NOT NULL,
        fingerprint TEXT NOT NULL
    );
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE article (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        categories TEXT NOT NULL,
        file TEXT NOT NULL,
        source TEXT NOT NULL,
        dialect TEXT NOT NULL
    );
    CREATE TABLE category (
        key INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        archive TEXT NOT NULL,
        articles INTEGER NOT NULL,
        pairs INTEGER NOT NULL,
        all_articles INTEGER NOT NULL,
        all_pairs INTEGER NOT NULL
    );
    CREATE TABLE article_category (
        category INTEGER NOT NULL,
        article INTEGER NOT NULL,
        PRIMARY KEY (category, article)
    ) WITHOUT ROWID;
    CREATE TABLE pair (
        row INTEGER PRIMARY KEY,
        article INTEGER NOT NULL,
        number INTEGER NOT NULL,
        category INTEGER,
        statement_text INTEGER NOT NULL,
        statement_math INTEGER NOT NULL,
        proof_text INTEGER NOT NULL,
        proof_math INTEGER NOT NULL,
        kind TEXT NOT NULL,
        label TEXT NOT NULL,
        title TEXT NOT NULL,
        UNIQUE (article, number)
    );
    CREATE TABLE passage (
        row INTEGER PRIMARY KEY,
        statement_start INTEGER,
        statement_end INTEGER,
        proof_start INTEGER,
        proof_end INTEGER,
        anchor TEXT NOT NULL,
        statement TEXT NOT NULL,
        proof TEXT NOT NULL
    );
    CREATE TABLE split (
        scheme TEXT NOT NULL,
        seed INTEGER,
        parts BLOB NOT NULL,
        UNIQUE (scheme, seed)
    );
    CREATE TABLE checksum (what TEXT PRIMARY KEY, sums BLOB NOT NULL) WITHOUT ROWID;
    CREATE VIRTUAL TABLE word USING fts5(
        statement, proof, title,
        content = '', columnsize = 0, detail = full, tokenize = 'ascii'
    );
";

/// The index gathers 8 MB of words before it writes a segment, and segments are never merged: 200,000
/// pairs make 14 of them, which a search does not notice, while merging would make the time to write a
/// corpus grow faster than the corpus.
const INDEX_SETTINGS: &str = "
    INSERT INTO word (word, rank) VALUES ('hashsize', 8388608);
    INSERT INTO word (word, rank) VALUES ('pgsz', 8000);
    INSERT INTO word (word, rank) VALUES ('automerge', 0);
    INSERT INTO word (word, rank) VALUES ('crisismerge', 1900);
";

/// Creates an empty corpus that is still unfinished: it has no row in `header`.
pub fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};
         BEGIN; {TABLES} {INDEX_SETTINGS} COMMIT;"
    ))
}

/// A key of the table `meta`: the number of articles that an extraction read.
pub const ARTICLES_READ: &str = "articles_read";
/// A key of the table `meta`: where the articles are, if not in files.
pub const ARTICLES: &str = "articles";

/// Between the categories of an article, in one column.
const SEPARATOR: &str = "\u{1f}";

pub fn join_categories(categories: &[String]) -> String {
    categories.join(SEPARATOR)
}

pub fn split_categories(joined: &str) -> Vec<String> {
    joined.split(SEPARATOR).filter(|code| !code.is_empty()).map(str::to_owned).collect()
}
