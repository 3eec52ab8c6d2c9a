//! The backend of the workbench: worker threads, files, jobs, and the thread that writes sessions.
//!
//! It carries out the effects that `app` returns, and draws nothing.

mod corpus;
mod evaluations;
mod explanations;
mod files;
mod highlight;
mod pool;
mod runs;
mod services;
pub mod session_writer;
mod studies;

pub use pool::Workers;
pub use services::{Call, Services};
