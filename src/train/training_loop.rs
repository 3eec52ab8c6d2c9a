//! The training loop: epochs, evaluations, early stopping and checkpoints, for any [`Task`].

use super::{
    checkpoint::{Checkpoint, TrainState},
    error::TrainError,
    evaluation::EvaluationScore,
    observer::{AfterStep, EvaluationReport, Observer, StepReport},
    progress::{BestEvaluation, TrainOutcome},
};
use crate::{model::Weights, model::tokenizer::Tokenizer};

/// A model and a loss that can be trained.
pub(super) trait Task {
    type Score: EvaluationScore;

    /// Prepares an epoch and returns its number of steps.
    fn prepare_epoch(&mut self, epoch: u64) -> Result<u64, TrainError>;

    /// Makes one step of the optimizer at the current position of the prepared epoch.
    fn step(
        &mut self,
        state: &mut TrainState<Self::Score>,
        total_steps: u64,
    ) -> Result<StepReport, TrainError>;

    /// Copies what a device has changed into the state, before it is read.
    fn synchronize(&mut self, state: &mut TrainState<Self::Score>) -> Result<(), TrainError>;

    /// Evaluates a model; `None` if nothing is ever evaluated.
    fn evaluate(&mut self, weights: &Weights) -> Result<Option<Self::Score>, TrainError>;

    fn tokenizer(&self) -> &Tokenizer;
}

/// The length of a training run, and how often it is evaluated.
#[derive(Clone, Copy)]
pub(super) struct Schedule {
    pub epochs: u64,
    /// The number of epochs between evaluations; 0 never evaluates.
    pub evaluate_every: u64,
    pub patience: u64,
    /// Whether the average of the weights is evaluated and stored, once there is one.
    pub averaged: bool,
}

/// Trains until all epochs are complete, evaluations stop improving, or the observer requests a stop.
pub(super) fn run_epochs<T: Task>(
    task: &mut T,
    state: &mut TrainState<T::Score>,
    schedule: Schedule,
    observer: &mut dyn Observer<T::Score>,
) -> Result<TrainOutcome, TrainError> {
    while state.progress.ending.is_none() {
        let epoch = state.progress.epoch;
        let steps = task.prepare_epoch(epoch)?;
        while state.progress.epoch == epoch {
            let report = task.step(state, steps * schedule.epochs)?;
            state.progress.position += 1;
            if state.progress.position >= steps {
                (state.progress.epoch, state.progress.position) = (epoch + 1, 0);
            }
            let next = observer.step(&report).map_err(TrainError::Observer)?;
            if state.progress.epoch > epoch {
                end_epoch(task, state, schedule, observer)?;
            }
            if next != AfterStep::Continue || state.progress.ending.is_some() {
                task.synchronize(state)?;
                let TrainState { weights, optimizer, progress } = &*state;
                let checkpoint = Checkpoint { weights, progress, optimizer, tokenizer: task.tokenizer() };
                observer.checkpoint(&checkpoint).map_err(TrainError::Observer)?;
            }
            if next == AfterStep::Stop && state.progress.ending.is_none() {
                return Ok(TrainOutcome::Stopped);
            }
        }
    }
    Ok(state.progress.ending.unwrap_or(TrainOutcome::Finished))
}

/// Evaluates at the end of an epoch and decides whether training ends.
fn end_epoch<T: Task>(
    task: &mut T,
    state: &mut TrainState<T::Score>,
    schedule: Schedule,
    observer: &mut dyn Observer<T::Score>,
) -> Result<(), TrainError> {
    let (epoch, step) = (state.progress.epoch, state.progress.step);
    let is_last = epoch >= schedule.epochs;
    let is_due = schedule.evaluate_every > 0 && (is_last || epoch.is_multiple_of(schedule.evaluate_every));
    if is_due || is_last {
        task.synchronize(state)?;
    }
    let weights = (is_due || is_last).then(|| state.optimizer.weights(&state.weights, schedule.averaged));
    let score = match (&weights, is_due) {
        (Some(weights), true) => task.evaluate(weights)?,
        _ => None,
    };
    match (weights, score) {
        (Some(weights), Some(score)) => {
            let best = state.progress.best.as_ref();
            let is_best = best.is_none_or(|best| score.is_better_than(&best.score));
            state.progress.stale = if is_best { 0 } else { state.progress.stale + 1 };
            let report = EvaluationReport { step, epoch, score: score.clone(), is_best };
            observer.evaluated(&report).map_err(TrainError::Observer)?;
            if is_best {
                state.progress.best = Some(BestEvaluation { step, epoch, score });
                observer.best(&weights, &state.progress).map_err(TrainError::Observer)?;
            }
        }
        (Some(weights), None) => observer.best(&weights, &state.progress).map_err(TrainError::Observer)?,
        _ => {}
    }
    if is_last {
        state.progress.ending = Some(TrainOutcome::Finished);
    } else if schedule.patience > 0 && state.progress.stale >= schedule.patience {
        state.progress.ending = Some(TrainOutcome::Early);
    }
    Ok(())
}
