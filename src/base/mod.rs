//! What every other module may use: files written atomically, cancellation and progress, the workspace, settings as tables, escaping.

pub mod atomic;
pub mod escape;
pub mod fields;
pub mod task;
pub mod workspace;
