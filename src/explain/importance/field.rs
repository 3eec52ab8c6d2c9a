//! The proofs among which a model chooses.

use super::{case::Case, error::ImportanceError};
use crate::{
    base::rng::mix,
    corpus::{
        split::{Part, Split},
        store::Store,
    },
    explain::Piece,
    symbols::Replacer,
};

/// Proofs of one part, shuffled by a rule of their own: the first few of them are a fair draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    pub part: Option<Part>,
    /// How many proofs the part has; a field may hold fewer.
    pub all: usize,
    rivals: Vec<Entry>,
}

/// One proof of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub row: u32,
    pub name: String,
    pub proof: Vec<Piece>,
}

impl Field {
    /// Reads at most so many proofs of a part.
    pub fn read(
        store: &Store,
        split: &Split,
        part: Part,
        replacer: &Replacer,
        most: usize,
    ) -> Result<Field, ImportanceError> {
        let mut rows: Vec<u32> = split.rows(part).collect();
        let all = rows.len();
        rows.sort_by_key(|&row| (mix(u64::from(row)), row));
        rows.truncate(most);
        let mut rivals = Vec::with_capacity(rows.len());
        for row in rows {
            let Case { row, pair } = Case::at(store, replacer, row)?;
            rivals.push(Entry { row, name: pair.name, proof: pair.proof });
        }
        Ok(Field { part: Some(part), all, rivals })
    }

    pub fn len(&self) -> usize {
        self.rivals.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rivals.is_empty()
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.rivals
    }
}
