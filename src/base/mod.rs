//! Helpers for every other module: random streams, atomic files, the workspace, settings as tables, escaping.

pub mod atomic;
pub mod escape;
pub mod fields;
pub mod rng;
pub mod workspace;
