//! The proofs that a model chooses from.

use super::{corpus_pair::CorpusPair, error::ImportanceError};
use crate::{
    base::rng::mix,
    corpus::{
        split::{Part, Split},
        store::Store,
    },
    explain::Piece,
    symbols::Replacer,
};

/// Proofs of one part in a fixed pseudo-random order, so that the first few are a fair sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CandidateSet {
    /// Number of proofs in the part; the set may hold fewer.
    pub available: usize,
    candidates: Vec<Candidate>,
}

/// One proof of a candidate set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub row: u32,
    pub name: String,
    pub proof: Vec<Piece>,
}

impl CandidateSet {
    /// Reads at most `limit` proofs of a part.
    pub fn read(
        store: &Store,
        split: &Split,
        part: Part,
        replacer: &Replacer,
        limit: usize,
    ) -> Result<CandidateSet, ImportanceError> {
        let mut rows: Vec<u32> = split.rows(part).collect();
        let available = rows.len();
        rows.sort_by_key(|&row| (mix(u64::from(row)), row));
        rows.truncate(limit);
        let candidate = |row| {
            let CorpusPair { row, pair, .. } = CorpusPair::at(store, replacer, row)?;
            Ok(Candidate { row, name: pair.name, proof: pair.proof })
        };
        let candidates = rows.into_iter().map(candidate).collect::<Result<_, ImportanceError>>()?;
        Ok(CandidateSet { available, candidates })
    }

    pub(super) fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }
}
