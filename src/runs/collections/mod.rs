//! Matching two collections: the statements of one with the proofs of another, of any size.
//!
//! When to answer "no proof here" is learned from a dev corpus: as many of its proofs are removed as are expected to be
//! missing, its statements are matched with the rest, and the confidences and the threshold are those that work best there.

mod matching;
mod problem;

pub use matching::{Comparison, MatchAnswers, MatchSettings, match_collections};
pub use problem::MatchProblem;
