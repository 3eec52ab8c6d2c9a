//! Training: settings in, weights out, and never a different bit.
//!
//! # The loop
//!
//! [`Trainer`] owns weights, optimizer and progress and knows neither files nor terminals. It tells an [`Observer`] of
//! every step and every evaluation, hands it a [`Checkpoint`] when the observer wishes for one, and asks it
//! whether to go on. What scores mean is a [`Matcher`]'s business.
//!
//! # What holds
//!
//! - Everything random is a function of the settings' seed and a position (epoch, batch, step): the order of the pairs, dropout,
//!   fresh names. A checkpoint is therefore weights, optimizer and a position, and training goes on from any one
//!   of them to the same bits as without interruption, with any number of threads.
//! - Looking changes nothing: evaluations and checkpoints work on copies, and the rows of the word table that are
//!   behind ([`optimizer`]) stay behind.
//! - A loss that is not a number stops training before it reaches a weight.

mod batch;
pub mod bert;
mod checkpoint;
pub mod device;
mod error;
mod estimate;
mod evaluation;
pub mod fields;
mod matcher;
pub mod metric;
mod observer;
pub mod optimizer;
mod pairs;
pub mod pretrain;
mod pretrain_fields;
mod progress;
mod run_settings;
mod settings;
pub mod trained;
mod trainer;
mod training_loop;
mod weight_init;

#[cfg(test)]
mod tests;

pub use self::{
    checkpoint::{Checkpoint, CheckpointError},
    error::TrainError,
    estimate::{Estimate, Lengths, Load, Measured, estimate},
    evaluation::{EvaluationScore, MatchScore, Matcher, local_score},
    matcher::ExactMatcher,
    observer::{AfterStep, EvaluationReport, Observer, ObserverError, StepObjective, StepReport},
    optimizer::OptimizerConfig,
    progress::{BestEvaluation, TrainOutcome, TrainProgress},
    run_settings::RunSettings,
    settings::{
        Compat, Encoder, EngineKind, ObjectiveKind, Preset, SettingsError, ShapeSettings, TrainSettings,
        WeightInit,
    },
    trainer::{PartVectors, Trainer, encode_part},
};
