//! The names of everything that a run measures. Steps, evaluations and the status use these and no others.

pub use crate::train::metric::{ACCURACY, GLOBAL_ACCURACY, LOSS, MRR};

// Of steps, beside the loss.
pub const GLOBAL_LOSS: &str = "global_loss";
pub const BATCH_ACCURACY: &str = "batch_accuracy";
pub const LEARNING_RATE: &str = "lr";
pub const GRADIENT_NORM: &str = "gradient_norm";
pub const TOKENS_PER_SECOND: &str = "tokens_per_second";

// Of the machine, in the row of a step every few seconds. With several GPUs: the mean utilization, the sum of power and
// memory, the highest temperature.
/// Percent of the time that a kernel was running.
pub const GPU_UTILIZATION: &str = "gpu_utilization";
/// Bytes in use on the GPUs of the run.
pub const GPU_MEMORY: &str = "gpu_memory";
/// Watts.
pub const GPU_POWER: &str = "gpu_power";
/// Degrees Celsius.
pub const GPU_TEMPERATURE: &str = "gpu_temperature";
/// Percent of all cores that the run has used.
pub const CPU_UTILIZATION: &str = "cpu_utilization";
/// Resident bytes of the run.
pub const MEMORY: &str = "memory";

/// The name of the evaluations of a pre-training run; those of a training run are named after a part of the corpus.
pub const HELD_OUT: &str = "held-out";

// Of the status only.
pub const SECONDS_LEFT: &str = "seconds_left";
