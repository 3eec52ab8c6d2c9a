//! The flags that send work to a cluster; `[slurm]` of `config.toml` says what they leave open.

use clap::ValueEnum;

use crate::jobs::{JobSettings, SlurmOptions};

#[derive(clap::Args, Clone, Default)]
#[command(next_help_heading = "Cluster")]
pub struct SlurmArguments {
    /// Where to do the work [default: local]
    #[arg(long, value_enum, value_name = "WHERE")]
    on: Option<On>,
    /// Slurm's partition
    #[arg(long, value_name = "NAME", requires = "on")]
    partition: Option<String>,
    /// Slurm's account
    #[arg(long, value_name = "NAME", requires = "on")]
    account: Option<String>,
    /// Devices, as in gpu:1
    #[arg(long, value_name = "LIST", requires = "on")]
    gres: Option<String>,
    /// The most time, as in 12:00:00; a run goes on in another job after it
    #[arg(long, value_name = "TIME", requires = "on")]
    time: Option<String>,
    /// Memory, as in 16G
    #[arg(long, value_name = "SIZE", requires = "on")]
    memory: Option<String>,
    /// Processors of a task
    #[arg(long, value_name = "N", requires = "on")]
    cpus: Option<u32>,
    /// A further option of sbatch, as in --sbatch=--qos=low; may be repeated
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

    /// What to ask Slurm for: the flags, and what the settings say beside them. None for work on this machine.
    pub fn options(&self, settings: &JobSettings) -> Option<SlurmOptions> {
        let options = SlurmOptions {
            partition: self.partition.clone(),
            account: self.account.clone(),
            gres: self.gres.clone(),
            time: self.time.clone(),
            memory: self.memory.clone(),
            cpus: self.cpus,
            options: self.sbatch.clone(),
            ..SlurmOptions::default()
        };
        self.is_slurm().then(|| options.or(&settings.slurm))
    }
}
