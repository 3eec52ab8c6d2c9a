//! Trained models that can be explained: those whose tokens are whole words.

use crate::{
    corpus::split::Scheme,
    explain::{ModelScorer, Piece, PieceTokenizer},
    model::tokenizer::{self, Input, Vocabulary},
    model::{Weights, resident::DeviceEncoder},
    train::{
        device::Device,
        trained::{TrainedModel, TrainedModelError},
    },
};

/// A trained model with the vocabulary that maps pieces of a pair to token ids.
pub struct WordModel {
    pub name: String,
    weights: Weights,
    vocabulary: Vocabulary,
    input: Input,
    /// The weights on a GPU, if texts are encoded there.
    encoder: Option<DeviceEncoder>,
    /// The split that the model was trained on.
    pub scheme: Scheme,
    pub split_seed: Option<u64>,
}

impl TryFrom<TrainedModel> for WordModel {
    type Error = TrainedModelError;

    /// Fails for a model of word pieces: it has no token per word that could be left out.
    fn try_from(model: TrainedModel) -> Result<WordModel, TrainedModelError> {
        let (scheme, split_seed) = (model.settings.split, model.settings.split_seed);
        let (vocabulary, input) = (model.vocabulary()?.clone(), model.settings.input);
        Ok(WordModel { scheme, split_seed, ..WordModel::new(model.name, model.weights, vocabulary, input) })
    }
}

impl WordModel {
    pub fn new(name: impl Into<String>, weights: Weights, vocabulary: Vocabulary, input: Input) -> WordModel {
        WordModel {
            name: name.into(),
            weights,
            vocabulary,
            input,
            encoder: None,
            scheme: Scheme::Mixed,
            split_seed: None,
        }
    }

    /// A trained model, which encodes texts on a device.
    pub fn on_device(model: TrainedModel, device: &Device) -> Result<WordModel, TrainedModelError> {
        let engine = model.engine(device)?;
        let mut model = WordModel::try_from(model)?;
        model.encoder = engine.device_encoder(&model.weights)?;
        Ok(model)
    }

    pub(super) fn scorer(&self) -> ModelScorer<'_, impl Fn(&Piece) -> Option<u32> + Sync + '_> {
        let tokenizer = PieceTokenizer {
            token_id: |piece: &Piece| self.token_id(piece),
            start: Vocabulary::START,
            end: Vocabulary::END,
            max_length: self.weights.shape().positions,
        };
        ModelScorer::new(&self.weights, tokenizer).on(self.encoder.as_ref())
    }

    /// The token id of a piece, or `None` if the model's input type leaves such pieces out.
    fn token_id(&self, piece: &Piece) -> Option<u32> {
        let (is_math, piece) = match piece {
            Piece::Word(word) => (false, tokenizer::PreToken::Word(word)),
            Piece::Symbol(symbol) => (true, tokenizer::PreToken::Symbol(symbol)),
            Piece::End => (true, tokenizer::PreToken::Space),
        };
        let left_out = if is_math { Input::Text } else { Input::Math };
        (self.input != left_out).then(|| self.vocabulary.token_id(piece))
    }
}
