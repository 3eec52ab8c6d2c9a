//! Evaluation of a trained model on all statements and proofs of a part.

use super::{TrainedModel, TrainedModelError};
use crate::{
    base::task::Task,
    corpus::{
        split::{Part, Scheme, Split},
        store::{Store, StoreError},
    },
    matching::{
        baseline::{DocumentError, Documents, Input, SymbolNames, Tokens},
        evaluation::{Evaluated, EvaluationError, EvaluationInfo, EvaluationOptions, evaluate_scores},
    },
    symbols::{ReplaceMode, Replacer, Seed, Setting, protected::ProtectedError},
    train::{Compat, device::Device},
};

/// What to evaluate; `None` is as in the model's training.
#[derive(Clone, Debug)]
pub struct TrainedRequest<'a> {
    pub scheme: Option<Scheme>,
    pub split_seed: Option<u64>,
    pub part: Part,
    pub replacer: &'a Replacer,
    pub options: EvaluationOptions,
    /// Where the texts are encoded.
    pub device: &'a Device,
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
pub enum TrainedEvaluationError {
    #[error(transparent)]
    Model(#[from] TrainedModelError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Documents(#[from] DocumentError),
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    #[error("the {part} part of the {scheme} split of {corpus} is empty")]
    Empty { part: Part, scheme: Scheme, corpus: String },
}

impl TrainedModel {
    /// A replacer with the model's protected symbols and compatibility mode.
    pub fn replacer(&self, setting: Setting, seed: Seed) -> Result<Replacer, ProtectedError> {
        let mode = match self.settings.compat {
            Compat::Reference => ReplaceMode::Reference,
            Compat::None => ReplaceMode::Exact,
        };
        Ok(Replacer::new(setting, seed, mode, self.settings.protected()?))
    }

    /// The split that a request refers to.
    pub fn split_of(&self, store: &Store, request: &TrainedRequest<'_>) -> Result<Split, StoreError> {
        let scheme = request.scheme.unwrap_or(self.settings.split);
        store.split(scheme, request.split_seed.or(self.settings.split_seed))
    }

    /// The description of an evaluation.
    pub fn about(&self, store: &Store, split: &Split, request: &TrainedRequest<'_>) -> EvaluationInfo {
        let replacer = request.replacer;
        EvaluationInfo {
            method: self.name.clone(),
            corpus: store.name(),
            fingerprint: store.fingerprint().to_string(),
            split: request.scheme.unwrap_or(self.settings.split).name().to_owned(),
            split_seed: split.seed,
            part: request.part.name().to_owned(),
            level: replacer.setting.to_string(),
            seed: replacer.seed.0,
            input: self.settings.input.to_string(),
            symbols: self.settings.symbols.to_string(),
            compat: (replacer.mode == ReplaceMode::Reference).then(|| "reference".to_owned()),
            k: request.options.k,
        }
    }

    /// Scores every statement of the part with every proof, and decodes.
    pub fn evaluate(
        &self,
        store: &Store,
        request: &TrainedRequest<'_>,
        task: &Task<'_>,
    ) -> Result<Evaluated, TrainedEvaluationError> {
        let (part, replacer) = (request.part, request.replacer);
        let split = self.split_of(store, request)?;
        let about = self.about(store, &split, request);
        let reading = (Tokens::Every, SymbolNames::Literal);
        let documents = Documents::read(store, (&split, part), replacer, reading, Input::Both, task)?;
        if documents.about.is_empty() {
            let scheme = request.scheme.unwrap_or(self.settings.split);
            let corpus = store.name();
            return Err(TrainedEvaluationError::Empty { part, scheme, corpus });
        }
        let mut engine = self.engine(request.device).map_err(TrainedModelError::from)?;
        let scores = self.scores(&mut engine, store, &split, part, replacer)?;
        let mut evaluated = evaluate_scores(&scores, &documents.about, about, &request.options, task)?;
        evaluated.evaluation.contamination =
            Some(self.contamination(store, (&split, part), &evaluated.evaluation)?);
        Ok(evaluated)
    }
}
