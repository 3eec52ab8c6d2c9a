//! How far a run is.

use serde::{Deserialize, Serialize};

use super::evaluation::MatchScore;

/// A position, and what was found on the way to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainProgress<Q = MatchScore> {
    /// Steps made.
    pub step: u64,
    /// The epoch of the next step, from 0.
    pub epoch: u64,
    /// The place of the next step in its epoch.
    pub position: u64,
    #[serde(default = "Option::default")]
    pub best: Option<BestEvaluation<Q>>,
    /// Evaluations since the best one.
    pub stale: u64,
    /// Set when training is over.
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

/// Why the loop returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainOutcome {
    /// All epochs are done.
    Finished,
    /// Evaluations did not get better.
    Early,
    /// The observer wished so.
    Stopped,
}
