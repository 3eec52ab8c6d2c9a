//! The progress of a run.

use serde::{Deserialize, Serialize};

use super::evaluation::MatchScore;

/// A position in the training, and the best evaluation so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainProgress<Q = MatchScore> {
    /// The number of steps made.
    pub step: u64,
    /// The epoch of the next step, counted from 0.
    pub epoch: u64,
    /// The position of the next step in its epoch.
    pub position: u64,
    #[serde(default = "Option::default")]
    pub best: Option<BestEvaluation<Q>>,
    /// The number of evaluations since the best one.
    pub stale: u64,
    /// Set when training has ended.
    #[serde(default)]
    pub ending: Option<TrainOutcome>,
}

impl<Q> Default for TrainProgress<Q> {
    fn default() -> TrainProgress<Q> {
        TrainProgress { step: 0, epoch: 0, position: 0, best: None, stale: 0, ending: None }
    }
}

/// The best evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestEvaluation<Q = MatchScore> {
    pub step: u64,
    pub epoch: u64,
    #[serde(rename = "quality")]
    pub score: Q,
}

/// How training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainOutcome {
    /// All epochs are complete.
    Finished,
    /// Evaluations stopped improving.
    Early,
    /// The observer requested it.
    Stopped,
}
