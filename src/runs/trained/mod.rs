//! A trained model by its name: the best of a run of the workspace, or one that the program comes with.
//!
//! Whoever uses a model (an evaluation, an explanation, a pane) asks here and does not care which of the two it is. A
//! run of the user's takes precedence over an [embedded](embedded) model of the same name, as a file called `demo` does
//! over the demo corpus.

pub mod embedded;
mod evaluate;
mod initial_weights;

use std::path::PathBuf;

pub use evaluate::{TrainedEvaluationError, TrainedRequest};
pub use initial_weights::{InitialWeights, InitialWeightsError};

use crate::{
    base::workspace::Workspace,
    corpus::{split::Part, split::Split, store::Store},
    matching::scores::{Bilinear, BilinearScores},
    model::text::{Reader, Reading, Reads, SymbolNames, Vocabulary},
    model::{ModelError, Weights},
    runs::{CorpusReference, RunConfig, RunDirectory, RunError, RunName, list},
    symbols::Replacer,
    train::{Settings, TrainError, encode_part},
};

/// What a run keeps of its best model.
pub const WEIGHTS: &str = "weights.safetensors";
pub const VOCABULARY: &str = "vocabulary.txt";
/// Instead of it, for a BERT.
pub const TOKENIZER: &str = "tokenizer.json";

/// A model, and what it was trained with.
#[derive(Clone, Debug)]
pub struct TrainedModel {
    pub name: String,
    pub settings: Settings,
    /// The corpus that it was trained on: a file, or `demo`.
    pub corpus: CorpusReference,
    pub weights: Weights,
    /// What turns texts into numbers.
    pub reader: Reader,
}

/// Why there is no such model.
#[derive(Debug, thiserror::Error)]
pub enum TrainedError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the run {0} has no model yet: it keeps one at its first evaluation")]
    NoModel(String),
    #[error(transparent)]
    Weights(#[from] ModelError),
    #[error("cannot read {}: {cause}", path.display())]
    Reader { path: PathBuf, cause: String },
    #[error("the run {0} pre-trained a BERT; train a matching with it by --encoder scratchbert --init {0}")]
    Pretrained(String),
    #[error("the model {0} reads pieces of words, which this cannot use yet; take a model of --encoder npt")]
    Pieces(String),
    #[error("the model {name} reads {words} words, and its vocabulary has {found}")]
    Mismatch { name: String, words: usize, found: usize },
    #[error(transparent)]
    Encode(#[from] TrainError),
    #[error(
        "the model {name} reads {names} names of symbols, and only models of literal names can be explained"
    )]
    Names { name: String, names: SymbolNames },
    #[error("the model {0} has no score")]
    NoScore(String),
    #[error("the model's vectors cannot be compared: {0}")]
    Scores(String),
}

impl TrainedModel {
    /// The model of that name: a run of the workspace, or an embedded one.
    pub fn open(workspace: &Workspace, name: &str) -> Result<TrainedModel, TrainedError> {
        let run: RunName = name.parse()?;
        match RunDirectory::open(workspace, &run) {
            Ok(directory) => TrainedModel::of_run(&directory),
            Err(missing) => embedded::model(name).unwrap_or(Err(missing.into())),
        }
    }

    /// The best model of a run.
    pub fn of_run(directory: &RunDirectory) -> Result<TrainedModel, TrainedError> {
        let name = directory.name().to_string();
        let written: RunConfig = directory.config()?;
        if written.settings.get("task").is_some() {
            return Err(TrainedError::Pretrained(name));
        }
        let config: RunConfig<Settings> = directory.config()?;
        let Some(best) = directory.checkpoints().best()? else { return Err(TrainedError::NoModel(name)) };
        let files = Files {
            folder: best.path().to_owned(),
            weights: best.read(WEIGHTS)?,
            reader: [VOCABULARY, TOKENIZER]
                .into_iter()
                .filter_map(|name| Some((name, best.read(name).ok()?)))
                .collect(),
        };
        TrainedModel::assemble(name, config, files)
    }

    fn assemble(
        name: String,
        config: RunConfig<Settings>,
        files: Files,
    ) -> Result<TrainedModel, TrainedError> {
        let weights = Weights::from_safetensors(&files.folder.join(WEIGHTS), &files.weights)?;
        let file = |name: &str| {
            files.reader.iter().find(|(known, _)| *known == name).map(|(_, content)| content.clone())
        };
        let reader = Reader::of_files(file)
            .map_err(|cause| TrainedError::Reader { path: files.folder.clone(), cause })?;
        let (words, found) = (weights.shape().vocabulary, reader.len());
        // a BERT's table may have rows that its tokenizer does not use
        if words < found || (words != found && weights.shape().bert().is_none()) {
            return Err(TrainedError::Mismatch { name, words, found });
        }
        let settings = Settings { seed: config.seed, ..config.settings };
        Ok(TrainedModel { name, settings, corpus: config.corpus, weights, reader })
    }

    /// The closed vocabulary, for what needs one.
    pub fn vocabulary(&self) -> Result<&Vocabulary, TrainedError> {
        match &self.reader {
            Reader::Words(vocabulary) => Ok(vocabulary),
            Reader::Pieces(_) => Err(TrainedError::Pieces(self.name.clone())),
        }
    }

    /// The model, if it reads names as they are written: what is explained is a text's own tokens.
    pub fn literal(self) -> Result<TrainedModel, TrainedError> {
        match self.settings.symbols {
            SymbolNames::Literal => Ok(self),
            names => Err(TrainedError::Names { name: self.name, names }),
        }
    }

    /// The scores of all statements of a part with all proofs of it.
    pub fn scores(
        &self,
        store: &Store,
        split: &Split,
        part: Part,
        replacer: &Replacer,
    ) -> Result<BilinearScores, TrainedError> {
        let reading = Reading { store, split, part, replacer, symbols: self.settings.symbols };
        let vectors = encode_part(&self.weights, &self.reader, reading, self.settings.input)?;
        let no_score = || TrainedError::NoScore(self.name.clone());
        let parameter = |name: &str| self.weights.parameter(name).ok_or_else(no_score);
        let bilinear = Bilinear {
            weight: parameter("score.weight")?.to_vec(),
            bias: parameter("score.bias")?.first().copied().unwrap_or_default(),
        };
        let width = self.weights.shape().width;
        BilinearScores::new(&vectors.statements.values, vectors.proofs.values, width, &bilinear)
            .map_err(|error| TrainedError::Scores(error.to_string()))
    }
}

/// The bytes of a model.
struct Files {
    /// Where they come from, for messages.
    folder: PathBuf,
    weights: Vec<u8>,
    /// The names and contents of those of the two that are there.
    reader: Vec<(&'static str, Vec<u8>)>,
}

/// The names of all models that can be opened: the workspace's runs that have kept one, then the embedded ones.
pub fn names(workspace: &Workspace) -> Result<Vec<String>, RunError> {
    let has_best = |run: &RunDirectory| run.checkpoints_path().join("best").is_dir();
    let runs = list(workspace)?.into_iter().filter(|run| run.directory.as_ref().is_some_and(has_best));
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

    #[test]
    fn an_unknown_name_and_a_run_without_a_model_are_told() {
        let home = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(home.path(), home.path().join("config"));
        let error = |name: &str| TrainedModel::open(&workspace, name).unwrap_err().to_string();
        assert!(error("nobody").contains("no run nobody"), "{}", error("nobody"));
        assert!(error("../x").contains("../x"));
        let settings = crate::train::Preset::Tiny.settings();
        let config = RunConfig::new(1, CorpusReference::default(), settings);
        let name = embedded::NAMES[0];
        assert_eq!(names(&workspace).unwrap(), embedded::NAMES);
        assert_eq!(TrainedModel::open(&workspace, name).unwrap().name, name);
        // the user's own run hides an embedded model
        let now = crate::runs::Timestamp::now();
        RunDirectory::create(&workspace, &name.parse().unwrap(), &config, now).unwrap();
        assert!(error(name).contains("has no model yet"), "{}", error(name));
    }
}
