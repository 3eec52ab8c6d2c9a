//! The interface between the training loop and the code that records a run.

use serde::{Deserialize, Serialize};

use super::{
    checkpoint::Checkpoint, evaluation::MatchScore, progress::TrainProgress, settings::ObjectiveKind,
};
use crate::model::Weights;

/// An error of an observer, such as a full disk. It ends training.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Receives the events of a training loop and stores its results.
pub trait Observer<Q = MatchScore> {
    /// Called after every step; decides how to continue.
    fn step(&mut self, report: &StepReport) -> Result<AfterStep, ObserverError>;

    /// Called after every evaluation.
    fn evaluated(&mut self, _report: &EvaluationReport<Q>) -> Result<(), ObserverError> {
        Ok(())
    }

    /// Called with a model that is better than all earlier ones, or with the last one if there are no evaluations.
    fn best(&mut self, _weights: &Weights, _progress: &TrainProgress<Q>) -> Result<(), ObserverError> {
        Ok(())
    }

    /// Called when the observer requested a checkpoint or a stop, and at the end.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint<'_, Q>) -> Result<(), ObserverError> {
        Ok(())
    }
}

/// How to continue after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterStep {
    Continue,
    /// Write a checkpoint and continue.
    Checkpoint,
    /// Write a checkpoint and stop.
    Stop,
}

/// The result of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Counted from 1.
    pub step: u64,
    /// Counted from 0.
    pub epoch: u64,
    /// The number of steps of the whole training unless it stops early.
    pub total_steps: u64,
    pub objective: StepObjective,
    pub loss: f32,
    /// The share of statements in the batch whose own proof scores highest.
    pub batch_accuracy: f32,
    /// The learning rate.
    pub lr: f64,
    /// The norm before clipping.
    pub gradient_norm: f32,
    pub pairs: usize,
    pub tokens: usize,
    /// Whether the loss was flat, so that no weight changed.
    pub skipped: bool,
    /// A message about the step for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// The loss of a single step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum StepObjective {
    Local,
    Symmetric,
    Global,
    /// Masked tokens, in pre-training.
    Masked,
}

/// The result of one evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationReport<Q = MatchScore> {
    pub step: u64,
    /// The number of completed epochs.
    pub epoch: u64,
    #[serde(rename = "quality")]
    pub score: Q,
    /// Whether it is better than all earlier evaluations.
    pub is_best: bool,
}

impl ObjectiveKind {
    /// Returns the objectives that steps alternate between.
    pub(super) fn round(self, reference: bool) -> &'static [StepObjective] {
        match (self, reference) {
            (ObjectiveKind::Local, _) => &[StepObjective::Local],
            (ObjectiveKind::Symmetric, _) => &[StepObjective::Symmetric],
            (ObjectiveKind::Hybrid, false) => &[StepObjective::Local, StepObjective::Global],
            (ObjectiveKind::Hybrid, true) => &[StepObjective::Global, StepObjective::Local],
        }
    }
}

impl StepObjective {
    pub fn name(self) -> &'static str {
        self.into()
    }
}
