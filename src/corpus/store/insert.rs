//! Inserting one pair into its three tables.
//!
//! These statements run once for every pair, so they are prepared once, and their values are computed in one pass over
//! the texts.

use rusqlite::{
    Connection, ToSql, params,
    types::{ToSqlOutput, ValueRef},
};

use super::{
    ArticleKey, PairSpans,
    words::{append_text, append_words},
};
use crate::corpus::{Pair, passage::Counts};

pub fn insert_pair(
    connection: &Connection,
    row: u32,
    article: ArticleKey,
    category: Option<&u32>,
    pair: &Pair,
    words: &Words<'_>,
) -> rusqlite::Result<()> {
    let Words { statement_counts: statement, proof_counts: proof, .. } = words;
    connection.prepare_cached("INSERT INTO pair VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?.execute(
        params![
            row,
            article.0,
            pair.id.number,
            category,
            statement.text as i64,
            statement.math as i64,
            proof.text as i64,
            proof.math as i64,
            pair.kind.name(),
            pair.label,
            pair.title,
        ],
    )?;
    Ok(())
}

pub fn insert_passages(
    connection: &Connection,
    row: u32,
    pair: &Pair,
    spans: PairSpans,
) -> rusqlite::Result<()> {
    connection.prepare_cached("INSERT INTO passage VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?.execute(params![
        row,
        spans.statement.map(|span| span.start),
        spans.statement.map(|span| span.end),
        spans.proof.map(|span| span.start),
        spans.proof.map(|span| span.end),
        pair.anchor,
        pair.statement.encoded(),
        pair.proof.encoded(),
    ])?;
    Ok(())
}

pub fn insert_words(connection: &Connection, row: u32, words: &Words<'_>) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT INTO word (rowid, statement, proof, title) VALUES (?, ?, ?, ?)")?
        .execute(params![row, Text(words.statement), Text(words.proof), Text(words.title)])?;
    Ok(())
}

/// The indexed words of a pair, and the sizes of its passages.
pub struct Words<'a> {
    statement: &'a [u8],
    proof: &'a [u8],
    title: &'a [u8],
    statement_counts: Counts,
    proof_counts: Counts,
}

impl<'a> Words<'a> {
    pub fn of(pair: &Pair, space: &'a mut [Vec<u8>; 3]) -> Words<'a> {
        space.iter_mut().for_each(Vec::clear);
        let [statement, proof, title] = space;
        let statement_counts = append_words(&pair.statement, statement);
        let proof_counts = append_words(&pair.proof, proof);
        append_text(&pair.title, title);
        Words { statement, proof, title, statement_counts, proof_counts }
    }
}

/// Folded words, passed to SQLite as text.
struct Text<'a>(&'a [u8]);

impl ToSql for Text<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.0)))
    }
}
