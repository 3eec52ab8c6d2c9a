//! Explanations: which words and symbols of a statement and a proof made a model match them.
//!
//! # What is explained
//!
//! A [`PairScorer`] says the log-odds of a match for a pair and for variants of it with pieces left out.
//! [`ModelScorer`] is the one of a trained model; it says why log-odds against other proofs are what such a
//! score means. [`explain()`] is the one way in, whatever the [`Method`]:
//!
//! - LIME, with the choices of Python lime's text explainer, as in the paper's figures (`lime/`);
//! - gradient times input and integrated gradients, which take milliseconds (`model_scorer/path.rs`);
//! - occlusion: what is lost when one word is left out.
//!
//! # What holds
//!
//! - The same pair, scorer and settings give the same weights to the bit, with any number of threads.
//! - Instability is the standing complaint about LIME, so [`stability()`] repeats an explanation over seeds and
//!   says how far each weight spreads.
//! - A piece that the model does not read has no weight.

pub mod batch;
mod error;
mod explanation;
pub mod export;
mod feature;
mod gradients;
pub mod importance;
mod lime;
mod model_scorer;
mod occlusion;
mod piece;
mod scorer;
mod settings;
pub mod share;
mod stability;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};

pub use self::{
    error::ExplainError,
    explanation::{Explanation, Fit, Weight},
    feature::{Grouping, Place, Scope},
    model_scorer::{ModelScorer, Reading},
    piece::{Piece, PiecePair, Side, pieces},
    scorer::{GradientPath, PairScorer, Variant, probability},
    settings::{Lime, Method, Selection, Settings, Target},
    stability::{Stability, Steadiness, stability},
};

/// Explains one pair.
pub fn explain(
    pair: &PiecePair,
    scorer: &dyn PairScorer,
    settings: &Settings,
    control: &mut Control<'_>,
) -> Result<Explanation, ExplainError> {
    let features = feature::features(pair, scorer, settings.grouping, settings.scope, settings.operators);
    if features.is_empty() {
        return Err(ExplainError::NothingToDrop { pair: pair.name.clone() });
    }
    match settings.method {
        Method::Lime(lime) => lime::explain(pair, scorer, &features, settings, lime, control),
        Method::GradientTimesInput => {
            gradients::explain(pair, scorer, features, settings, GradientPath::AtInput, control)
        }
        Method::IntegratedGradients { steps } => {
            gradients::explain(pair, scorer, features, settings, GradientPath::FromZero { steps }, control)
        }
        Method::Occlusion => occlusion::explain(pair, scorer, features, settings, control),
    }
}

/// How far an explanation is, and what it says so far.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Variants that are scored.
    pub done: usize,
    pub total: usize,
    pub partial: Option<&'a Explanation>,
}

/// How a caller stops an explanation and watches it.
pub struct Control<'a> {
    cancel: &'a AtomicBool,
    observe: &'a mut dyn FnMut(Progress<'_>),
}

impl<'a> Control<'a> {
    pub fn new(cancel: &'a AtomicBool, observe: &'a mut dyn FnMut(Progress<'_>)) -> Control<'a> {
        Control { cancel, observe }
    }

    fn check(&self, pair: &PiecePair) -> Result<(), ExplainError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(ExplainError::Cancelled { pair: pair.name.clone() });
        }
        Ok(())
    }

    fn report(&mut self, progress: Progress<'_>) {
        (self.observe)(progress);
    }
}

/// Scores variants, and refuses what no fit could use.
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
