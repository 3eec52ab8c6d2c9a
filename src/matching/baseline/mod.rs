//! The two baselines that need no training: TF-IDF cosine and Dice overlap.
//!
//! Both compare a statement with a proof by the tokens they share. The weights of TF-IDF are scikit-learn's: the
//! number of occurrences times ln((1 + n) / (1 + d)) + 1, where d of n texts have the token; then each vector gets
//! length one. The n texts are the statements and proofs that are scored, since a baseline has nothing else to
//! learn from. Dice is twice the number of different tokens in common over the numbers of both sides.

mod documents;
mod tokens;
mod weights;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use documents::{Document, DocumentError, Documents};
pub use tokens::Tokens;

pub use crate::corpus::Input;

use super::scores::SparseScores;

/// Which baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Baseline {
    Tfidf,
    Dice,
}

impl Baseline {
    pub const ALL: [Baseline; 2] = [Baseline::Tfidf, Baseline::Dice];

    pub fn name(self) -> &'static str {
        match self {
            Baseline::Tfidf => "tfidf",
            Baseline::Dice => "dice",
        }
    }

    pub fn from_name(name: &str) -> Option<Baseline> {
        Baseline::ALL.into_iter().find(|baseline| baseline.name() == name)
    }

    /// The scores of all statements with all proofs.
    pub fn scores(self, documents: &Documents) -> SparseScores {
        weights::scores(self, documents)
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
