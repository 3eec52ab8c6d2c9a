//! Initial weights of a BERT: the best model of a run of `matchbook pretrain`, or a folder of `transformers`.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    base::workspace::Workspace,
    model::{Pooling, bert::CONFIG},
    runs::{RunDirectory, RunError, RunName},
    train::{ShapeSettings, TrainError, bert},
};

/// A folder that a BERT can start from.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialWeights {
    /// Its absolute path.
    pub folder: PathBuf,
    /// The sizes of its encoder.
    pub shape: ShapeSettings,
}

/// Why a BERT cannot start from it.
#[derive(Debug, thiserror::Error)]
pub enum InitialWeightsError {
    #[error("{0} is neither a folder nor a run: {1}")]
    Neither(String, RunError),
    #[error("the run {0} was not made by matchbook pretrain, so it cannot provide initial weights")]
    NotPretrained(String),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Folder(#[from] TrainError),
    #[error("cannot find {path}: {source}")]
    Path { path: String, source: io::Error },
}

impl InitialWeights {
    /// Finds the folder of that path, or the run of that name. Reads everything, so that errors are reported
    /// before a run is created.
    pub fn find(
        init: &Path,
        longest: usize,
        workspace: Option<&Workspace>,
    ) -> Result<InitialWeights, InitialWeightsError> {
        let folder = folder_of(init, workspace)?;
        let shape = bert::read_shape(&folder, Pooling::Cls, longest, None)?;
        Ok(InitialWeights { folder, shape })
    }
}

fn folder_of(init: &Path, workspace: Option<&Workspace>) -> Result<PathBuf, InitialWeightsError> {
    let absolute = |path: &Path| {
        let path_words = || path.display().to_string();
        path.canonicalize().map_err(|source| InitialWeightsError::Path { path: path_words(), source })
    };
    let Some(workspace) = workspace.filter(|_| !init.is_dir()) else { return absolute(init) };
    let name = init.display().to_string();
    let run = name.parse::<RunName>().and_then(|run| RunDirectory::open(workspace, &run));
    let run = run.map_err(|error| InitialWeightsError::Neither(name.clone(), error))?;
    match run.checkpoints().best()? {
        Some(best) if best.names().any(|name| name == CONFIG) => absolute(best.path()),
        Some(_) => Err(InitialWeightsError::NotPretrained(name)),
        None => Err(run.no_model().into()),
    }
}
