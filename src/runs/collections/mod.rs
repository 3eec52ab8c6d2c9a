//! Matching two collections: the statements of one with the proofs of another, of any size.
//!
//! What it takes to say "no proof here" is learned from a dev corpus: its statements are matched with the proofs of some of them
//! only, as many as are expected to be missing, and confidences and threshold are those that work best there.

mod matching;
mod problem;

pub use matching::{Comparison, MatchAnswers, MatchSettings, match_collections};
pub use problem::MatchProblem;
