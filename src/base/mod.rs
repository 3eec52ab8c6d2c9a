//! What every other module may use: files written atomically, the workspace, settings as tables, escaping.

pub mod atomic;
pub mod escape;
pub mod fields;
pub mod numbers;
pub mod workspace;
