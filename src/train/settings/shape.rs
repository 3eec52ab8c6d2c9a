//! The sizes of an encoder as settings.

use serde::{Deserialize, Serialize, Serializer};

use crate::base::numbers::shortest;
use crate::model::{
    EncoderShape, Family, Pooling,
    bert::Bert,
    tokenizer::{FeatureSet, SymbolNames, UnseenFeatures},
};

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
    #[serde(serialize_with = "shortest_number")]
    pub dropout: f32,
    /// Texts are truncated to this many tokens.
    pub longest: usize,
    #[serde(default)]
    pub pooling: Pooling,
    /// Settings that only a BERT has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bert: Option<Bert>,
    /// Maximum number of tokens in a formula window; 0 unless the encoder reads windows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub window: usize,
    /// Maximum number of features of such an encoder.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub features: usize,
    /// How features that occur in fewer than two training articles are treated.
    #[serde(default, skip_serializing_if = "UnseenFeatures::is_ignore")]
    pub unseen: UnseenFeatures,
}

/// In a table of TOML, which knows double precision alone, a number has the digits that it has in a file.
fn shortest_number<S: Serializer>(number: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(shortest(*number))
}

fn is_zero(size: &usize) -> bool {
    *size == 0
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
            window: 0,
            features: 0,
            unseen: shape.unseen,
        }
    }

    /// Returns the sizes of an encoder of windows with vectors of this width.
    pub fn windows(width: usize, features: usize) -> ShapeSettings {
        let longest_window = FeatureSet::new(SymbolNames::Renamed).longest_window;
        ShapeSettings {
            window: longest_window,
            features,
            unseen: UnseenFeatures::Hash,
            ..ShapeSettings::of(&EncoderShape::windows(2, width))
        }
    }

    /// Returns the features that an encoder of windows reads.
    pub fn feature_set(&self, symbols: SymbolNames) -> FeatureSet {
        FeatureSet { longest_window: self.window, ..FeatureSet::new(symbols) }
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
            family: match &self.bert {
                Some(bert) => Family::Bert(bert.clone()),
                None if self.window > 0 => Family::Windows,
                None => Family::Npt,
            },
            unseen: self.unseen,
        }
    }
}
