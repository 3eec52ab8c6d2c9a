//! Errors of explaining pairs of a corpus.

use crate::{corpus::store::StoreError, explain::ExplainError, model::ModelError};

#[derive(Debug, thiserror::Error)]
pub enum ImportanceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no pair {0} in the corpus")]
    NoSuchPair(String),
    #[error("the model {model} cannot read the proofs: {source}")]
    Model { model: String, source: ModelError },
    #[error(transparent)]
    Explain(#[from] ExplainError),
}
