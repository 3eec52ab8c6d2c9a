//! Decoding under the constraint that a proof belongs to one statement.
//!
//! Local decoding treats each statement on its own, so popular proofs are chosen by many. [`global`] assigns one proof
//! to each statement so that the sum of scores is maximal, but produces no ranking. [`sinkhorn`] and [`csls`] produce
//! a ranking that takes the other statements into account: both lower the scores of popular proofs, so that ranks and
//! mean reciprocal rank under the constraint can be measured, which the paper does not have.

pub mod csls;
pub mod global;
pub mod neighbors;
pub mod sinkhorn;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

use super::{
    assignment::{AssignmentError, certificate::CertificateError},
    ranking::RankingError,
};
use crate::base::task::Cancelled;

/// How scores become predictions.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
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
pub enum Decoder {
    Local,
    Global,
    Sinkhorn,
    Csls,
}

impl Decoder {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Why decoding failed.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    #[error(transparent)]
    Ranking(#[from] RankingError),
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    #[error("the solver returned an invalid assignment: {0}; this is a bug in matchbook, please report it")]
    Certificate(#[from] CertificateError),
}

impl From<Cancelled> for DecodeError {
    fn from(cancelled: Cancelled) -> DecodeError {
        DecodeError::Ranking(cancelled.into())
    }
}
