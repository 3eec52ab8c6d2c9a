//! The two baselines that need no training: TF-IDF cosine and Dice overlap.
//!
//! Both compare a statement with a proof by the tokens they share. The weights of TF-IDF are scikit-learn's: the
//! term frequency times ln((1 + n) / (1 + d)) + 1, where d of n texts contain the token; then each vector is
//! normalized. The n texts are the statements and proofs that are scored, since a baseline has no training
//! data. Dice is twice the number of distinct common tokens divided by the sum of both sides' numbers.

mod documents;
mod tokens;
mod weights;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

pub use documents::{Document, DocumentError, Documents};
pub use tokens::Tokens;

pub use crate::corpus::Input;

use super::scores::SparseScores;

/// A baseline.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Baseline {
    Tfidf,
    Dice,
}

impl Baseline {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The scores of all statements with all proofs.
    pub fn scores(self, documents: &Documents) -> SparseScores {
        weights::scores(self, documents)
    }
}
