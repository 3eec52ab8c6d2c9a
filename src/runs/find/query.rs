//! What is searched for: a typed statement, or the statement of a pair.

use super::FindError;
use crate::corpus::{Pair, PairId, Passage, store::Store, typed};

/// Longer statements are refused: the longest of real articles have some thousand bytes.
pub const LONGEST_STATEMENT: usize = 4 << 20;

/// The statement of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub statement: Passage,
    /// The pair that the statement belongs to, if it is one of the corpus: its proof is the gold proof.
    pub row: Option<u32>,
}

impl Question {
    /// Reads a typed statement: words, and formulas between dollar signs, as TeX or Unicode.
    pub fn typed(text: &str) -> Result<Question, FindError> {
        Ok(Question { statement: read_statement(text)?, row: None })
    }

    /// The statement of a pair of the corpus.
    pub fn like(store: &Store, id: &PairId) -> Result<Question, FindError> {
        let row = store.row_of(id)?;
        let found = row.map(|row| store.pair_at(row)).transpose()?.flatten();
        let Some((_, Pair { statement, .. })) = found else { return Err(FindError::NoPair(id.clone())) };
        Ok(Question { statement, row })
    }
}

/// A typed statement as a passage.
fn read_statement(text: &str) -> Result<Passage, FindError> {
    if text.len() > LONGEST_STATEMENT {
        return Err(FindError::TooLong { most: LONGEST_STATEMENT });
    }
    let passage = typed::passage(text);
    if passage.tokens().next().is_none() {
        return Err(FindError::EmptyStatement);
    }
    Ok(passage)
}
