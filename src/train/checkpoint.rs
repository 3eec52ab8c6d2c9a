//! Everything that training needs to go on, as bytes under names.

use std::path::Path;

use super::{
    evaluation::{Measure, Quality},
    optimiser::{Method, Optimiser, StateError},
    progress::Progress,
    settings::{Encoder, Settings},
};
use crate::{
    model::text::{Reader, Reads},
    model::{ModelError, Weights},
};

/// The state of a run between two steps.
pub struct Checkpoint<'a, Q = Quality> {
    pub weights: &'a Weights,
    pub progress: &'a Progress<Q>,
    pub(super) optimiser: &'a Optimiser,
    pub(super) reader: &'a Reader,
}

/// Why bytes are not a checkpoint of this run.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("it lacks the file {0}")]
    Missing(&'static str),
    #[error("its {PROGRESS} is damaged: {0}")]
    Progress(serde_json::Error),
    #[error("its reader of texts is damaged: {0}")]
    Reader(String),
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

impl<Q: Measure> Checkpoint<'_, Q> {
    /// The files of a checkpoint, with their names. Its weights are those that training goes on with: rows of the word table
    /// may be behind, so they are not for use elsewhere.
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>, CheckpointError> {
        let progress = serde_json::to_vec_pretty(self.progress).map_err(CheckpointError::Progress)?;
        let mut files = vec![
            (WEIGHTS, self.weights.to_safetensors()?),
            (OPTIMIZER, self.optimiser.to_bytes()?),
            (PROGRESS, progress),
        ];
        // a closed vocabulary is made from the corpus again; pieces of words came from somewhere else
        if let Reader::Pieces(_) = self.reader {
            let (name, content) = self.reader.file();
            files.push((name, content.into_bytes()));
        }
        Ok(files)
    }
}

/// A checkpoint that was read back.
pub(super) struct Restored<Q = Quality> {
    pub weights: Weights,
    pub optimiser: Optimiser,
    pub progress: Progress<Q>,
}

impl<Q: Measure> Restored<Q> {
    /// What begins without a checkpoint.
    pub fn fresh(method: &Method, rate: f64, weights: Weights) -> Restored<Q> {
        let optimiser = Optimiser::new(method.clone(), rate, &weights);
        Restored { weights, optimiser, progress: Progress::default() }
    }

    /// `file` gives the content of a file of the checkpoint.
    pub fn of_files(
        method: &Method,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Restored<Q>, CheckpointError> {
        let need = |name: &'static str| file(name).ok_or(CheckpointError::Missing(name));
        let weights = Weights::from_safetensors(Path::new(WEIGHTS), &need(WEIGHTS)?)?;
        let optimiser = Optimiser::from_bytes(method.clone(), &weights, &need(OPTIMIZER)?)?;
        let progress = serde_json::from_slice(&need(PROGRESS)?).map_err(CheckpointError::Progress)?;
        Ok(Restored { weights, optimiser, progress })
    }
}

impl Restored {
    /// `file` gives the content of a file of the checkpoint.
    pub fn read(
        settings: &Settings,
        vocabulary: usize,
        file: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Restored, CheckpointError> {
        let restored = Restored::of_files(&settings.optimizer, file)?;
        // a folder of transformers may have more words in its table than in its tokenizer
        let words = match settings.encoder {
            Encoder::Npt => vocabulary,
            Encoder::Scratchbert | Encoder::Mathbert => restored.weights.shape().vocabulary.max(vocabulary),
        };
        match *restored.weights.shape() == settings.model_shape(words) {
            true => Ok(restored),
            false => Err(CheckpointError::Shape),
        }
    }
}
