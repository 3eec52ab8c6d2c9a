//! Summaries of pairs for lists.

use rusqlite::Row;

use super::{Filter, Sort, Store, StoreError};
use crate::corpus::{Kind, PairId, Passage, Run, layout, passage::Counts};

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairSummary {
    pub row: u32,
    pub id: PairId,
    pub kind: Kind,
    pub label: String,
    pub title: String,
    /// The primary category of its article, or an empty string.
    pub category: String,
    pub statement: Counts,
    pub proof: Counts,
    /// The beginning of the statement, with formulas in their readable form.
    pub first_words: String,
}

/// The length of the beginning, in characters.
const FIRST_WORDS: usize = 160;

impl Store {
    /// The summaries of these rows, in this order; rows that do not exist are omitted.
    pub fn summaries(&self, rows: &[u32]) -> Result<Vec<PairSummary>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT pair.row, article.id, pair.number, pair.kind, pair.label, pair.title, category.code,
                        statement_text, statement_math, proof_text, proof_math, passage.statement
                 FROM pair
                 JOIN article ON article.key = pair.article
                 JOIN passage ON passage.row = pair.row
                 LEFT JOIN category ON category.key = pair.category
                 WHERE pair.row = ?",
            )?;
            let mut summaries = Vec::with_capacity(rows.len());
            for row in rows {
                let mut found = statement.query([row])?;
                if let Some(found) = found.next()? {
                    summaries.push(read_summary(found)?);
                }
            }
            Ok(summaries)
        };
        read().map_err(StoreError::database("listing pairs of", self.path()))
    }

    /// A page of the list of all matching pairs.
    pub fn list(
        &self,
        filter: &Filter,
        sort: Sort,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<PairSummary>, StoreError> {
        let rows = self.rows(filter, sort)?;
        let end = offset.saturating_add(limit).min(rows.len());
        self.summaries(rows.get(offset..end).unwrap_or_default())
    }
}

fn read_summary(row: &Row<'_>) -> rusqlite::Result<PairSummary> {
    Ok(PairSummary {
        row: row.get(0)?,
        id: PairId { article: row.get(1)?, number: row.get(2)? },
        kind: row.get_ref(3)?.as_str()?.parse::<Kind>().unwrap_or_default(),
        label: row.get(4)?,
        title: row.get(5)?,
        category: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
        statement: Counts { text: row.get::<_, u32>(7)? as usize, math: row.get::<_, u32>(8)? as usize },
        proof: Counts { text: row.get::<_, u32>(9)? as usize, math: row.get::<_, u32>(10)? as usize },
        first_words: first_words(&Passage::from_encoded(row.get(11)?)),
    })
}

fn first_words(statement: &Passage) -> String {
    let mut line = String::new();
    let mut joined = true;
    for run in statement.runs() {
        let (text, joined_left, joined_right) = match run {
            Run::Text(text) => (text.split_whitespace().collect::<Vec<_>>().join(" "), false, false),
            Run::Math(formula) => {
                let shown = layout::readable(formula.tokens(), formula.layout);
                (shown, formula.joined_left, formula.joined_right)
            }
        };
        if !joined && !joined_left && !text.is_empty() {
            line.push(' ');
        }
        line.push_str(&text);
        joined = joined_right;
        if let Some((end, _)) = line.char_indices().nth(FIRST_WORDS) {
            line.truncate(end);
            break;
        }
    }
    line
}
