//! The arguments that `train` and `pretrain` have in common: which run, on what, where.

use std::path::PathBuf;

use super::super::{field_flags::FieldFlags, slurm_arguments::SlurmArguments};
use crate::runs::jobs::RunOptions;

#[derive(clap::Args)]
pub struct RunArguments {
    /// A corpus file, or `demo`
    pub corpus: Option<PathBuf>,
    /// The run's name
    #[arg(long, value_name = "NAME")]
    pub run: String,
    /// Go on with a run that was stopped
    #[arg(long)]
    pub resume: bool,
    /// Take the settings of another run from its run.toml
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub options: FieldFlags<RunOptions>,
    /// Train in a process of its own, which goes on when this terminal is closed; the log is in the run's folder
    #[arg(long)]
    pub detach: bool,
    /// The same, when the device is free; `matchbook runs` shows whose turn it is
    #[arg(long, conflicts_with = "detach")]
    pub queue: bool,
    /// The folder of your runs; otherwise MATCHBOOK_WORKSPACE or the platform's
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    #[command(flatten)]
    pub slurm: SlurmArguments,
}
