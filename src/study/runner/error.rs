//! Why a study could not be run or estimated.

use std::{io, path::PathBuf};

use crate::{
    corpus::{OpenError, store::StoreError},
    model::{ModelError, bert::FolderError},
    runs::{RunError, jobs::JobError},
    study::PlanError,
    train::TrainError,
};

#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Job(#[from] JobError),
    #[error("cannot start a process of this program")]
    Spawn(#[source] io::Error),
    #[error("the study {0} is already running; stop it first")]
    AtWork(String),
    #[error("cannot {doing} {}: {source}", path.display())]
    File { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(transparent)]
    Corpus(#[from] OpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("cannot create a temporary folder")]
    TemporaryFolder(#[source] io::Error),
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("a probe panicked")]
    ProbePanicked,
}
