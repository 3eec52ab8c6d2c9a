//! The two baselines that need no training: TF-IDF cosine and Dice overlap.
//!
//! Both compare a statement with a proof by the tokens they share. The weights of TF-IDF are scikit-learn's: the
//! number of occurrences times ln((1 + n) / (1 + d)) + 1, where d of n texts have the token; then each vector gets
//! length one. The n texts are the statements and proofs that are scored, since a baseline has nothing else to
//! learn from. Dice is twice the number of different tokens in common over the numbers of both sides.

mod documents;
mod tokens;
mod weights;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

pub use documents::{Document, DocumentError, Documents};
pub use tokens::Tokens;

pub use crate::corpus::Input;

use super::scores::SparseScores;

/// Which baseline.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Display, EnumIter, EnumString, IntoStaticStr,
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
