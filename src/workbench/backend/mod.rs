//! What runs behind the workbench: worker threads, files, jobs, and the thread that writes sessions.
//!
//! It carries out the effects that `app` asks for, and draws nothing.

mod evaluations;
mod files;
mod highlight;
mod insights;
pub mod keeper;
mod running;
mod study_shelf;
mod workers;

pub use workers::{Backing, Workers, answer};
