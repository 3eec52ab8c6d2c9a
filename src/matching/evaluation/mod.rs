//! An evaluation: from a part of a corpus, or from any scores, to predictions for every statement and their metrics.
//!
//! The result is one value with everything that can be displayed later, and that can be saved as a
//! [file](Evaluation::save).

mod contamination;
mod file;
mod kept;
mod level_table;
mod outcome;
mod request;
mod score_map;

pub use contamination::{CleanOutcome, Contamination};
pub use file::{EvaluationFileError, VERSION, list};
pub use level_table::{DecoderMetrics, Finding, LevelCell, LevelRow, LevelTable, Measure, MethodDrop};
pub use outcome::{Evaluation, EvaluationInfo, GlobalSummary, Outcome, Verdict};
pub use request::{
    BaselineRequest, Evaluated, EvaluationError, EvaluationOptions, evaluate_baseline, evaluate_scores,
};
pub use score_map::{ScoreMap, part_size};
