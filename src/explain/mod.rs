//! Explanations: which words and symbols of a statement and a proof made a model match them.
//!
//! A [`PairScorer`] returns the log-odds of a match for a pair and for variants of it with pieces left out.
//! [`ModelScorer`] implements it for a trained model, and documents why the log-odds are taken against other proofs.
//! [`explain()`] is the entry point for every [`ExplainMethod`]:
//!
//! - LIME, with the defaults of Python lime's text explainer, as in the paper's figures (`lime/`);
//! - gradient times input and integrated gradients, which take milliseconds (`model_scorer/path.rs`);
//! - occlusion: the loss when one word is left out.
//!
//! # Guarantees
//!
//! - The same pair, scorer and settings give the same weights to the bit, with any number of threads.
//! - LIME is criticized for being unstable, so [`stability()`] repeats an explanation over seeds and measures how much
//!   each weight varies.
//! - A piece that the model does not read has no weight.

mod error;
mod explanation;
pub(crate) mod export;
mod feature;
mod fragments;
mod gradients;
pub(crate) mod importance;
mod lime;
mod model_scorer;
mod occlusion;
mod piece;
mod scorer;
mod settings;
pub(crate) mod share;
mod stability;

#[cfg(test)]
mod tests;

pub use self::{
    error::ExplainError,
    explanation::{Explanation, FeatureWeight, LinearFit},
    feature::{Grouping, PieceIndex, Scope},
    fragments::{Fragment, fragments},
    model_scorer::{ModelInput, ModelScorer, PieceReader, PieceTokenizer},
    piece::{Piece, PiecePair, Side, pieces},
    scorer::{GradientPath, PairScorer, Variant, probability},
    settings::{
        DEFAULT_STEPS, ExplainMethod, ExplainSettings, FeatureSelection, LimeSettings, MethodKind, Target,
    },
    stability::{FeatureStability, Stability, stability},
};
use crate::base::task::Task;

/// Explains one pair.
pub fn explain(
    pair: &PiecePair,
    scorer: &dyn PairScorer,
    settings: &ExplainSettings,
    task: &ExplainTask<'_>,
) -> Result<Explanation, ExplainError> {
    let features = feature::features(pair, scorer, settings.grouping, settings.scope, settings.operators);
    if features.is_empty() {
        return Err(ExplainError::NothingToDrop { pair: pair.name.clone() });
    }
    match settings.method {
        ExplainMethod::Lime(lime) => lime::explain(pair, scorer, &features, settings, lime, task),
        ExplainMethod::GradientTimesInput => {
            gradients::explain(pair, scorer, features, settings, GradientPath::AtInput, task)
        }
        ExplainMethod::IntegratedGradients { steps } => {
            gradients::explain(pair, scorer, features, settings, GradientPath::FromZero { steps }, task)
        }
        ExplainMethod::Occlusion => occlusion::explain(pair, scorer, features, settings, task),
    }
}

/// Progress of an explanation, with a preliminary result.
#[derive(Clone, Debug)]
pub struct ExplainProgress {
    /// Variants scored so far.
    pub done: usize,
    pub total: usize,
    pub partial: Option<Explanation>,
}

/// The task of explaining one pair or several.
pub type ExplainTask<'a> = Task<'a, ExplainProgress>;

fn check(task: &ExplainTask<'_>, pair: &PiecePair) -> Result<(), ExplainError> {
    task.check().map_err(|_| ExplainError::Cancelled { pair: pair.name.clone() })
}

/// Scores variants; fails if a score is missing or not finite.
fn scored(scorer: &dyn PairScorer, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
    let scores = scorer.log_odds(pair, variants)?;
    let (expected, found) = (variants.len(), scores.len());
    if expected != found {
        return Err(ExplainError::Answers { pair: pair.name.clone(), expected, found });
    }
    if scores.iter().any(|score| !score.is_finite()) {
        return Err(ExplainError::NotANumber { pair: pair.name.clone() });
    }
    Ok(scores)
}
