//! What was found.

use serde::Serialize;

use super::{
    feature::{Feature, Place},
    piece::{Piece, Side},
    settings::{Settings, Target},
};

/// How much each feature speaks for the match (positive) or against it (negative).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    pub settings: Settings,
    /// What the weights are differences of.
    pub target: Target,
    /// The score of the whole pair, as log-odds of a match and as its probability.
    pub log_odds: f64,
    pub probability: f64,
    /// The strongest first.
    pub weights: Vec<Weight>,
    /// How well a linear model fits; only LIME has one.
    pub fit: Option<Fit>,
    /// How many variants were scored.
    pub variants: usize,
}

/// One feature's weight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Weight {
    pub piece: Piece,
    pub weight: f64,
    pub places: Vec<Place>,
}

/// The local linear model beside the one that it explains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The share of the samples' weighted variance that is explained; none if all scores are the same.
    pub r_squared: Option<f64>,
    pub intercept: f64,
    /// What the linear model says of the whole pair.
    pub prediction: f64,
}

impl Explanation {
    /// The weight of the piece at a place; 0 if it has none.
    pub fn weight_at(&self, place: Place) -> f64 {
        let found = self.weights.iter().find(|weight| weight.places.contains(&place));
        found.map_or(0.0, |weight| weight.weight)
    }

    /// The weights of all pieces of a side.
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

/// Features with their weights, the strongest first; equal ones stay in reading order.
pub(super) fn ranked(weights: impl IntoIterator<Item = (Feature, f64)>) -> Vec<Weight> {
    let mut ranked: Vec<Weight> = weights
        .into_iter()
        .map(|(Feature { piece, places }, weight)| Weight { piece, weight, places })
        .collect();
    ranked.sort_by(|left, right| right.weight.abs().total_cmp(&left.weight.abs()));
    ranked
}
