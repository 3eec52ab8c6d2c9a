//! What a training loop tells, and what it is told.

use serde::{Deserialize, Serialize};

use super::{
    checkpoint::Checkpoint, evaluation::MatchScore, progress::TrainProgress, settings::ObjectiveKind,
};
use crate::model::Weights;

/// Whatever went wrong with an observer, for instance a full disk. It ends training.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// Who watches a training loop and keeps what it makes.
pub trait Observer<Q = MatchScore> {
    /// After every step.
    fn step(&mut self, report: &StepReport) -> Result<AfterStep, ObserverError>;

    /// After every evaluation.
    fn evaluated(&mut self, _report: &EvaluationReport<Q>) -> Result<(), ObserverError> {
        Ok(())
    }

    /// A model that is better than all before it, or, without evaluations, the last one.
    fn best(&mut self, _weights: &Weights, _progress: &TrainProgress<Q>) -> Result<(), ObserverError> {
        Ok(())
    }

    /// When it was wished for, before stopping, and at the end.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint<'_, Q>) -> Result<(), ObserverError> {
        Ok(())
    }
}

/// What is to be done after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterStep {
    Continue,
    /// Hand over a checkpoint and go on.
    Checkpoint,
    /// Hand over a checkpoint and stop.
    Stop,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// From 1.
    pub step: u64,
    /// From 0.
    pub epoch: u64,
    /// How many steps there will be, if nothing stops training.
    pub total_steps: u64,
    pub objective: StepObjective,
    pub loss: f32,
    /// The share of the batch's statements whose own proof scores highest.
    pub batch_accuracy: f32,
    /// The learning rate.
    pub lr: f64,
    /// Before clipping.
    pub gradient_norm: f32,
    pub pairs: usize,
    pub tokens: usize,
    /// The step taught nothing and changed nothing.
    pub skipped: bool,
}

/// What a single step minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum StepObjective {
    Local,
    Global,
    /// Masked words, in pre-training.
    Masked,
}

/// One evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationReport<Q = MatchScore> {
    pub step: u64,
    /// How many epochs are done.
    pub epoch: u64,
    #[serde(rename = "quality")]
    pub score: Q,
    /// Better than all before it.
    pub is_best: bool,
}

impl ObjectiveKind {
    /// The purposes of the steps of one round.
    pub(super) fn round(self, reference: bool) -> &'static [StepObjective] {
        match (self, reference) {
            (ObjectiveKind::Local, _) => &[StepObjective::Local],
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
