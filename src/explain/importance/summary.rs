//! The paper's claim as a number, for several models on the same pairs.

use serde::Serialize;

use super::judge::Finding;
use crate::explain::{
    Explanation,
    share::{self, Bootstrap, Interval, MathShare},
};

/// How much of each model's importance lies on mathematics.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub models: Vec<ModelShare>,
    /// How much larger the first model's share is than the second's, pair by pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelShare {
    pub model: String,
    /// The share of the pairs whose own proof is the model's first choice among the candidates.
    pub accuracy: f64,
    /// None when no pair has a weight that is not 0.
    pub math: Option<MathShare>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    pub mean: f64,
    pub interval: Interval,
}

/// Sums up what models said of the same pairs, model by model.
pub fn summary(findings: &[Vec<Finding>], bootstrap: Bootstrap) -> Summary {
    let explanations: Vec<Vec<Explanation>> = findings
        .iter()
        .map(|of_model| of_model.iter().map(|found| found.stability.first.clone()).collect())
        .collect();
    let models = findings
        .iter()
        .zip(&explanations)
        .filter_map(|(of_model, explanations)| {
            let first = of_model.iter().filter(|found| found.standing.rank == 1).count();
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
    Summary { models, difference: difference.map(|(mean, interval)| Difference { mean, interval }) }
}
