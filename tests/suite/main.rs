//! The end-to-end tests, in one binary: linking the library once instead of thirty times is most of a cold `cargo test`.
//!
//! One module per subject. A test that needs a program this machine lacks (Python packages, Slurm) prints why it is skipped.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a failing test panics, and a skipped one prints the reason"
)]

mod architecture;
mod assignment;
mod bert;
mod commands;
mod conventions;
mod explain;
mod explain_command;
mod extract_archives;
mod extract_faults;
mod extract_hostile;
mod extract_mutations;
mod extract_shards;
mod faults;
mod find;
mod foreign_files;
mod formats;
mod gpu;
mod guide;
mod jobs;
mod matching;
mod model;
mod outputs;
mod robustness;
mod run_faults;
mod runs;
mod shared_corpus;
mod slurm;
mod studies;
mod supply_chain;
mod support;
mod terminal;
mod themes;
mod tracking;
mod training;
mod training_faults;
