//! The arguments that `train` and `pretrain` have in common: which run, which corpus, where.

use std::path::PathBuf;

use super::super::{field_flags::FieldFlags, slurm_arguments::SlurmArguments};
use crate::runs::jobs::RunOptions;

/// The heading of what a preset determines.
pub const SETTINGS_HEADING: &str = "Settings (defaults come from --preset)";

#[derive(clap::Args)]
pub struct RunArguments {
    /// Corpus file, or `demo`
    pub corpus: Option<PathBuf>,
    /// Name of the run
    #[arg(long, value_name = "NAME")]
    pub run: String,
    /// Resume a stopped run
    #[arg(long)]
    pub resume: bool,
    /// Use the settings of another run: its name, or a run.toml
    #[arg(long, value_name = "RUN_OR_FILE", conflicts_with = "preset")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub options: FieldFlags<RunOptions>,
    /// Train in the background; the log is in the run directory
    #[arg(long)]
    pub detach: bool,
    /// Train in the background when the device is free; `matchbook runs` shows the queue
    #[arg(long, conflicts_with = "detach")]
    pub queue: bool,
    #[command(flatten)]
    pub slurm: SlurmArguments,
}
