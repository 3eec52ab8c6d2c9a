//! An evaluation: from a part of a corpus, or from any scores, to an answer for every statement and how good they are.
//!
//! What comes out is one value that holds everything a person may ask about afterwards, and that can be kept as a
//! [file](Evaluation::save).

mod file;
mod kept;
mod outcome;
mod request;
mod score_map;

pub use file::{EvaluationFileError, VERSION, list};
pub use outcome::{Evaluation, EvaluationInfo, GlobalSummary, Outcome, Verdict};
pub use request::{
    BaselineRequest, Evaluated, EvaluationError, EvaluationOptions, evaluate_baseline, evaluate_scores,
};
pub use score_map::{ScoreMap, part_size};
