//! What a query asks of a pair beside its words: its id, its category, a formula.

use rusqlite::{Connection, ffi, params};

use super::formula_pattern::FormulaPattern;
use crate::{base::task::CancelToken, corpus::Passage};

/// The number of rows between two checks of the cancel token.
const CHECKED: usize = 256;

/// A condition of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub kind: ConditionKind,
    pub negated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// A part of the pair's id.
    Id(String),
    /// The beginning of a category's code.
    Category(String),
    Formula(FormulaPattern),
}

impl Condition {
    /// Keeps the rows that satisfy the condition. They are in order. Once the token is cancelled, it fails as an
    /// interrupted statement does.
    pub fn retain(
        &self,
        connection: &Connection,
        rows: &mut Vec<u32>,
        cancel: &CancelToken,
    ) -> rusqlite::Result<()> {
        let found = match &self.kind {
            ConditionKind::Id(text) => by_id(connection, text)?,
            ConditionKind::Category(code) => by_category(connection, code)?,
            ConditionKind::Formula(pattern) => by_formula(connection, pattern, rows, cancel)?,
        };
        rows.retain(|row| found.binary_search(row).is_ok() != self.negated);
        Ok(())
    }
}

fn by_id(connection: &Connection, text: &str) -> rusqlite::Result<Vec<u32>> {
    connection
        .prepare_cached(
            "SELECT pair.row FROM pair JOIN article ON article.key = pair.article
             WHERE article.id || '#' || pair.number LIKE ? ESCAPE '\\' ORDER BY pair.row",
        )?
        .query_map(params![format!("%{}%", escaped(text))], |row| row.get(0))?
        .collect()
}

fn by_category(connection: &Connection, code: &str) -> rusqlite::Result<Vec<u32>> {
    connection
        .prepare_cached(
            "SELECT DISTINCT pair.row FROM pair
             JOIN article_category ON article_category.article = pair.article
             JOIN category ON category.key = article_category.category
             WHERE category.code LIKE ? ESCAPE '\\' ORDER BY pair.row",
        )?
        .query_map(params![format!("{}%", escaped(code))], |row| row.get(0))?
        .collect()
}

/// Only the texts of these rows are read.
fn by_formula(
    connection: &Connection,
    pattern: &FormulaPattern,
    rows: &[u32],
    cancel: &CancelToken,
) -> rusqlite::Result<Vec<u32>> {
    let mut statement = connection.prepare_cached("SELECT statement, proof FROM passage WHERE row = ?")?;
    let mut found = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        // An interrupt only reaches a statement that is running, and each row has its own.
        if index.is_multiple_of(CHECKED) && cancel.is_cancelled() {
            return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None));
        }
        let mut texts = statement.query([row])?;
        let Some(texts) = texts.next()? else { continue };
        let has = |text: String| pattern.is_in(&Passage::from_encoded(text));
        if has(texts.get(0)?) || has(texts.get(1)?) {
            found.push(*row);
        }
    }
    Ok(found)
}

/// The text with the wildcards of `LIKE` escaped.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}
