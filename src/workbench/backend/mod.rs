//! The backend of the workbench: worker threads, files, jobs, and the thread that writes sessions.
//!
//! It carries out the effects that `app` returns, and draws nothing.

mod builder;
mod corpora;
mod corpus;
#[cfg(test)]
mod device_tests;
mod evaluations;
mod explanations;
mod files;
mod find;
mod highlight;
mod open;
mod paths;
mod pool;
mod recent;
mod recorder;
mod runs;
mod services;
pub mod session_writer;
mod settings;
mod studies;
mod themes;

pub use builder::Builder;
pub use files::expand_home;
pub use open::{Environment, OpenError, OpenOptions, OpenedWorkbench, PairFile, Replay};
pub use paths::{entries, make_workspace};
pub use pool::Workers;
pub use recorder::{Recorder, ReplayEvent, replay};
pub use services::{Call, Services};
pub use settings::SettingsError;
pub use themes::TerminalThemes;
