//! The names of files and folders in the directory of a run.

pub const CONFIG: &str = "run.toml";
pub const STATUS: &str = "status.json";
pub const METRICS: &str = "metrics.jsonl";
pub const LOG: &str = "log.txt";
pub const LOCK: &str = "lock";
/// Its presence asks the process that trains the run to stop, where no signal reaches it.
pub const STOP: &str = "stop";
/// How the run is launched, and what was launched.
pub const JOB: &str = "job.json";
/// The batch script of a cluster.
pub const JOB_SCRIPT: &str = "job.sh";
/// A note and tags of the user.
pub const NOTES: &str = "notes.toml";
pub const CHECKPOINTS: &str = "checkpoints";
/// The best model, among the checkpoints.
pub const BEST: &str = "best";
pub const EVALUATION: &str = "evaluation";
pub const TENSORBOARD: &str = "tensorboard";
