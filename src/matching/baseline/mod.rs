//! The baselines that need no training: TF-IDF cosine and Dice overlap.
//!
//! Both compare a statement with a proof by what they share. `tfidf` counts [features](crate::model::tokenizer::features):
//! words, word pairs, and n-grams of formulas as they are written or windows of formulas up to renaming, as its
//! [`SymbolNames`] say. The frequency of a term saturates as c / (c + 1), its weight is ln((1 + n) / (1 + d)),
//! where d of n texts contain it, and each vector is normalized. The n texts are the statements and proofs that are scored,
//! since a baseline has no training data.
//!
//! `tfidf-plain` is scikit-learn's default: raw counts of single tokens times ln((1 + n) / (1 + d)) + 1. In compatibility with
//! the reference program `tfidf` is the same, with the reference's tokens. Dice is twice the number of distinct common tokens
//! divided by the sum of both sides' numbers.

mod documents;
mod method;
mod tokens;
mod weighting;
mod weights;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

pub use documents::{Document, DocumentError, Documents};
pub use method::{BaselineMethod, BaselineMethodError};
pub use tokens::Tokens;
pub use weighting::Weighting;

pub use crate::{corpus::Input, model::tokenizer::SymbolNames};

use super::scores::SparseScores;
use crate::symbols::ReplaceMode;

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
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Baseline {
    /// Saturating counts of n-grams.
    Tfidf,
    /// Raw counts of single tokens.
    TfidfPlain,
    Dice,
}

impl Baseline {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What the baseline counts.
    pub fn tokens(self, mode: ReplaceMode) -> Tokens {
        match (self, mode) {
            (_, ReplaceMode::Reference) => Tokens::Reference,
            (Baseline::Tfidf, ReplaceMode::Exact) => Tokens::Features,
            (Baseline::TfidfPlain | Baseline::Dice, ReplaceMode::Exact) => Tokens::Every,
        }
    }

    /// The scores of all statements with all proofs.
    pub fn scores(self, documents: &Documents) -> SparseScores {
        weights::scores(self, documents)
    }
}
