//! A run that a study needs: a training run, or the pre-training run that training runs start from.

use super::PlanError;
use crate::{
    corpus::CorpusReference,
    corpus::split::Scheme,
    runs::{RunConfig, RunName},
    train::{ObjectiveKind, TrainSettings, pretrain::PretrainSettings},
};

/// A run that exists or will be created.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRun {
    pub name: RunName,
    pub work: PlannedWork,
    pub corpus: CorpusReference,
    /// The index of the run that has to finish first: this one starts from its best model.
    pub after: Option<usize>,
}

/// The settings of a planned run.
#[derive(Clone, Debug, PartialEq)]
pub enum PlannedWork {
    Train(Box<TrainSettings>),
    Pretrain(Box<PretrainSettings>),
}

impl PlannedRun {
    /// The settings of a run that trains a matching.
    pub fn training(&self) -> Option<&TrainSettings> {
        match &self.work {
            PlannedWork::Train(settings) => Some(settings),
            PlannedWork::Pretrain(_) => None,
        }
    }

    pub fn is_pretraining(&self) -> bool {
        self.training().is_none()
    }

    /// Its `run.toml`.
    pub fn config(&self) -> Result<RunConfig, PlanError> {
        let (seed, written) = match &self.work {
            PlannedWork::Train(settings) => (settings.seed, toml::to_string(settings)),
            PlannedWork::Pretrain(settings) => (settings.seed, toml::to_string(settings)),
        };
        let wrong = |error: &dyn std::fmt::Display| PlanError::Request(error.to_string());
        // via text: as a value, a share of 0.1 would have the digits of its f32
        let table = written
            .map_err(|error| wrong(&error))?
            .parse()
            .map_err(|error: toml::de::Error| wrong(&error))?;
        Ok(RunConfig::new(seed, self.corpus.clone(), table))
    }

    /// The split that it reads the training part of, and the split's seed.
    pub fn split(&self) -> (Scheme, Option<u64>) {
        match &self.work {
            PlannedWork::Train(settings) => (settings.split, settings.split_seed),
            PlannedWork::Pretrain(settings) => (settings.split, settings.split_seed),
        }
    }

    pub fn epochs(&self) -> u64 {
        match &self.work {
            PlannedWork::Train(settings) => settings.epochs,
            PlannedWork::Pretrain(settings) => settings.epochs,
        }
    }

    /// The number of steps with this many training pairs.
    pub fn steps(&self, pairs: usize) -> u64 {
        let batches = |count: usize, size: usize| count.div_ceil(size.max(1)) as u64;
        match &self.work {
            PlannedWork::Train(settings) => {
                let each = batches(pairs, settings.batch) * settings.epochs;
                if settings.objective == ObjectiveKind::Hybrid { 2 * each } else { each }
            }
            PlannedWork::Pretrain(settings) => {
                let held_out = (pairs as f64 * settings.held_out).ceil() as usize;
                batches(2 * pairs.saturating_sub(held_out), settings.batch) * settings.epochs
            }
        }
    }
}
