//! A trained model as a value: weights, tokenizer, settings, and a reference to its training corpus.
//!
//! Where a model comes from, a run directory or the program itself, is the business of
//! [`runs::trained`](crate::runs::trained).

mod evaluate;
#[cfg(test)]
mod renaming_tests;
mod trained_pairs;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

pub use self::evaluate::{TrainedEvaluationError, TrainedRequest};
pub use super::checkpoint::WEIGHTS;
use super::{
    EngineKind, TrainError, TrainSettings,
    device::{self, Device, DeviceError},
    encode_part,
};
use crate::{
    base::task::CancelToken,
    corpus::{CorpusReference, Passage, split::Part, split::Split, store::Store},
    matching::scores::{Bilinear, BilinearScores},
    model::tokenizer::{PartView, SymbolNames, Tokenize, Tokenizer, Vocabulary},
    model::{
        Engine, Family, Mode, ModelError, Packed, Precision, Vectors, Weights, encode_only,
        resident::DeviceEncoder,
    },
    symbols::Replacer,
};

/// A model, and what it was trained with.
#[derive(Clone, Debug)]
pub struct TrainedModel {
    pub name: String,
    pub settings: TrainSettings,
    pub corpus: CorpusReference,
    pub weights: Weights,
    pub tokenizer: Tokenizer,
    /// The weights on a GPU, if texts are encoded there.
    pub encoder: Option<Arc<DeviceEncoder>>,
}

/// The files of a model.
pub struct ModelFiles<'a> {
    /// Where the files are, for messages.
    pub folder: &'a Path,
    /// The content of [`WEIGHTS`].
    pub weights: &'a [u8],
    /// Returns the content of a file of the tokenizer, if there is one of that name.
    pub tokenizer: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// Why a model cannot be assembled or used.
#[derive(Debug, thiserror::Error)]
pub enum TrainedModelError {
    #[error(transparent)]
    Weights(#[from] ModelError),
    #[error("cannot read {}: {cause}", path.display())]
    Tokenizer { path: PathBuf, cause: String },
    #[error(
        "the model {0} uses WordPiece tokens, which are not supported here yet; choose a model trained with --encoder npt"
    )]
    Pieces(String),
    #[error("the model {name} expects {words} words, but its vocabulary has {found}")]
    Mismatch { name: String, words: usize, found: usize },
    #[error(transparent)]
    Encode(#[from] TrainError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(
        "the model {name} was trained with --symbols {names}; only models trained with --symbols literal can be explained"
    )]
    Names { name: String, names: SymbolNames },
    #[error("the model {0} has no score weights, so it cannot match")]
    NoScore(String),
    #[error("the model's vectors cannot be compared: {0}")]
    Scores(String),
}

impl TrainedModel {
    /// Assembles a model from its files.
    pub fn from_files(
        name: String,
        settings: TrainSettings,
        corpus: CorpusReference,
        files: &ModelFiles<'_>,
    ) -> Result<TrainedModel, TrainedModelError> {
        let mut weights = Weights::from_safetensors(&files.folder.join(WEIGHTS), files.weights)?;
        weights.set_precision(settings.precision);
        let tokenizer = Tokenizer::of_files(files.tokenizer)
            .map_err(|cause| TrainedModelError::Tokenizer { path: files.folder.to_owned(), cause })?;
        let (words, found) = (weights.shape().vocabulary, tokenizer.len());
        // The embedding table of a BERT may have rows that its tokenizer does not use.
        if words < found || (words != found && weights.shape().bert().is_none()) {
            return Err(TrainedModelError::Mismatch { name, words, found });
        }
        Ok(TrainedModel { name, settings, corpus, weights, tokenizer, encoder: None })
    }

    /// The closed vocabulary. Fails for a model of word pieces.
    pub fn vocabulary(&self) -> Result<&Vocabulary, TrainedModelError> {
        match &self.tokenizer {
            Tokenizer::Vocabulary(vocabulary) => Ok(vocabulary),
            Tokenizer::WordPiece(_) | Tokenizer::Features(_) => {
                Err(TrainedModelError::Pieces(self.name.clone()))
            }
        }
    }

    /// Returns the model if a text's tokens are the model's: it reads symbols under their literal names, or windows of
    /// tokens, whatever the tokens are called.
    pub fn literal(self) -> Result<TrainedModel, TrainedModelError> {
        if let Tokenizer::Features(_) = self.tokenizer {
            return Ok(self);
        }
        match self.settings.symbols {
            SymbolNames::Literal => Ok(self),
            names => Err(TrainedModelError::Names { name: self.name, names }),
        }
    }

    /// A message about products on this processor if it cannot compute in the precision that the model was trained in.
    pub fn fallback(&self) -> Option<String> {
        let is_lost = self.settings.precision == Precision::Bf16
            && Engine::native(self.settings.precision).cpu_precision() != Precision::Bf16;
        is_lost.then(|| {
            format!(
                "{} was trained in bf16; on the CPU its products are computed in f32, because this processor has no AVX512-BF16",
                self.name
            )
        })
    }

    /// Opens a device to encode with the model, in the precision that it was trained in. The native engine falls back to
    /// f32 for precisions that it does not support.
    pub fn engine(&self, device: &Device) -> Result<Engine, DeviceError> {
        let open = |precision| device::open(device, EngineKind::Auto, precision).map(|opened| opened.engine);
        match open(self.settings.precision) {
            Err(DeviceError::NativePrecision) => open(Precision::Auto),
            result => result,
        }
    }

    /// The same model, which encodes passages on a device.
    pub fn on(mut self, device: &Device) -> Result<TrainedModel, TrainedModelError> {
        self.encoder = self.engine(device)?.device_encoder(&self.weights)?.map(Arc::new);
        Ok(self)
    }

    /// The scores of all statements of a part with all its proofs.
    pub fn scores(
        &self,
        engine: &mut Engine,
        store: &Store,
        split: &Split,
        part: Part,
        replacer: &Replacer,
    ) -> Result<BilinearScores, TrainedModelError> {
        let symbols = self.settings.symbols;
        let view = PartView { store, split, part, replacer, symbols, cancel: &CancelToken::new() };
        let vectors = encode_part(engine, &self.weights, &self.tokenizer, view, self.settings.input)?;
        let bilinear = self.bilinear()?;
        let width = self.weights.shape().width;
        BilinearScores::new(&vectors.statements.values, vectors.proofs.values, width, &bilinear)
            .map_err(|error| TrainedModelError::Scores(error.to_string()))
    }

    /// The vectors of passages, whose symbols are read as the model reads them.
    pub fn encode(&self, passages: &[&Passage]) -> Result<Vectors, TrainedModelError> {
        let symbols = self.settings.symbols;
        // As many token ids as an evaluation reads; a bag has no positions, only a bound.
        let (shape, per_token) = (self.weights.shape(), symbols.max_ids_per_token());
        let ids = if shape.family == Family::Windows { 1 } else { per_token };
        let longest = (shape.positions / ids).saturating_mul(per_token);
        let token_ids: Vec<Vec<u32>> = passages
            .par_iter()
            .map(|passage| {
                let read = symbols.passage(passage, passage);
                let mut ids = Vec::new();
                self.tokenizer.tokenize(&read, self.settings.input, longest, &mut ids);
                ids
            })
            .collect();
        let mut packed = Packed::new();
        token_ids.iter().enumerate().for_each(|(key, ids)| packed.push(key as u64, ids));
        Ok(match &self.encoder {
            Some(encoder) => encoder.encode(&packed)?,
            None => encode_only(&self.weights, &packed, Mode::Evaluate)?,
        })
    }

    /// The weight and the bias of the score.
    pub fn bilinear(&self) -> Result<Bilinear, TrainedModelError> {
        let no_score = || TrainedModelError::NoScore(self.name.clone());
        let parameter = |name: &str| self.weights.parameter(name).ok_or_else(no_score);
        Ok(Bilinear {
            weight: parameter("score.weight")?.to_vec(),
            bias: parameter("score.bias")?.first().copied().unwrap_or_default(),
        })
    }

    /// The name of the method in an evaluation that the workspace keeps. It contains the digest, so that an evaluation
    /// of earlier weights of the run is not taken for one of these.
    pub fn kept_method(&self) -> String {
        format!("{} {}", self.name, self.digest())
    }

    /// A short digest of the weights. Distinguishes models of the same name: the best model of a run changes as it trains.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [&self.weights.words, &self.weights.dense] {
            for values in part.chunks(1 << 14) {
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                hasher.update(&bytes);
            }
        }
        hasher.finalize().to_hex().chars().take(8).collect()
    }
}
