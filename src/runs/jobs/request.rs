//! What to run, and where.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::{Notes, SlurmOptions};
use crate::{
    base::fields,
    runs::{RunConfig, RunName},
};

/// Seconds between two checkpoints, unless somebody says otherwise.
const CHECKPOINT_EVERY: u64 = 60;

/// A run that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRequest {
    pub name: RunName,
    /// Corpus, seed and settings, which the caller has checked.
    pub config: RunConfig,
    pub work: Work,
    pub options: Options,
    pub notes: Notes,
}

/// Which command does the work. It is started as `matchbook WORD --run NAME --resume`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    #[default]
    Train,
    Pretrain,
}

/// What does not change a run's result: flags of the command beside the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// `auto`, `cpu`, `cuda` or `metal`. Runs of one device share a queue.
    pub device: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<NonZeroUsize>,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_every: Option<u64>,
    pub tensorboard: bool,
}

/// Where a run goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Where {
    /// On this machine, now, whatever else runs.
    Here,
    /// On this machine, when its device has a place: see [`JobSettings`](super::JobSettings).
    Queue,
    /// On the cluster.
    Slurm(SlurmOptions),
}

impl RunRequest {
    /// A run with these settings, by the command that they are for, on the best device.
    pub fn new<S: Serialize>(name: RunName, config: &RunConfig<S>) -> Result<RunRequest, super::JobError> {
        let settings = toml::Table::try_from(&config.settings)
            .map_err(|error| super::JobError::Change(error.to_string()))?;
        let config = RunConfig::new(config.seed, config.corpus.clone(), settings);
        Ok(RunRequest {
            name,
            work: Work::of(&config),
            config,
            options: Options::default(),
            notes: Notes::default(),
        })
    }
}

impl Default for Options {
    fn default() -> Options {
        Options { device: "auto".to_owned(), threads: None, checkpoint_every: None, tensorboard: false }
    }
}

impl Options {
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

    /// The flags that say the same.
    pub fn flags(&self) -> Vec<String> {
        fields::flags(&Options::default(), self)
    }
}

impl Work {
    /// Which command a run needs: a pre-training says so in its settings.
    pub fn of(config: &RunConfig) -> Work {
        match config.settings.get("task").and_then(toml::Value::as_str) {
            Some("pretrain") => Work::Pretrain,
            _ => Work::Train,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Work::Train => "train",
            Work::Pretrain => "pretrain",
        }
    }
}

impl Where {
    pub(super) fn place(&self) -> super::Place {
        match self {
            Where::Here => super::Place::Here,
            Where::Queue => super::Place::Queue,
            Where::Slurm(_) => super::Place::Slurm,
        }
    }
}
