//! A trained model that is asked.

use crate::{
    corpus::split::Scheme,
    explain::{ModelScorer, Piece, Reading},
    model::Weights,
    text::{self, Input, Vocabulary},
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

impl Subject {
    pub fn new(name: impl Into<String>, weights: Weights, vocabulary: Vocabulary, input: Input) -> Subject {
        Subject { name: name.into(), weights, vocabulary, input, scheme: Scheme::Mixed, split_seed: None }
    }

    /// The same, trained on this split.
    pub fn trained_on(self, scheme: Scheme, split_seed: Option<u64>) -> Subject {
        Subject { scheme, split_seed, ..self }
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
            Piece::Word(word) => (false, text::Piece::Word(word)),
            Piece::Symbol(symbol) => (true, text::Piece::Symbol(symbol)),
            Piece::End => (true, text::Piece::Space),
        };
        let left_out = if is_math { Input::Text } else { Input::Math };
        (self.input != left_out).then(|| self.vocabulary.number(piece))
    }
}
