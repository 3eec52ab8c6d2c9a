//! Training: settings in, weights out, reproducible to the bit.
//!
//! [`Trainer`] and [`Pretrainer`](pretrain::Pretrainer) own weights, optimizer and progress and do no I/O beyond reading the
//! corpus. They share the [training loop](training_loop), which reports every step and every evaluation to an [`Observer`]
//! and hands it a [`Checkpoint`] on request.
//!
//! Invariants:
//!
//! - Everything random is a function of the seed and a position (epoch, batch, step): the order of pairs, dropout,
//!   fresh names. A checkpoint is therefore weights, optimizer state and a position, and training resumed from any
//!   checkpoint produces the same bits as without interruption, with any number of threads.
//! - Observing changes nothing: evaluations and checkpoints work on copies, and rows of the word embeddings whose updates
//!   are pending ([`optimizer`]) stay pending.
//! - A loss that is not finite stops training before it reaches a weight.

mod batch;
pub(crate) mod bert;
mod checkpoint;
mod compute;
pub(crate) mod device;
mod error;
mod estimate;
mod evaluation;
pub(crate) mod metric;
mod observer;
pub(crate) mod optimizer;
mod pairs;
pub(crate) mod pretrain;
mod progress;
mod settings;
pub(crate) mod trained;
mod trainer;
mod training_loop;
mod weight_init;
mod windows;

#[cfg(test)]
mod tests;

pub use self::{
    checkpoint::Checkpoint,
    error::TrainError,
    estimate::{Estimate, GpuSpeed, Hardware, Lengths, Load, Measured, estimate},
    evaluation::{EvaluationScore, MatchScore},
    observer::{AfterStep, EvaluationReport, Observer, ObserverError, StepObjective, StepReport},
    optimizer::OptimizerConfig,
    progress::{BestEvaluation, TrainOutcome, TrainProgress},
    settings::{
        Compat, Encoder, EngineKind, ObjectiveKind, Preset, RunSettings, SettingsError, ShapeSettings,
        TrainSettings, new_key, old_form, rename_old_keys,
    },
    trainer::{Trainer, encode_part},
};
#[cfg(test)]
pub use self::{evaluation::local_score, settings::WeightInit};
