//! The names of everything that a run measures. Steps, evaluations and the status use these and no others.

pub use crate::train::metric::{ACCURACY, GLOBAL_ACCURACY, LOSS, MRR};

// Of steps, beside the loss.
pub const GLOBAL_LOSS: &str = "global_loss";
pub const BATCH_ACCURACY: &str = "batch_accuracy";
pub const LEARNING_RATE: &str = "lr";
pub const GRADIENT_NORM: &str = "gradient_norm";
pub const TOKENS_PER_SECOND: &str = "tokens_per_second";

/// The name of the evaluations of a pre-training; those of a training are named after a part of the corpus.
pub const HELD_OUT: &str = "held-out";

// Of the status only.
pub const SECONDS_LEFT: &str = "seconds_left";
