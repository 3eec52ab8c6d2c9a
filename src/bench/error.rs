//! Errors of measurements.

use std::{io, path::PathBuf};

use crate::{
    corpus::{extract::ExtractError, store::StoreError},
    explain::ExplainError,
    matching::{
        assignment::AssignmentError, decoders::DecodeError, ranking::RankingError, scores::ShapeError,
    },
    model::ModelError,
    runs::{RunError, find::FindError},
    train::TrainError,
    workbench::ui::UiError,
};

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    #[error("{0}")]
    Device(String),
    #[error("cannot run {command}: {cause}")]
    Run { command: String, cause: io::Error },
    #[error("{command} failed: {message}")]
    Failed { command: String, message: String },
    #[error("cannot start this program again to time its first frame: {0}")]
    Child(String),
    #[error("cannot read the instance {path}: {cause}")]
    Instance { path: PathBuf, cause: io::Error },
    #[error("cannot read batches from {}: {cause}", path.display())]
    Batches { path: PathBuf, cause: String },
    #[error("cannot write the runs: {0}")]
    Files(#[from] io::Error),
    #[error(transparent)]
    Extract(#[from] ExtractError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Explain(#[from] ExplainError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Ranking(#[from] RankingError),
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    #[error(transparent)]
    Runs(#[from] RunError),
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Ui(#[from] UiError),
}
