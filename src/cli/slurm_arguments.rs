//! Flags for running on a Slurm cluster; their defaults are in `[slurm]` of `config.toml`.

use clap::ValueEnum;

use super::field_flags::FieldFlags;
use crate::runs::jobs::{JobSettings, SlurmOptions};

#[derive(clap::Args)]
#[command(next_help_heading = "Cluster")]
pub struct SlurmArguments {
    /// Where to run: local or slurm; the options below default to [slurm] in config.toml [default: local]
    #[arg(long, value_enum, value_name = "WHERE")]
    on: Option<On>,
    #[command(flatten)]
    options: FieldFlags<SlurmOptions>,
    /// Additional sbatch option, such as --sbatch=--qos=low; may be repeated
    #[arg(long, value_name = "OPTION", requires = "on", allow_hyphen_values = true)]
    sbatch: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum On {
    Local,
    Slurm,
}

impl SlurmArguments {
    pub fn is_slurm(&self) -> bool {
        self.on == Some(On::Slurm)
    }

    /// The Slurm options of the flags, completed by the settings; `None` for work on this machine.
    pub fn options(&self, settings: &JobSettings) -> anyhow::Result<Option<SlurmOptions>> {
        let options = SlurmOptions { options: self.sbatch.clone(), ..self.options.settings()? };
        Ok(self.is_slurm().then(|| options.or(&settings.slurm)))
    }
}
