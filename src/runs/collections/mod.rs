//! Matching two collections: the statements of one with the proofs of another, of any size.
//!
//! When to answer "no proof here" is learned from dev pairs: they are put among the statements and proofs of the problem in
//! simulated problems of its size, half of them without their proofs, and the confidences and the threshold are those that
//! work best there.

mod matching;
mod problem;

pub use matching::{Comparison, MatchAnswers, MatchSettings, match_collections};
pub use problem::MatchProblem;
