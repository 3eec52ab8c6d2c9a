//! The names of what an evaluation measures, as they appear in `metrics.jsonl`, in charts and in tables.

pub const LOSS: &str = "loss";
pub const MRR: &str = "mrr";
pub const ACCURACY: &str = "accuracy";
pub const GLOBAL_ACCURACY: &str = "global_accuracy";
