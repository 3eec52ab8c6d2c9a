//! What a run is to train: a new `run.toml`, or the one of a run that is resumed.

use std::path::{Path, PathBuf};

use super::{
    super::{RunConfig, RunDirectory, RunName},
    TrainingError,
};
use crate::{
    base::workspace::Workspace,
    corpus::{CorpusReference, open_corpus},
    train::RunSettings,
};

/// The configuration of a new run. `template` is the run whose `run.toml` the settings come from; a new run like it reads the
/// same corpus, unless `corpus` names another path to it.
pub fn new_run_config<S: RunSettings>(
    name: &RunName,
    settings: S,
    corpus: Option<&Path>,
    template: Option<&CorpusReference>,
) -> Result<RunConfig<S>, TrainingError> {
    settings.check()?;
    let Some(path) = corpus.or(template.map(|template| template.path.as_path())) else {
        return Err(TrainingError::NoCorpus { command: S::COMMAND, name: name.clone() });
    };
    let fingerprint = open_corpus(path)?.fingerprint().to_string();
    if let Some(template) = template {
        template.check(path, &fingerprint)?;
    }
    // the demo is not a file
    let path: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Ok(RunConfig::new(settings.seed(), CorpusReference { path, fingerprint }, settings))
}

/// Opens a run to resume it with the settings that it was started with. `change` applies what the user asked for this time,
/// which must not differ.
pub fn existing_run<S: RunSettings, E: From<TrainingError>>(
    workspace: &Workspace,
    name: &RunName,
    change: impl FnOnce(S) -> Result<S, E>,
) -> Result<(RunDirectory, RunConfig<S>), E> {
    let open = || -> Result<_, TrainingError> {
        let directory = RunDirectory::open(workspace, name)?;
        let config: RunConfig<S> = directory.config()?;
        config.settings.check()?;
        Ok((directory, config))
    };
    let (directory, config) = open()?;
    let settings = config.seeded_settings();
    if change(settings.clone())? != settings {
        let path = directory.config_path();
        return Err(TrainingError::OtherSettings { name: name.clone(), path }.into());
    }
    Ok((directory, config))
}

impl<S: RunSettings> RunConfig<S> {
    /// The settings with the seed, which `run.toml` keeps beside them.
    pub fn seeded_settings(&self) -> S {
        self.settings.clone().with_seed(self.seed)
    }
}

impl CorpusReference {
    /// Checks that the corpus at `path` is this one.
    pub(super) fn check(&self, path: &Path, found: &str) -> Result<(), TrainingError> {
        match found == self.fingerprint {
            true => Ok(()),
            false => Err(TrainingError::OtherCorpus {
                path: path.to_owned(),
                expected: self.fingerprint.clone(),
                found: found.to_owned(),
            }),
        }
    }
}
