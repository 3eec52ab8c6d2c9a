//! Checkpoints: the complete state of training as named files.

use std::path::Path;

use super::{
    evaluation::{EvaluationScore, MatchScore},
    optimizer::{Optimizer, OptimizerConfig, StateError},
    progress::TrainProgress,
    settings::{Encoder, TrainSettings},
};
use crate::{
    model::tokenizer::{Tokenize, Tokenizer},
    model::{ModelError, Weights},
};

/// The state of a run between two steps, to be written.
pub struct Checkpoint<'a, Q = MatchScore> {
    pub weights: &'a Weights,
    pub progress: &'a TrainProgress<Q>,
    pub(super) optimizer: &'a Optimizer,
    pub(super) tokenizer: &'a Tokenizer,
}

/// Why files are not a checkpoint of this run.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("it lacks the file {0}")]
    Missing(&'static str),
    #[error("its {PROGRESS} is damaged: {0}")]
    Progress(serde_json::Error),
    #[error("its tokenizer is damaged: {0}")]
    Tokenizer(String),
    #[error("the shape of its model does not match the run's settings and vocabulary")]
    Shape,
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Optimizer(#[from] StateError),
}

pub const WEIGHTS: &str = "weights.safetensors";
const OPTIMIZER: &str = "optimizer.safetensors";
const PROGRESS: &str = "progress.json";

impl<Q: EvaluationScore> Checkpoint<'_, Q> {
    /// Returns the files of a checkpoint with their names. The weights are those that training continues with: rows of the
    /// word embeddings may have pending updates, so they are not meant for inference.
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>, CheckpointError> {
        let progress = serde_json::to_vec_pretty(self.progress).map_err(CheckpointError::Progress)?;
        let mut files = vec![
            (WEIGHTS, self.weights.to_safetensors()?),
            (OPTIMIZER, self.optimizer.to_bytes()?),
            (PROGRESS, progress),
        ];
        // a closed vocabulary is rebuilt from the corpus; a WordPiece vocabulary came from elsewhere
        if let Tokenizer::WordPiece(_) = self.tokenizer {
            let (name, content) = self.tokenizer.file();
            files.push((name, content.into_bytes()));
        }
        Ok(files)
    }
}

/// The mutable state of training.
pub(super) struct TrainState<Q = MatchScore> {
    pub weights: Weights,
    pub optimizer: Optimizer,
    pub progress: TrainProgress<Q>,
}

impl<Q: EvaluationScore> TrainState<Q> {
    /// Returns the state before the first step.
    pub fn fresh(config: &OptimizerConfig, lr: f64, weights: Weights) -> TrainState<Q> {
        let optimizer = Optimizer::new(config.clone(), lr, &weights);
        TrainState { weights, optimizer, progress: TrainProgress::default() }
    }

    /// Reads a checkpoint; `file` returns the content of one of its files.
    pub fn of_files(
        config: &OptimizerConfig,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<TrainState<Q>, CheckpointError> {
        let need = |name: &'static str| file(name).ok_or(CheckpointError::Missing(name));
        let weights = Weights::from_safetensors(Path::new(WEIGHTS), &need(WEIGHTS)?)?;
        let optimizer = Optimizer::from_bytes(config.clone(), &weights, &need(OPTIMIZER)?)?;
        let progress = serde_json::from_slice(&need(PROGRESS)?).map_err(CheckpointError::Progress)?;
        Ok(TrainState { weights, optimizer, progress })
    }
}

impl TrainState {
    /// Reads a checkpoint; `file` returns the content of one of its files.
    pub fn read(
        settings: &TrainSettings,
        vocabulary: usize,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<TrainState, CheckpointError> {
        let state = TrainState::of_files(&settings.optimizer, file)?;
        // a folder of transformers may have more embeddings than its tokenizer has tokens
        let words = match settings.encoder {
            Encoder::Npt | Encoder::Windows => vocabulary,
            Encoder::Scratchbert | Encoder::Mathbert => state.weights.shape().vocabulary.max(vocabulary),
        };
        match *state.weights.shape() == settings.model_shape(words) {
            true => Ok(state),
            false => Err(CheckpointError::Shape),
        }
    }
}
