//! Why a run could not be trained.

use std::{error::Error, path::PathBuf};

use super::super::{RunError, RunName};
use crate::{
    corpus::OpenError,
    train::{SettingsError, TrainError, device::DeviceError},
};

#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Corpus(#[from] OpenError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error("stopped before the first step; resume the run to continue")]
    Stopped,
    #[error("resuming from {}", checkpoint.display())]
    Resume { checkpoint: PathBuf, source: Box<TrainError> },
    #[error("no corpus given; name one, as in matchbook {command} demo --run {name}")]
    NoCorpus { command: &'static str, name: RunName },
    #[error(
        "the run {name} was started with other settings and keeps those in {}; to train with new ones, start another run with --config",
        path.display()
    )]
    OtherSettings { name: RunName, path: PathBuf },
    #[error(
        "the corpus {} is not the one that the run was started with: its fingerprint is {}, expected {}; restore the old corpus, or start another run",
        path.display(), short(found), short(expected)
    )]
    OtherCorpus { path: PathBuf, expected: String, found: String },
}

impl TrainingError {
    /// The message and those of its causes, separated by colons.
    pub(super) fn with_sources(&self) -> String {
        let mut text = self.to_string();
        let mut source = self.source();
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        text
    }
}

fn short(fingerprint: &str) -> String {
    fingerprint.chars().take(16).collect()
}
