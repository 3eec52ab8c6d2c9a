//! What runs behind the workbench: worker threads, files, jobs, and the thread that writes sessions.
//!
//! It carries out the effects that `app` asks for, and draws nothing.

mod evaluations;
mod files;
mod highlight;
mod insights;
pub mod keeper;
mod open;
mod recorder;
mod running;
mod study_shelf;
mod themes;
mod workers;

pub use open::{Environment, OpenError, OpenOptions, OpenedWorkbench, PairFile, Replay};
pub use recorder::{Recorder, ReplayEvent, replay};
pub use themes::TerminalThemes;
pub use workers::{Backing, Workers, answer};
