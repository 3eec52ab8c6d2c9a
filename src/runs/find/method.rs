//! How statements and candidates are compared.

use super::features;
use crate::{
    corpus::split::Scheme,
    matching::baseline::{Baseline, BaselineMethod},
    model::tokenizer::Tokenize,
    train::trained::TrainedModel,
};

/// A way to compare a statement with the texts of a corpus.
#[derive(Debug)]
pub enum FindMethod {
    Baseline(BaselineMethod),
    Run(Box<TrainedModel>),
}

impl FindMethod {
    /// Whether texts are weighted by how few others share their features.
    pub fn is_tfidf(&self) -> bool {
        matches!(self, FindMethod::Baseline(method) if method.baseline != Baseline::Dice)
    }

    /// A short description.
    pub fn name(&self) -> String {
        match self {
            FindMethod::Baseline(method) => method.to_string(),
            FindMethod::Run(model) => model.name.clone(),
        }
    }

    /// The name of the index file, without candidates.
    pub(super) fn file_name(&self) -> String {
        match self {
            FindMethod::Baseline(method) => method.to_string(),
            FindMethod::Run(model) => format!("run-{}", model.name),
        }
    }

    /// Identifies everything that a vector depends on.
    pub(super) fn key(&self) -> String {
        match self {
            FindMethod::Baseline(method) => format!("{method}, features of version {}", features::VERSION),
            FindMethod::Run(model) => {
                let (_, tokenizer) = model.tokenizer.file();
                let tokenizer = blake3::hash(tokenizer.as_bytes()).to_hex();
                let settings = &model.settings;
                format!(
                    "run {} weights {} tokenizer {} input {} symbols {}",
                    model.name,
                    model.digest(),
                    &tokenizer[..16],
                    settings.input,
                    settings.symbols
                )
            }
        }
    }

    /// The number of pairs in a shard of the index: a second of work or so.
    pub(super) fn shard(&self) -> usize {
        match self {
            FindMethod::Baseline(_) => 8_192,
            FindMethod::Run(_) => 512,
        }
    }

    /// The split whose dev part calibrates probabilities: the model has not been trained on it.
    pub(super) fn calibration_split(&self) -> (Scheme, Option<u64>) {
        match self {
            FindMethod::Baseline(_) => (Scheme::Mixed, None),
            FindMethod::Run(model) => (model.settings.split, model.settings.split_seed),
        }
    }

    /// The features that are emphasized in results: n-grams and windows of the baseline's symbols, or those up to renaming for a
    /// trained model.
    pub(super) fn emphasis(&self) -> BaselineMethod {
        match self {
            FindMethod::Baseline(method) => BaselineMethod { baseline: Baseline::Tfidf, ..*method },
            FindMethod::Run(_) => BaselineMethod::RENAMED,
        }
    }

    /// Whether the index has the features that are emphasized, and so their frequencies.
    pub(super) fn indexes_emphasis(&self) -> bool {
        matches!(self, FindMethod::Baseline(method) if *method == self.emphasis())
    }
}
