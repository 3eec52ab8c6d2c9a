//! Variation of an explanation over seeds.

use std::collections::HashMap;

use serde::Serialize;

use super::{
    ExplainProgress, ExplainTask,
    error::ExplainError,
    explain,
    explanation::Explanation,
    feature::PieceIndex,
    piece::{Piece, PiecePair},
    scorer::PairScorer,
    settings::ExplainSettings,
};

/// An explanation, repeated with other seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stability {
    /// The explanation of the first seed.
    pub first: Explanation,
    pub seeds: Vec<u64>,
    /// Every feature that any seed selected, by decreasing absolute mean weight.
    pub features: Vec<FeatureStability>,
    /// R² of each seed that has a fit.
    pub r_squared: Vec<f64>,
    /// Jaccard index of the features of two seeds, averaged over all pairs of seeds.
    pub agreement: f64,
}

/// One feature over all seeds. A seed that did not select it counts as a weight of 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureStability {
    pub piece: Piece,
    pub places: Vec<PieceIndex>,
    pub mean: f64,
    /// Standard deviation over seeds.
    pub spread: f64,
    pub least: f64,
    pub most: f64,
    /// Number of seeds that selected the feature.
    pub selected: usize,
}

impl FeatureStability {
    /// Whether the weight has the same sign with every seed.
    pub fn keeps_its_sign(&self) -> bool {
        self.least > 0.0 || self.most < 0.0
    }
}

/// Explains a pair once for each seed. A deterministic method runs once and has no spread.
pub fn stability(
    pair: &PiecePair,
    scorer: &dyn PairScorer,
    settings: &ExplainSettings,
    seeds: &[u64],
    task: &ExplainTask<'_>,
) -> Result<Stability, ExplainError> {
    let mut runs: Vec<ExplainSettings> = seeds.iter().filter_map(|&seed| settings.with_seed(seed)).collect();
    let used = if runs.is_empty() { Vec::new() } else { seeds.to_vec() };
    if runs.is_empty() {
        runs.push(*settings);
    }
    let mut found: Vec<Explanation> = Vec::with_capacity(runs.len());
    for (number, run) in runs.iter().enumerate() {
        let inner = |progress: ExplainProgress| {
            let (done, total) = (number * progress.total + progress.done, runs.len() * progress.total);
            // Preliminary results are those of the first seed.
            let partial = progress.partial.filter(|_| number == 0);
            task.report(ExplainProgress { done, total, partial });
        };
        found.push(explain(pair, scorer, run, &task.part(&inner))?);
    }
    let first = found.remove(0);
    Ok(Stability::of(first, &found, used))
}

impl Stability {
    /// Combines an explanation with its repetitions.
    pub fn of(first: Explanation, others: &[Explanation], seeds: Vec<u64>) -> Stability {
        let all: Vec<&Explanation> = [&first].into_iter().chain(others).collect();
        let features = feature_stabilities(&all);
        let r_squared = all.iter().filter_map(|explanation| explanation.fit?.r_squared).collect();
        let agreement = agreement(&all);
        Stability { first, seeds, features, r_squared, agreement }
    }
}

/// Statistics of every feature that at least one run selected.
fn feature_stabilities(found: &[&Explanation]) -> Vec<FeatureStability> {
    let mut places: HashMap<PieceIndex, usize> = HashMap::new();
    let mut features: Vec<(Piece, Vec<PieceIndex>, Vec<f64>)> = Vec::new();
    for weight in found.iter().flat_map(|explanation| &explanation.weights) {
        let Some(&first) = weight.places.first() else { continue };
        let at = *places.entry(first).or_insert_with(|| {
            features.push((weight.piece.clone(), weight.places.clone(), Vec::new()));
            features.len() - 1
        });
        features[at].2.push(weight.weight);
    }
    let mut features: Vec<FeatureStability> = features
        .into_iter()
        .map(|(piece, places, weights)| feature_stability(piece, places, weights, found.len()))
        .collect();
    features.sort_by(|left, right| right.mean.abs().total_cmp(&left.mean.abs()));
    features
}

fn feature_stability(
    piece: Piece,
    places: Vec<PieceIndex>,
    mut weights: Vec<f64>,
    runs: usize,
) -> FeatureStability {
    let selected = weights.len();
    weights.resize(runs.max(selected), 0.0);
    let count = weights.len() as f64;
    let mean = weights.iter().sum::<f64>() / count;
    let squares: f64 = weights.iter().map(|weight| (weight - mean).powi(2)).sum();
    FeatureStability {
        piece,
        places,
        mean,
        spread: if weights.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 },
        least: weights.iter().copied().fold(f64::INFINITY, f64::min),
        most: weights.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        selected,
    }
}

fn agreement(found: &[&Explanation]) -> f64 {
    let sets: Vec<Vec<PieceIndex>> = found
        .iter()
        .map(|explanation| {
            explanation.weights.iter().filter_map(|weight| weight.places.first().copied()).collect()
        })
        .collect();
    let (mut sum, mut pairs) = (0.0, 0);
    for (at, left) in sets.iter().enumerate() {
        for right in &sets[at + 1..] {
            let common = left.iter().filter(|place| right.contains(place)).count();
            let all = left.len() + right.len() - common;
            sum += if all == 0 { 1.0 } else { common as f64 / all as f64 };
            pairs += 1;
        }
    }
    if pairs == 0 { 1.0 } else { sum / f64::from(pairs) }
}
