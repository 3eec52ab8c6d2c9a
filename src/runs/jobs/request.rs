//! What to run, and where.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::{Notes, SlurmOptions};
use crate::{
    base::fields,
    model::ComputeDevice,
    runs::{RunConfig, RunName},
    train::device::Device,
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
    /// `auto`, `cpu`, `cuda`, `cuda:1`, `cuda:0,1` or `metal`. Runs of one device share a queue.
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
    /// The device whose queue the run waits in; `auto` is what it would be on this machine.
    pub fn queue(&self) -> String {
        match Device::named(&self.device) {
            Ok(Device::On(device)) => device.to_string(),
            _ => ComputeDevice::available().first().map_or("cpu".to_owned(), ComputeDevice::to_string),
        }
    }

    /// The options of a run that is launched at a place. GPUs that a cluster gives it are used, unless another device was
    /// asked for. In a queue, `auto` is decided now: another process, perhaps of another build, may start the run.
    #[must_use]
    pub(super) fn at(mut self, place: &LaunchTarget) -> RunOptions {
        if Device::named(&self.device).is_ok_and(|device| device == Device::Auto) {
            match place {
                LaunchTarget::Here => {}
                LaunchTarget::Queue => self.device = self.queue(),
                LaunchTarget::Slurm(options) => {
                    if let Some(count) = options.gres.as_deref().and_then(gpus_of) {
                        self.device = ComputeDevice::Cuda((0..count).collect()).to_string();
                    }
                }
            }
        }
        self
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

/// The number of GPUs of `gpu`, `gpu:2` or `gpu:v100:2`, at most as many as a machine can have; none for other resources.
fn gpus_of(gres: &str) -> Option<usize> {
    let gpus = gres.split(',').find(|each| each.trim() == "gpu" || each.trim().starts_with("gpu:"))?;
    let count: Option<usize> = gpus.rsplit(':').next().and_then(|count| count.trim().parse().ok());
    Some(count.unwrap_or(1).clamp(1, ComputeDevice::MOST))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_of_a_cluster_are_used_unless_another_device_was_asked_for() {
        let at = |device: &str, place: LaunchTarget| {
            RunOptions { device: device.to_owned(), ..RunOptions::default() }.at(&place).device
        };
        let device = |device: &str, gres: Option<&str>| {
            let gres = gres.map(str::to_owned);
            at(device, LaunchTarget::Slurm(SlurmOptions { gres, ..SlurmOptions::default() }))
        };
        // a process of another build may start what waits in a queue
        assert_eq!(at("auto", LaunchTarget::Queue), RunOptions::default().queue());
        assert_eq!(
            (at("auto", LaunchTarget::Here), at("cuda:1", LaunchTarget::Queue)),
            ("auto".into(), "cuda:1".into())
        );
        assert_eq!(device("auto", Some("gpu:1")), "cuda:0");
        assert_eq!(device("auto", Some("gpu")), "cuda:0");
        assert_eq!(device("auto", Some("gpu:v100:2")), "cuda:0,1");
        assert_eq!(device("auto", Some("shard:3,gpu:1")), "cuda:0");
        assert!(device("auto", Some("gpu:100000000000")).ends_with(",1023"));
        assert_eq!(device("auto", Some("license:3")), "auto");
        assert_eq!((device("auto", None), device("cpu", Some("gpu:1"))), ("auto".into(), "cpu".into()));
    }
}
