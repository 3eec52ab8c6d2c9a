//! The sizes of an encoder as settings.

use serde::{Deserialize, Serialize};

use crate::model::{EncoderShape, Family, Pooling, bert::Bert};

/// The sizes of an encoder except for the vocabulary, which depends on the corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeSettings {
    pub width: usize,
    pub layers: usize,
    pub heads: usize,
    pub key: usize,
    pub value: usize,
    pub feed_forward: usize,
    pub dropout: f32,
    /// Texts are truncated to this many tokens.
    pub longest: usize,
    #[serde(default)]
    pub pooling: Pooling,
    /// What only a BERT has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bert: Option<Bert>,
}

impl ShapeSettings {
    pub fn of(shape: &EncoderShape) -> ShapeSettings {
        ShapeSettings {
            width: shape.width,
            layers: shape.layers,
            heads: shape.heads,
            key: shape.key,
            value: shape.value,
            feed_forward: shape.feed_forward,
            dropout: shape.dropout,
            longest: shape.positions,
            pooling: shape.pooling,
            bert: shape.bert().cloned(),
        }
    }

    /// Returns the shape of a model with a vocabulary of this size.
    pub fn with(&self, vocabulary: usize) -> EncoderShape {
        EncoderShape {
            vocabulary,
            width: self.width,
            layers: self.layers,
            heads: self.heads,
            key: self.key,
            value: self.value,
            feed_forward: self.feed_forward,
            dropout: self.dropout,
            positions: self.longest,
            pooling: self.pooling,
            family: self.bert.clone().map_or(Family::Npt, Family::Bert),
        }
    }
}
