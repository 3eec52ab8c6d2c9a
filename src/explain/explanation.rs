//! The result of an explanation.

use serde::Serialize;

use super::{
    feature::{Feature, PieceIndex},
    piece::{Piece, Side},
    settings::{ExplainSettings, Target},
};

/// The weight of each feature: positive if it supports the match, negative if it opposes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    pub settings: ExplainSettings,
    /// The quantity that the weights are differences of.
    pub target: Target,
    /// The score of the whole pair, as log-odds of a match and as its probability.
    pub log_odds: f64,
    pub probability: f64,
    /// By decreasing absolute weight.
    pub weights: Vec<FeatureWeight>,
    /// The local linear model; only LIME has one.
    pub fit: Option<LinearFit>,
    /// Number of variants scored.
    pub variants: usize,
}

/// A feature and its weight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureWeight {
    pub piece: Piece,
    pub weight: f64,
    pub places: Vec<PieceIndex>,
}

/// The linear model that LIME fits around the pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LinearFit {
    /// Explained share of the samples' weighted variance; `None` if all scores are equal.
    pub r_squared: Option<f64>,
    pub intercept: f64,
    /// The linear model's prediction for the whole pair.
    pub prediction: f64,
}

impl Explanation {
    /// The weight of the piece at a position; 0 if it has none.
    pub fn weight_at(&self, index: PieceIndex) -> f64 {
        let found = self.weights.iter().find(|weight| weight.places.contains(&index));
        found.map_or(0.0, |weight| weight.weight)
    }

    /// The weights of all pieces of one side.
    pub fn side_weights(&self, side: Side, length: usize) -> Vec<f64> {
        let mut weights = vec![0.0; length];
        for weight in &self.weights {
            for place in weight.places.iter().filter(|place| place.side == side && place.index < length) {
                weights[place.index] = weight.weight;
            }
        }
        weights
    }

    /// The largest absolute weight.
    pub fn strongest(&self) -> f64 {
        self.weights.iter().map(|weight| weight.weight.abs()).fold(0.0, f64::max)
    }
}

/// Features by decreasing absolute weight; equal ones stay in reading order.
pub(super) fn ranked(weights: impl IntoIterator<Item = (Feature, f64)>) -> Vec<FeatureWeight> {
    let mut ranked: Vec<FeatureWeight> = weights
        .into_iter()
        .map(|(Feature { piece, places }, weight)| FeatureWeight { piece, weight, places })
        .collect();
    ranked.sort_by(|left, right| right.weight.abs().total_cmp(&left.weight.abs()));
    ranked
}
