//! The pair that is explained.

use super::error::ImportanceError;
use crate::{
    corpus::{PairId, store::Store},
    explain::PiecePair,
    symbols::Replacer,
};

/// A pair of a corpus after symbol replacement, split into pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusPair {
    pub row: u32,
    /// Whether the statement is of that row too, and not typed or of another pair.
    pub has_own_statement: bool,
    pub pair: PiecePair,
}

impl CorpusPair {
    /// Reads the pair at a row of the corpus.
    pub fn at(store: &Store, replacer: &Replacer, row: u32) -> Result<CorpusPair, ImportanceError> {
        let Some((article, pair)) = store.pair_at(row)? else {
            return Err(ImportanceError::NoSuchPair(format!("of row {row}")));
        };
        let replaced = replacer.apply(&pair, &article.categories);
        let pair = PiecePair::new(pair.id.to_string(), &replaced.statement, &replaced.proof);
        Ok(CorpusPair { row, has_own_statement: true, pair })
    }

    /// Reads the pair with an id.
    pub fn named(store: &Store, replacer: &Replacer, id: &PairId) -> Result<CorpusPair, ImportanceError> {
        match store.row_of(id)? {
            Some(row) => CorpusPair::at(store, replacer, row),
            None => Err(ImportanceError::NoSuchPair(id.to_string())),
        }
    }
}
