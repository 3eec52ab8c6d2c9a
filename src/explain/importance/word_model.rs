//! Trained models that can be explained: those that read whole words, or windows of them.

use std::sync::Arc;

use super::window_reader::WindowReader;
use crate::{
    corpus::{
        split::{Scheme, Split},
        store::{Store, StoreError},
    },
    explain::{ModelInput, ModelScorer, Piece, PieceReader, PieceTokenizer},
    model::tokenizer::{self, FeatureVocabulary, Input, Tokenizer, Vocabulary},
    model::{Weights, resident::DeviceEncoder},
    train::{
        device::Device,
        trained::{TrainedModel, TrainedModelError},
    },
};

/// A trained model with what maps pieces of a pair to its inputs.
pub struct WordModel {
    pub name: String,
    /// Distinguishes models of the same name: the best model of a run changes while it trains.
    pub digest: String,
    weights: Weights,
    reading: Reading,
    input: Input,
    /// The weights on a GPU, if texts are encoded there.
    encoder: Option<Arc<DeviceEncoder>>,
    /// The fingerprint of the corpus and the split that the model was trained on.
    corpus: String,
    pub scheme: Scheme,
    pub split_seed: Option<u64>,
}

enum Reading {
    Words(Vocabulary),
    Windows(FeatureVocabulary),
}

impl TryFrom<TrainedModel> for WordModel {
    type Error = TrainedModelError;

    /// Fails for a model of word pieces: it has no token per word that could be left out.
    fn try_from(model: TrainedModel) -> Result<WordModel, TrainedModelError> {
        let digest = model.digest();
        let (scheme, split_seed) = (model.settings.split, model.settings.split_seed);
        let reading = match &model.tokenizer {
            Tokenizer::Features(features) => Reading::Windows(features.clone()),
            Tokenizer::Vocabulary(_) | Tokenizer::WordPiece(_) => Reading::Words(model.vocabulary()?.clone()),
        };
        let TrainedModel { name, weights, settings, encoder, corpus, .. } = model;
        let (input, corpus) = (settings.input, corpus.fingerprint);
        Ok(WordModel { name, digest, weights, reading, input, encoder, corpus, scheme, split_seed })
    }
}

impl WordModel {
    pub fn new(name: impl Into<String>, weights: Weights, vocabulary: Vocabulary, input: Input) -> WordModel {
        let reading = Reading::Words(vocabulary);
        WordModel {
            name: name.into(),
            digest: String::new(),
            weights,
            reading,
            input,
            encoder: None,
            corpus: String::new(),
            scheme: Scheme::Mixed,
            split_seed: None,
        }
    }

    /// A trained model, which encodes texts on a device.
    pub fn on_device(model: TrainedModel, device: &Device) -> Result<WordModel, TrainedModelError> {
        WordModel::try_from(model.on(device)?)
    }

    /// The split of a corpus whose train part the model was trained on; `None` if it was trained on another corpus.
    pub(super) fn own_split(&self, store: &Store) -> Result<Option<Split>, StoreError> {
        let is_own = store.fingerprint().to_string() == self.corpus;
        is_own.then(|| store.split(self.scheme, self.split_seed)).transpose()
    }

    pub(super) fn scorer(&self) -> ModelScorer<'_, &WordModel> {
        ModelScorer::new(&self.weights, self).on(self.encoder.as_deref())
    }
}

impl PieceReader for &WordModel {
    fn inputs(&self, pieces: &[Piece]) -> Vec<ModelInput> {
        match &self.reading {
            Reading::Words(vocabulary) => self.tokenizer(vocabulary).inputs(pieces),
            Reading::Windows(features) => WindowReader { features, input: self.input }.inputs(pieces),
        }
    }

    fn document(&self, inputs: &[ModelInput], kept: &dyn Fn(usize) -> bool) -> Vec<u32> {
        match &self.reading {
            Reading::Words(vocabulary) => self.tokenizer(vocabulary).document(inputs, kept),
            Reading::Windows(features) => WindowReader { features, input: self.input }.document(inputs, kept),
        }
    }
}

impl WordModel {
    fn tokenizer<'a>(
        &'a self,
        vocabulary: &'a Vocabulary,
    ) -> PieceTokenizer<impl Fn(&Piece) -> Option<u32> + Sync + 'a> {
        PieceTokenizer {
            token_id: |piece: &Piece| self.token_id(vocabulary, piece),
            start: Vocabulary::START,
            end: Vocabulary::END,
            max_length: self.weights.shape().positions,
        }
    }

    /// The token id of a piece, or `None` if the model's input type leaves such pieces out.
    fn token_id(&self, vocabulary: &Vocabulary, piece: &Piece) -> Option<u32> {
        let (is_math, piece) = match piece {
            Piece::Word(word) => (false, tokenizer::PreToken::Word(word)),
            Piece::Symbol(symbol) => (true, tokenizer::PreToken::Symbol(symbol)),
            Piece::End => (true, tokenizer::PreToken::Space),
        };
        let left_out = if is_math { Input::Text } else { Input::Math };
        (self.input != left_out).then(|| vocabulary.token_id(piece))
    }
}
