//! BERT (Devlin, Chang, Lee and Toutanova, 2019): what it has that NPT lacks.
//!
//! Its layers are NPT's, with another activation function, so they are computed by the same code ([`super::npt`]). This
//! module has what precedes them ([`embedding`]: words, learned positions and a token type, a norm, dropout), what
//! follows them ([`pooler`] for matching, [`masked`] for pre-training), and the folder in which Python's `transformers`
//! stores such a model ([`folder`]).

pub(super) mod embedding;
mod floats;
mod folder;
mod masked;
mod names;
mod pickle;
pub(super) mod pooler;
mod tensor_file;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use self::{
    folder::{CONFIG, Folder, FolderError, Found, tokenizer_files, write},
    masked::{MaskedLoss, Targets, masked_loss, masked_step},
};
use super::{
    Activation, EncoderShape, MOST_POSITIONS, ModelError, Pooling, shape::Family, tokenizer::UnseenFeatures,
};

/// The numbers that only a BERT has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bert {
    /// Rows of the table of positions; the shape's `positions` says how many are read.
    pub position_rows: usize,
    /// Rows of the table of token types, of which texts of one part use the first.
    pub types: usize,
    /// What is added to a variance before it divides.
    pub epsilon: f32,
    pub activation: Activation,
    pub head: Head,
}

/// What stands after the last layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Head {
    /// Pooling and the score of pairs.
    #[default]
    Match,
    /// The guess of masked tokens, for pre-training.
    Masked,
}

impl Bert {
    pub(super) fn check(&self, shape: &EncoderShape) -> Result<(), ModelError> {
        let impossible = |reason: String| Err(ModelError::Shape(reason));
        if self.types == 0 {
            return impossible("a BERT needs at least one token type".to_owned());
        }
        if self.types > MOST_POSITIONS || self.position_rows > MOST_POSITIONS {
            return impossible(format!(
                "{} positions and {} token types; the limit is {MOST_POSITIONS} each",
                self.position_rows, self.types
            ));
        }
        if self.position_rows < shape.positions {
            return impossible(format!(
                "a maximum sequence length of {} tokens, but only {} position embeddings",
                shape.positions, self.position_rows
            ));
        }
        if shape.key != shape.value || shape.heads * shape.key != shape.width {
            return impossible(format!(
                "{} heads of dimension {} do not make up a hidden size of {}",
                shape.heads, shape.key, shape.width
            ));
        }
        if !(self.epsilon > 0.0 && self.epsilon.is_finite()) {
            return impossible(format!("the layer norm's epsilon {} is not above 0", self.epsilon));
        }
        Ok(())
    }
}

impl EncoderShape {
    /// A BERT of these sizes, with BERT's usual constants, whose texts are cut at 200 tokens as the paper does.
    pub fn bert_of(vocabulary: usize, layers: usize, width: usize, heads: usize) -> EncoderShape {
        let bert = Bert {
            position_rows: 512,
            types: 2,
            epsilon: 1e-12,
            activation: Activation::Gelu,
            head: Head::Match,
        };
        EncoderShape {
            vocabulary,
            width,
            layers,
            heads,
            key: width / heads.max(1),
            value: width / heads.max(1),
            feed_forward: 4 * width,
            dropout: 0.1,
            positions: 200,
            pooling: Pooling::Cls,
            family: Family::Bert(bert),
            unseen: UnseenFeatures::Ignore,
        }
    }

    /// BERT base: 12 layers of 768.
    pub fn bert_base(vocabulary: usize) -> EncoderShape {
        EncoderShape::bert_of(vocabulary, 12, 768, 12)
    }

    /// 4 layers of 256.
    pub fn bert_small(vocabulary: usize) -> EncoderShape {
        EncoderShape::bert_of(vocabulary, 4, 256, 4)
    }

    /// 2 layers of 128.
    pub fn bert_tiny(vocabulary: usize) -> EncoderShape {
        EncoderShape::bert_of(vocabulary, 2, 128, 2)
    }

    /// The same encoder with another head; an NPT stays what it is.
    #[must_use]
    pub fn with_head(mut self, head: Head) -> EncoderShape {
        if let Family::Bert(bert) = &mut self.family {
            bert.head = head;
        }
        self
    }

    pub(super) fn head(&self) -> Head {
        self.bert().map_or(Head::Match, |bert| bert.head)
    }
}
