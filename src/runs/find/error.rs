//! Why a search failed.

use std::{io, path::PathBuf};

use crate::{
    base::{numbers::grouped, task::Cancelled},
    corpus::{PairId, store::StoreError},
    matching::index::ContainerError,
    train::trained::TrainedModelError,
};

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Index(#[from] ContainerError),
    #[error(transparent)]
    Model(#[from] TrainedModelError),
    #[error("cannot write the index {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("the statement is empty; type words, formulas between dollar signs, or both")]
    EmptyStatement,
    #[error("the statement is too long; search with an excerpt of at most {} bytes", grouped(*most as u64))]
    TooLong { most: usize },
    #[error("the statement has no word and no symbol that a search could use")]
    NothingToSearch,
    #[error(
        "all candidates have the same score; the model probably knows no word or symbol of the statement"
    )]
    NothingKnown,
    #[error("the statement has nothing in common with any candidate")]
    NothingInCommon,
    #[error(
        "what the statement shares with the candidates is in every text of the corpus, so nothing tells them apart; `--baseline dice` counts it all the same"
    )]
    NothingDistinctive,
    #[error("no pair of the corpus matches the filters")]
    NoCandidates,
    #[error("the corpus has no pair {0}")]
    NoPair(PairId),
    #[error("the corpus has no pairs to search")]
    EmptyCorpus,
    #[error("only the vectors of a trained model can be searched approximately; name a run")]
    NotDense,
    #[error("pairs can only be searched exactly; leave out --approximate, or search with --in proofs")]
    PairsInCells,
    #[error("stopped; what was indexed so far is kept, and the next search continues from there")]
    Cancelled(Cancelled),
}

impl From<Cancelled> for FindError {
    fn from(cancelled: Cancelled) -> FindError {
        FindError::Cancelled(cancelled)
    }
}
