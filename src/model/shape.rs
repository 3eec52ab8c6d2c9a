//! The numbers that define an NPT encoder: the paper's neural proof-matching Transformer.

use serde::{Deserialize, Serialize};

use super::ModelError;

/// A post-norm Transformer encoder whose key and value widths need not divide the model's width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NptShape {
    /// Rows of the word table; row 0 belongs to padding, stays zero and is never a token.
    pub vocabulary: usize,
    pub width: usize,
    pub layers: usize,
    pub heads: usize,
    /// Width of one head's queries and keys.
    pub key: usize,
    /// Width of one head's values.
    pub value: usize,
    pub feed_forward: usize,
    /// Share of attention weights and of sub-layer outputs that training drops.
    pub dropout: f32,
    /// The longest document, in tokens.
    pub positions: usize,
    /// How the vectors of a document's tokens become one.
    #[serde(default, skip_serializing_if = "Pooling::is_paper")]
    pub pooling: Pooling,
}

/// How the vectors of a document's tokens become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// The greatest value of each column: the paper's.
    #[default]
    Max,
    /// The direction of the mean. Every token counts and every vector has length one, so with a multiple of the
    /// identity between them the score of two documents is a cosine.
    Mean,
}

impl Pooling {
    /// Weights of the published shape are written as they always were.
    fn is_paper(&self) -> bool {
        *self == Self::Max
    }
}

impl NptShape {
    /// The shape of the published experiments.
    pub fn paper(vocabulary: usize) -> Self {
        Self {
            vocabulary,
            width: 300,
            layers: 2,
            heads: 4,
            key: 128,
            value: 128,
            feed_forward: 300,
            dropout: 0.1,
            positions: 200,
            pooling: Pooling::Max,
        }
    }

    /// For some thousands of pairs. Wide, because few pairs are best compared by their tokens and a narrow vector
    /// confuses tokens; one layer with narrow branches, which cost little beside the width.
    pub fn small(vocabulary: usize) -> Self {
        Self {
            width: 512,
            layers: 1,
            heads: 2,
            key: 32,
            value: 32,
            feed_forward: 64,
            pooling: Pooling::Mean,
            ..Self::paper(vocabulary)
        }
    }

    /// For demonstrations: learns a few dozen articles within a minute.
    pub fn tiny(vocabulary: usize) -> Self {
        Self {
            width: 64,
            layers: 1,
            heads: 2,
            key: 32,
            value: 32,
            feed_forward: 64,
            ..Self::paper(vocabulary)
        }
    }

    /// Refuses a shape with an empty dimension or a dropout outside 0..1.
    pub fn check(&self) -> Result<(), ModelError> {
        let sizes = [
            ("width", self.width),
            ("layers", self.layers),
            ("heads", self.heads),
            ("key", self.key),
            ("value", self.value),
            ("feed_forward", self.feed_forward),
            ("positions", self.positions),
        ];
        if let Some((name, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(ModelError::Shape(format!("{name} is 0")));
        }
        if self.vocabulary < 2 || u32::try_from(self.vocabulary).is_err() {
            return Err(ModelError::Shape(format!("a vocabulary of {} words", self.vocabulary)));
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return Err(ModelError::Shape(format!("dropout {} is not in 0..1", self.dropout)));
        }
        Ok(())
    }

    /// Width of the queries of all heads together, and of the keys.
    pub(super) fn keys(&self) -> usize {
        self.heads * self.key
    }

    /// Width of the values of all heads together.
    pub(super) fn values(&self) -> usize {
        self.heads * self.value
    }

    /// Width of queries, keys and values side by side.
    pub(super) fn projected(&self) -> usize {
        2 * self.keys() + self.values()
    }
}
