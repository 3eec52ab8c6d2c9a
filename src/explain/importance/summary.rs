//! Share of importance on mathematics, per model, over the same pairs: the paper's claim as a number.

use serde::Serialize;

use super::explainer::ModelExplanation;
use crate::explain::{
    Explanation,
    share::{self, Bootstrap, Interval, MathShare},
};

/// The share of each model's importance that lies on mathematics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareSummary {
    pub models: Vec<ModelShare>,
    /// The first model's share minus the second's, paired by pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<ShareDifference>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelShare {
    pub model: String,
    /// Share of the pairs whose own proof the model ranks first.
    pub accuracy: f64,
    /// `None` if every weight of every pair is 0.
    pub math: Option<MathShare>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShareDifference {
    pub mean: f64,
    pub interval: Interval,
}

/// Summarizes explanations of the same pairs, grouped by model.
pub fn summary(by_model: &[Vec<ModelExplanation>], bootstrap: Bootstrap) -> ShareSummary {
    let explanations: Vec<Vec<Explanation>> = by_model
        .iter()
        .map(|of_model| of_model.iter().map(|explained| explained.stability.first.clone()).collect())
        .collect();
    let models = by_model
        .iter()
        .zip(&explanations)
        .filter_map(|(of_model, explanations)| {
            let first = of_model.iter().filter(|explained| explained.ranking.rank == 1).count();
            Some(ModelShare {
                model: of_model.first()?.model.clone(),
                accuracy: first as f64 / of_model.len() as f64,
                math: share::of_pairs(explanations, bootstrap),
            })
        })
        .collect();
    let difference = match &explanations[..] {
        [first, second] if first.len() == second.len() => share::difference(first, second, bootstrap),
        _ => None,
    };
    ShareSummary { models, difference: difference.map(|(mean, interval)| ShareDifference { mean, interval }) }
}
