//! What to run, and where.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::{Notes, SlurmOptions};
use crate::{
    base::fields,
    runs::{RunConfig, RunName},
};

/// Default seconds between two checkpoints.
const CHECKPOINT_EVERY: u64 = 60;

/// A run to be launched.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRequest {
    pub name: RunName,
    /// Corpus, seed and settings, which the caller has checked.
    pub config: RunConfig,
    pub work: RunKind,
    pub options: RunOptions,
    pub notes: Notes,
}

/// Which command trains the run. It is started as `matchbook KIND --run NAME --resume`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum RunKind {
    #[default]
    Train,
    Pretrain,
}

/// Options that do not change a run's result: flags of the command beside the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// `auto`, `cpu`, `cuda` or `metal`. Runs of one device share a queue.
    pub device: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<NonZeroUsize>,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_every: Option<u64>,
    pub tensorboard: bool,
}

/// Where to launch a run.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchTarget {
    /// On this machine, now, whatever else runs.
    Here,
    /// On this machine, when its device has a free place: see [`JobSettings`](super::JobSettings).
    Queue,
    /// On the cluster.
    Slurm(SlurmOptions),
}

impl RunRequest {
    /// A run with these settings, with default options.
    pub fn new<S: Serialize>(name: RunName, config: &RunConfig<S>) -> Result<RunRequest, super::JobError> {
        let settings = toml::Table::try_from(&config.settings)
            .map_err(|error| super::JobError::Change(error.to_string()))?;
        let config = RunConfig::new(config.seed, config.corpus.clone(), settings);
        Ok(RunRequest {
            name,
            work: RunKind::of(&config),
            config,
            options: RunOptions::default(),
            notes: Notes::default(),
        })
    }
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions { device: "auto".to_owned(), threads: None, checkpoint_every: None, tensorboard: false }
    }
}

impl RunOptions {
    /// The device whose queue the run waits in.
    pub fn queue(&self) -> &str {
        match self.device.as_str() {
            "auto" | "" => "cpu",
            device => device,
        }
    }

    /// In seconds.
    pub fn checkpoint_every(&self) -> u64 {
        self.checkpoint_every.unwrap_or(CHECKPOINT_EVERY)
    }

    /// The flags of these options.
    pub fn flags(&self) -> Vec<String> {
        fields::flags(&RunOptions::default(), self)
    }
}

impl RunKind {
    /// The kind of a run, from its settings: those of a pre-training have a `task`.
    pub fn of(config: &RunConfig) -> RunKind {
        match config.settings.get("task").and_then(toml::Value::as_str) {
            Some("pretrain") => RunKind::Pretrain,
            _ => RunKind::Train,
        }
    }

    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl LaunchTarget {
    /// Finds options that cannot be used before a run is made.
    pub(super) fn check(&self) -> Result<(), super::JobError> {
        match self {
            LaunchTarget::Slurm(options) => options.check(),
            LaunchTarget::Here | LaunchTarget::Queue => Ok(()),
        }
    }

    pub(super) fn place(&self) -> super::LaunchKind {
        match self {
            LaunchTarget::Here => super::LaunchKind::Here,
            LaunchTarget::Queue => super::LaunchKind::Queue,
            LaunchTarget::Slurm(_) => super::LaunchKind::Slurm,
        }
    }
}
