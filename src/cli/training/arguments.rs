//! The arguments that `train` and `pretrain` have in common: which run, which corpus, where.

use std::path::PathBuf;

use super::super::{field_flags::FieldFlags, slurm_arguments::SlurmArguments};
use crate::runs::jobs::RunOptions;

#[derive(clap::Args)]
pub struct RunArguments {
    /// A corpus file, or `demo`
    pub corpus: Option<PathBuf>,
    /// Name of the run
    #[arg(long, value_name = "NAME")]
    pub run: String,
    /// Resume a stopped run
    #[arg(long)]
    pub resume: bool,
    /// Use the settings in the run.toml of another run
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
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
