//! Everything that training needs to go on, as bytes under names.

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

/// The state of a run between two steps.
pub struct Checkpoint<'a, Q = MatchScore> {
    pub weights: &'a Weights,
    pub progress: &'a TrainProgress<Q>,
    pub(super) optimizer: &'a Optimizer,
    pub(super) tokenizer: &'a Tokenizer,
}

/// Why bytes are not a checkpoint of this run.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("it lacks the file {0}")]
    Missing(&'static str),
    #[error("its {PROGRESS} is damaged: {0}")]
    Progress(serde_json::Error),
    #[error("its tokenizer of texts is damaged: {0}")]
    Tokenizer(String),
    #[error("its model has another shape than the run's settings and vocabulary ask for")]
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
    /// The files of a checkpoint, with their names. Its weights are those that training goes on with: rows of the word table
    /// may be behind, so they are not for use elsewhere.
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>, CheckpointError> {
        let progress = serde_json::to_vec_pretty(self.progress).map_err(CheckpointError::Progress)?;
        let mut files = vec![
            (WEIGHTS, self.weights.to_safetensors()?),
            (OPTIMIZER, self.optimizer.to_bytes()?),
            (PROGRESS, progress),
        ];
        // a closed vocabulary is made from the corpus again; pieces of words came from somewhere else
        if let Tokenizer::WordPiece(_) = self.tokenizer {
            let (name, content) = self.tokenizer.file();
            files.push((name, content.into_bytes()));
        }
        Ok(files)
    }
}

/// A checkpoint that was read back.
pub(super) struct TrainState<Q = MatchScore> {
    pub weights: Weights,
    pub optimizer: Optimizer,
    pub progress: TrainProgress<Q>,
}

impl<Q: EvaluationScore> TrainState<Q> {
    /// What begins without a checkpoint.
    pub fn fresh(config: &OptimizerConfig, lr: f64, weights: Weights) -> TrainState<Q> {
        let optimizer = Optimizer::new(config.clone(), lr, &weights);
        TrainState { weights, optimizer, progress: TrainProgress::default() }
    }

    /// `file` gives the content of a file of the checkpoint.
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
    /// `file` gives the content of a file of the checkpoint.
    pub fn read(
        settings: &TrainSettings,
        vocabulary: usize,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<TrainState, CheckpointError> {
        let state = TrainState::of_files(&settings.optimizer, file)?;
        // a folder of transformers may have more words in its table than in its tokenizer
        let words = match settings.encoder {
            Encoder::Npt => vocabulary,
            Encoder::Scratchbert | Encoder::Mathbert => state.weights.shape().vocabulary.max(vocabulary),
        };
        match *state.weights.shape() == settings.model_shape(words) {
            true => Ok(state),
            false => Err(CheckpointError::Shape),
        }
    }
}
