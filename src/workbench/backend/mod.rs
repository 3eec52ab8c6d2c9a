//! The backend of the workbench: worker threads, files, jobs, and the thread that writes sessions.
//!
//! It carries out the effects that `app` returns, and draws nothing.

mod corpora;
mod corpus;
mod evaluations;
mod explanations;
mod files;
mod find;
mod highlight;
mod open;
mod pool;
mod recorder;
mod runs;
mod services;
pub mod session_writer;
mod studies;
mod themes;

pub use open::{Environment, OpenError, OpenOptions, OpenedWorkbench, PairFile, Replay};
pub use pool::Workers;
pub use recorder::{Recorder, ReplayEvent, replay};
pub use services::{Call, Services};
pub use themes::TerminalThemes;
