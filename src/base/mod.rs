//! Helpers for every other module: random streams, cancellation and progress, atomic files, the workspace, settings as
//! tables, escaping.

pub mod atomic;
pub mod escape;
pub mod fields;
pub mod rng;
pub mod task;
pub mod workspace;
