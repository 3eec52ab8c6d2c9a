//! A pair as a model is asked about it.

use super::error::ImportanceError;
use crate::{
    corpus::{PairId, store::Store},
    explain::PiecePair,
    symbols::Replacer,
};

/// A pair of a corpus at a level, in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub row: u32,
    pub pair: PiecePair,
}

impl Case {
    pub fn at(store: &Store, replacer: &Replacer, row: u32) -> Result<Case, ImportanceError> {
        let Some((article, pair)) = store.pair_at(row)? else {
            return Err(ImportanceError::NoSuchPair(format!("of row {row}")));
        };
        let replaced = replacer.apply(&pair, &article.categories);
        let pair = PiecePair::new(pair.id.to_string(), &replaced.statement, &replaced.proof);
        Ok(Case { row, pair })
    }

    pub fn named(store: &Store, replacer: &Replacer, id: &PairId) -> Result<Case, ImportanceError> {
        match store.row_of(id)? {
            Some(row) => Case::at(store, replacer, row),
            None => Err(ImportanceError::NoSuchPair(id.to_string())),
        }
    }
}
