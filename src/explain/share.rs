//! The paper's qualitative claim as a number: the share of a model's importance that lies on mathematics.
//!
//! A pair's share is the absolute weight of its mathematical features over that of all its features. The
//! mean over pairs comes with a percentile bootstrap (Efron, 1979) over the pairs.

use serde::Serialize;

use super::Explanation;
use crate::base::rng::Rng;

/// Mean share of mathematics over pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MathShare {
    pub pairs: usize,
    pub mean: f64,
    pub interval: Interval,
    /// Share of mathematics among the selected features: the share of importance if all weights were equal.
    pub features: f64,
}

/// A confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// Nominal coverage: 0.95.
    pub confidence: f64,
}

/// Settings of the bootstrap. The same seed gives the same interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bootstrap {
    pub resamples: usize,
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Bootstrap {
        Bootstrap { resamples: 2_000, seed: 1 }
    }
}

const CONFIDENCE: f64 = 0.95;

/// The share of one explanation; `None` if all weights are 0.
pub fn of_pair(explanation: &Explanation) -> Option<f64> {
    let sum = |math_only: bool| -> f64 {
        let weights = explanation.weights.iter().filter(|weight| !math_only || weight.piece.is_math());
        weights.map(|weight| weight.weight.abs()).sum()
    };
    let all = sum(false);
    (all > 0.0).then(|| sum(true) / all)
}

/// The mean share over the explanations that have one; `None` if none has.
pub fn of_pairs(explanations: &[Explanation], bootstrap: Bootstrap) -> Option<MathShare> {
    let shares: Vec<f64> = explanations.iter().filter_map(of_pair).collect();
    if shares.is_empty() {
        return None;
    }
    let features: Vec<bool> = explanations
        .iter()
        .flat_map(|explanation| explanation.weights.iter().map(|weight| weight.piece.is_math()))
        .collect();
    Some(MathShare {
        pairs: shares.len(),
        mean: mean(&shares),
        interval: interval(&shares, bootstrap),
        features: features.iter().filter(|math| **math).count() as f64 / features.len() as f64,
    })
}

/// The first model's share minus the second's on the same pairs, with its interval. Pairs are resampled, so variation
/// between pairs cancels.
pub fn difference(
    first: &[Explanation],
    second: &[Explanation],
    bootstrap: Bootstrap,
) -> Option<(f64, Interval)> {
    let both = first.iter().zip(second);
    let differences: Vec<f64> =
        both.filter_map(|(first, second)| Some(of_pair(first)? - of_pair(second)?)).collect();
    (!differences.is_empty()).then(|| (mean(&differences), interval(&differences, bootstrap)))
}

/// The central 95 % of the means of resampled values.
fn interval(values: &[f64], bootstrap: Bootstrap) -> Interval {
    let resampled = |number: usize| {
        let mut rng = Rng::of_sample(bootstrap.seed, number as u64);
        (0..values.len()).map(|_| values[rng.below(values.len())]).sum::<f64>() / values.len() as f64
    };
    let mut means: Vec<f64> = (0..bootstrap.resamples.max(1)).map(resampled).collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((means.len() - 1) as f64 * share).round() as usize];
    let tail = (1.0 - CONFIDENCE) / 2.0;
    Interval { low: at(tail), high: at(1.0 - tail), confidence: CONFIDENCE }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{ExplainSettings, FeatureWeight, Piece, Target};

    fn explanation(math: f64, text: f64) -> Explanation {
        let weight = |piece, weight| FeatureWeight { piece, weight, places: vec![] };
        Explanation {
            settings: ExplainSettings::default(),
            target: Target::Probability,
            log_odds: 0.0,
            probability: 0.5,
            weights: vec![weight(Piece::Symbol("x".into()), math), weight(Piece::Word("we".into()), text)],
            fit: None,
            variants: 1,
        }
    }

    #[test]
    fn a_share_counts_weights_for_and_against() {
        assert_eq!(of_pair(&explanation(-3.0, 1.0)), Some(0.75));
        assert_eq!(of_pair(&explanation(0.0, 0.0)), None);
        assert_eq!(of_pairs(&[explanation(0.0, 0.0)], Bootstrap::default()), None);
    }

    #[test]
    fn an_interval_holds_the_truth_as_often_as_it_says() {
        // shares uniform in 0..1 have the mean 0.5
        let mut rng = Rng::new(7);
        let mut held = 0;
        for seed in 0..200 {
            let pairs: Vec<Explanation> = (0..40)
                .map(|_| {
                    let share = rng.below(10_000) as f64 / 10_000.0;
                    explanation(share, 1.0 - share)
                })
                .collect();
            let found = of_pairs(&pairs, Bootstrap { resamples: 400, seed }).unwrap();
            assert!(found.interval.low <= found.mean && found.mean <= found.interval.high);
            assert_eq!(found.features, 0.5);
            held += usize::from((found.interval.low..=found.interval.high).contains(&0.5));
        }
        assert!((180..=198).contains(&held), "{held} of 200");
    }

    #[test]
    fn a_difference_is_taken_pair_by_pair() {
        let first = [explanation(0.9, 0.1), explanation(0.3, 0.7)];
        let second = [explanation(0.8, 0.2), explanation(0.2, 0.8)];
        let (difference, interval) = difference(&first, &second, Bootstrap::default()).unwrap();
        assert!((difference - 0.1).abs() < 1e-12);
        assert!((interval.low - 0.1).abs() < 1e-12 && (interval.high - 0.1).abs() < 1e-12);
    }
}
