//! Answers under the constraint that a proof belongs to one statement.
//!
//! Local decoding asks each statement alone, and popular proofs are chosen by many. [`global`] gives each statement
//! one proof so that the sum of scores is greatest, but no ranking. [`sinkhorn`] and [`csls`] give a ranking that
//! knows of the others: both shift the scores of popular proofs down, so that ranks and mean reciprocal rank
//! under the constraint can be told, which the paper says it lacks.

pub mod csls;
pub mod global;
pub mod sinkhorn;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

use super::{
    assignment::{AssignmentError, certificate::CertificateError},
    ranking::RankingError,
};
use crate::base::task::Cancelled;

/// How scores become answers.
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

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    #[error(transparent)]
    Ranking(#[from] RankingError),
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    #[error("the assignment that was found is not one: {0}; this is a fault of the program")]
    Certificate(#[from] CertificateError),
}

impl From<Cancelled> for DecodeError {
    fn from(cancelled: Cancelled) -> DecodeError {
        DecodeError::Ranking(cancelled.into())
    }
}
