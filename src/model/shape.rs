//! The sizes that define an encoder: the paper's neural proof-matching Transformer (NPT), or a BERT.
//!
//! Their layers are the same except for the activation and a constant of the norm. What precedes and follows the layers is
//! determined by the [`Family`] of a shape.

use serde::{Deserialize, Serialize};

use super::{ModelError, bert::Bert, tokenizer::UnseenFeatures};

/// The largest sizes. They exclude what no machine could hold and what would overflow, in settings and in files.
pub const MOST_WIDTH: usize = 1 << 14;
pub const MOST_LAYERS: usize = 1 << 8;
pub const MOST_HEADS: usize = 1 << 8;
pub const MOST_FEED_FORWARD: usize = 1 << 16;
pub const MOST_POSITIONS: usize = 1 << 16;
pub const MOST_WORDS: usize = 1 << 24;

/// A post-norm Transformer encoder whose key and value widths need not divide the model's width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderShape {
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
    /// How the vectors of the tokens of a document are pooled.
    #[serde(default, skip_serializing_if = "Pooling::is_paper")]
    pub pooling: Pooling,
    /// What precedes and follows the layers.
    #[serde(default, skip_serializing_if = "Family::is_npt")]
    pub family: Family,
    /// How a bag treats features without a row of their own.
    #[serde(default, skip_serializing_if = "UnseenFeatures::is_ignore")]
    pub unseen: UnseenFeatures,
}

/// What precedes and follows the layers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Words and sinusoids before, nothing after.
    #[default]
    Npt,
    Bert(Bert),
    /// A bag of features instead of layers.
    Windows,
}

/// The activation function of the feed-forward layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    #[default]
    Relu,
    /// With the error function, not its approximation by a hyperbolic tangent.
    Gelu,
}

/// How the vectors of the tokens of a document are pooled.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Pooling {
    /// The maximum of each column, as in the paper.
    #[default]
    Max,
    /// The same, including a zero unless the document has the maximum length: the reference program pads batches with
    /// zeros without masking them, and nearly all of its batches contain a document of the maximum length.
    Padded,
    /// The direction of the mean. Every token counts and every vector has length one, so with a multiple of the
    /// identity between them the score of two documents is a cosine.
    Mean,
    /// BERT's: the first token's vector through a dense layer and a hyperbolic tangent.
    Cls,
}

impl Pooling {
    /// Omitted for the published shape, so that its files are unchanged.
    fn is_paper(&self) -> bool {
        *self == Self::Max
    }
}

/// A bag reads texts whole. The bound is for hostile input: a text of a corpus has a few thousand features.
pub const MOST_FEATURES_OF_A_TEXT: usize = 1 << 16;

/// The shape of an NPT.
pub type NptShape = EncoderShape;

impl Family {
    fn is_npt(&self) -> bool {
        *self == Self::Npt
    }
}

impl EncoderShape {
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
            family: Family::Npt,
            unseen: UnseenFeatures::Ignore,
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
            positions: 400,
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

    /// A bag of features with vectors of this width.
    pub fn windows(vocabulary: usize, width: usize) -> Self {
        Self {
            vocabulary,
            width,
            layers: 0,
            heads: 0,
            key: 0,
            value: 0,
            feed_forward: 0,
            dropout: 0.3,
            positions: MOST_FEATURES_OF_A_TEXT,
            pooling: Pooling::Mean,
            family: Family::Windows,
            unseen: UnseenFeatures::Ignore,
        }
    }

    /// Rejects a shape with an empty dimension or a dropout outside 0..1.
    pub fn check(&self) -> Result<(), ModelError> {
        let is_bag = self.family == Family::Windows;
        if is_bag && (self.layers > 0 || self.pooling != Pooling::Mean) {
            return Err(ModelError::Shape(
                "a bag of features has no layers, and its vector is normalized".to_owned(),
            ));
        }
        let layer_sizes = if is_bag { 0 } else { usize::MAX };
        let sizes = [
            ("width", self.width, MOST_WIDTH),
            // Symbols may be read under two names each.
            ("positions", self.positions, (2 * MOST_POSITIONS).max(MOST_FEATURES_OF_A_TEXT)),
            ("layers", self.layers, MOST_LAYERS),
            ("heads", self.heads, MOST_HEADS),
            ("key", self.key, MOST_WIDTH),
            ("value", self.value, MOST_WIDTH),
            ("feed_forward", self.feed_forward, MOST_FEED_FORWARD),
        ];
        let (common, of_layers) = sizes.split_at(2);
        let needed = common.iter().chain(of_layers.iter().take(layer_sizes));
        if let Some((name, ..)) = needed.into_iter().find(|(_, size, _)| *size == 0) {
            return Err(ModelError::Shape(format!("{name} is 0")));
        }
        if let Some((name, size, most)) = sizes.iter().find(|(_, size, most)| size > most) {
            return Err(ModelError::Shape(format!("{name} is {size}, and the limit is {most}")));
        }
        if !(2..=MOST_WORDS).contains(&self.vocabulary) {
            return Err(ModelError::Shape(format!(
                "a vocabulary of {} words; it should have from 2 to {MOST_WORDS}",
                self.vocabulary
            )));
        }
        if self.pooling == Pooling::Cls && self.bert().is_none() {
            return Err(ModelError::Shape("only a BERT supports first-token pooling".to_owned()));
        }
        if let Some(bert) = self.bert() {
            bert.check(self)?;
        }
        if !(0.0..1.0).contains(&self.dropout) {
            return Err(ModelError::Shape(format!("dropout {} is not between 0 and 1", self.dropout)));
        }
        Ok(())
    }

    /// The sizes that only a BERT has.
    pub fn bert(&self) -> Option<&Bert> {
        match &self.family {
            Family::Npt | Family::Windows => None,
            Family::Bert(bert) => Some(bert),
        }
    }

    /// The epsilon of the norms; NPT's is PyTorch's default.
    pub(super) fn epsilon(&self) -> f32 {
        self.bert().map_or(1e-5, |bert| bert.epsilon)
    }

    pub(super) fn activation(&self) -> Activation {
        self.bert().map_or(Activation::Relu, |bert| bert.activation)
    }

    /// The first valid token id: NPT never reads its padding.
    pub(super) fn first_token(&self) -> u32 {
        u32::from(self.bert().is_none())
    }

    /// Total width of the queries of all heads, and of the keys.
    pub(super) fn keys(&self) -> usize {
        self.heads * self.key
    }

    /// Total width of the values of all heads.
    pub(super) fn values(&self) -> usize {
        self.heads * self.value
    }

    /// Width of queries, keys and values side by side.
    pub(super) fn projected(&self) -> usize {
        2 * self.keys() + self.values()
    }
}
