//! Everything that training needs to go on, as bytes under names.

use std::path::Path;

use super::{
    optimiser::{Optimiser, StateError},
    progress::Progress,
    settings::Settings,
};
use crate::model::{ModelError, Weights};

/// The state of a run between two steps.
pub struct Checkpoint<'a> {
    pub weights: &'a Weights,
    pub progress: &'a Progress,
    pub(super) optimiser: &'a Optimiser,
}

/// Why bytes are not a checkpoint of this run.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("it lacks the file {0}")]
    Missing(&'static str),
    #[error("its {PROGRESS} is damaged: {0}")]
    Progress(serde_json::Error),
    #[error("its model has another shape than the run's settings and vocabulary ask for")]
    Shape,
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Optimiser(#[from] StateError),
}

pub(super) const WEIGHTS: &str = "weights.safetensors";
const OPTIMIZER: &str = "optimizer.safetensors";
const PROGRESS: &str = "progress.json";

impl Checkpoint<'_> {
    /// The files of a checkpoint, with their names. Its weights are those that training goes on with: rows of the word table
    /// may be behind, so they are not for use elsewhere.
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>, CheckpointError> {
        let progress = serde_json::to_vec_pretty(self.progress).map_err(CheckpointError::Progress)?;
        Ok(vec![
            (WEIGHTS, self.weights.to_safetensors()?),
            (OPTIMIZER, self.optimiser.to_bytes()?),
            (PROGRESS, progress),
        ])
    }
}

/// A checkpoint that was read back.
pub(super) struct Restored {
    pub weights: Weights,
    pub optimiser: Optimiser,
    pub progress: Progress,
}

impl Restored {
    /// `file` gives the content of a file of the checkpoint.
    pub fn read(
        settings: &Settings,
        vocabulary: usize,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Restored, CheckpointError> {
        let need = |name: &'static str| file(name).ok_or(CheckpointError::Missing(name));
        let weights = Weights::from_safetensors(Path::new(WEIGHTS), &need(WEIGHTS)?)?;
        if *weights.shape() != settings.model_shape(vocabulary) {
            return Err(CheckpointError::Shape);
        }
        let optimiser = Optimiser::from_bytes(settings.optimizer.clone(), &weights, &need(OPTIMIZER)?)?;
        let progress: Progress =
            serde_json::from_slice(&need(PROGRESS)?).map_err(CheckpointError::Progress)?;
        Ok(Restored { weights, optimiser, progress })
    }
}
