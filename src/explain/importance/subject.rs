//! A trained model that is asked.

use crate::{
    corpus::split::Scheme,
    explain::{ModelScorer, Piece, Reading},
    model::Weights,
    model::tokenizer::{self, Input, Vocabulary},
    runs::trained::{TrainedError, TrainedModel},
};

/// A model with what it needs to read a pair.
pub struct Subject {
    pub name: String,
    weights: Weights,
    vocabulary: Vocabulary,
    input: Input,
    /// The split that it was trained on.
    pub scheme: Scheme,
    pub split_seed: Option<u64>,
}

impl TryFrom<TrainedModel> for Subject {
    type Error = TrainedError;

    /// A model that reads pieces of words has no vocabulary of whole words to leave out.
    fn try_from(model: TrainedModel) -> Result<Subject, TrainedError> {
        let (scheme, split_seed) = (model.settings.split, model.settings.split_seed);
        let (vocabulary, input) = (model.vocabulary()?.clone(), model.settings.input);
        Ok(Subject { scheme, split_seed, ..Subject::new(model.name, model.weights, vocabulary, input) })
    }
}

impl Subject {
    pub fn new(name: impl Into<String>, weights: Weights, vocabulary: Vocabulary, input: Input) -> Subject {
        Subject { name: name.into(), weights, vocabulary, input, scheme: Scheme::Mixed, split_seed: None }
    }

    pub(super) fn scorer(&self) -> ModelScorer<'_, impl Fn(&Piece) -> Option<u32> + Sync + '_> {
        let reading = Reading {
            number: |piece: &Piece| self.number(piece),
            start: Vocabulary::START,
            end: Vocabulary::END,
            longest: self.weights.shape().positions,
        };
        ModelScorer::new(&self.weights, reading)
    }

    /// The number of a piece; none if the model's input type leaves it out.
    fn number(&self, piece: &Piece) -> Option<u32> {
        let (is_math, piece) = match piece {
            Piece::Word(word) => (false, tokenizer::PreToken::Word(word)),
            Piece::Symbol(symbol) => (true, tokenizer::PreToken::Symbol(symbol)),
            Piece::End => (true, tokenizer::PreToken::Space),
        };
        let left_out = if is_math { Input::Text } else { Input::Math };
        (self.input != left_out).then(|| self.vocabulary.number(piece))
    }
}
