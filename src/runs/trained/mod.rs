//! Trained models by name: the best of a run of the workspace, or one of the [embedded] models.
//!
//! A run of an earlier version may have the name of an embedded model, and takes precedence over it.

pub mod embedded;
mod initial_weights;

pub use initial_weights::InitialWeights;

use crate::{
    base::workspace::Workspace,
    runs::{RunConfig, RunDirectory, RunError, RunName, layout, list},
    train::{
        TrainSettings,
        trained::{ModelFiles, TrainedModel, TrainedModelError, WEIGHTS},
    },
};

/// Why a model cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenModelError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("no workspace, so there is no run {0}")]
    NoWorkspace(String),
    #[error(
        "the run {0} pre-trained a BERT; fine-tune it for matching with --encoder scratchbert --init {0}"
    )]
    Pretrained(String),
    #[error(transparent)]
    Model(#[from] TrainedModelError),
}

/// Opens a model by name: the best model of a run, or an embedded one. Without a workspace there are no runs.
pub fn open(workspace: Option<&Workspace>, name: &str) -> Result<TrainedModel, OpenModelError> {
    let Some(workspace) = workspace else {
        return embedded::model(name).unwrap_or_else(|| Err(OpenModelError::NoWorkspace(name.to_owned())));
    };
    let run: RunName = name.parse()?;
    match RunDirectory::open(workspace, &run) {
        Ok(directory) if !directory.is_built_in() => of_run(&directory),
        Ok(directory) => embedded::model(name).unwrap_or_else(|| of_run(&directory)),
        Err(missing) => embedded::model(name).unwrap_or(Err(missing.into())),
    }
}

/// Identifies the model that a name stands for now, without reading its weights: the best model of a run changes while
/// the run trains. None for embedded models, which never change.
pub fn mark(workspace: Option<&Workspace>, name: &str) -> Option<String> {
    let run: RunName = name.parse().ok()?;
    RunDirectory::open(workspace?, &run).ok()?.checkpoints().best_mark()
}

/// Opens the best model of a run.
pub fn of_run(directory: &RunDirectory) -> Result<TrainedModel, OpenModelError> {
    let name = directory.name().to_string();
    let written: RunConfig = directory.config()?;
    if written.settings.get("task").is_some() {
        return Err(OpenModelError::Pretrained(name));
    }
    let config: RunConfig<TrainSettings> = directory.config()?;
    let Some(best) = directory.checkpoints().best()? else { return Err(directory.no_model().into()) };
    let files = ModelFiles {
        folder: best.path(),
        weights: &best.read(WEIGHTS)?,
        tokenizer: &|name| best.read(name).ok(),
    };
    assemble(name, config, &files)
}

fn assemble(
    name: String,
    config: RunConfig<TrainSettings>,
    files: &ModelFiles<'_>,
) -> Result<TrainedModel, OpenModelError> {
    let settings = TrainSettings { seed: config.seed, ..config.settings };
    Ok(TrainedModel::from_files(name, settings, config.corpus, files)?)
}

/// The names of all models that can be opened: runs with a model, then the embedded ones.
pub fn names(workspace: Option<&Workspace>) -> Result<Vec<String>, RunError> {
    let has_best = |run: &RunDirectory| run.checkpoints_path().join(layout::BEST).is_dir();
    let runs = workspace.map_or_else(|| Ok(Vec::new()), list)?;
    let runs = runs.into_iter().filter(|run| run.directory.as_ref().is_some_and(has_best));
    let mut names: Vec<String> = runs.map(|run| run.name).collect();
    for name in embedded::NAMES {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::CorpusReference;

    #[test]
    fn an_unknown_name_and_a_run_without_a_model_are_told() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        let error = |name: &str| open(Some(&workspace), name).unwrap_err().to_string();
        assert!(error("nobody").contains("no run nobody"), "{}", error("nobody"));
        assert!(error("../x").contains("../x"));
        let settings = crate::train::Preset::Tiny.settings();
        let config = RunConfig::new(1, CorpusReference::default(), settings);
        let name = embedded::NAMES[0];
        assert_eq!(names(Some(&workspace)).unwrap(), embedded::NAMES);
        assert_eq!(open(Some(&workspace), name).unwrap().name, name);
        // The name is reserved, but a run of an earlier version may have it, and hides the embedded model.
        let now = crate::runs::Timestamp::now();
        let reserved: RunName = name.parse().unwrap();
        let refused = RunDirectory::create(&workspace, &reserved, &config, now).unwrap_err();
        assert!(refused.to_string().contains("choose another name"), "{refused}");
        let made = RunDirectory::create(&workspace, &"earlier".parse().unwrap(), &config, now).unwrap();
        std::fs::rename(made.path(), made.path().with_file_name(name)).unwrap();
        let directory = RunDirectory::open(&workspace, &reserved).unwrap();
        assert!(error(name).contains("has no model yet"), "{}", error(name));
        assert_eq!(mark(Some(&workspace), name), None);
        directory.checkpoints().save(layout::BEST, 1, |writer| writer.add(WEIGHTS, b"")).unwrap();
        assert!(mark(Some(&workspace), name).is_some() && mark(None, name).is_none());
    }
}
