//! Errors of training.

use super::{
    checkpoint::CheckpointError, observer::ObserverError, optimizer::StateError, settings::SettingsError,
};
use crate::{
    base::numbers::counted,
    corpus::{
        split::{Part, Scheme},
        store::StoreError,
    },
    model::tokenizer::wordpiece::WordPieceError,
    model::{ModelError, bert::FolderError},
    symbols::protected::ProtectedError,
};

#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error(transparent)]
    TrainSettings(#[from] SettingsError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Protected(#[from] ProtectedError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    WordPiece(#[from] WordPieceError),
    #[error(
        "{tokenizer} has {words} words, but the model's embedding table has {rows}; they do not belong together"
    )]
    Words { tokenizer: String, words: usize, rows: usize },
    #[error("cannot save the optimizer: {0}")]
    Optimizer(#[from] StateError),
    #[error("cannot resume from the checkpoint: {0}")]
    Checkpoint(#[from] CheckpointError),
    #[error(
        "the {part} part of the {scheme} split has {}; training needs at least {needed} there. {advice}",
        counted(*found, "pair")
    )]
    TooFew { part: Part, scheme: Scheme, found: usize, needed: usize, advice: &'static str },
    #[error(
        "at step {step} (epoch {epoch}) the {what} is {value}; the weights are as they were before it. \
         The batch was {batch}. A lower learning rate (--lr) or gradient clipping (--clip 1) may help"
    )]
    NotFinite { step: u64, epoch: u64, what: &'static str, value: f32, batch: String },
    #[error("cannot evaluate: {0}")]
    Evaluation(String),
    #[error(transparent)]
    Observer(ObserverError),
}
