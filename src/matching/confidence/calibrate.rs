//! Learning confidences and the threshold from simulated problems.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Decoding, Evidence, Logistic,
    decode::choose,
    evidence::PIECES,
    logistic::{Sample, sigmoid},
    strangers::BestOdds,
};
use crate::{base::task::Task, matching::decoders::DecodeError};

/// A problem whose gold proofs are known; `None` for a stranger.
#[derive(Clone, Debug)]
pub struct KnownProblem {
    pub evidence: Evidence,
    pub gold: Vec<Option<u32>>,
}

/// What was learned from known pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The log-odds that an edge is right.
    pub model: Logistic,
    /// The log-odds that a statement has no proof, from the evidence of its best edge.
    pub absence: Logistic,
    /// Minimum log-odds of an answer.
    pub bar: f64,
    /// The share of statements without a proof that was assumed.
    pub strangers: f64,
}

/// What the user fixed, instead of having it estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fixed {
    pub threshold: Option<f64>,
    pub strangers: Option<f64>,
}

/// Edges of each statement that the regression sees.
const SAMPLED_EDGES: usize = 3;
/// Thresholds that are tried: quantiles of the statements' best log-odds.
const THRESHOLDS: usize = 80;
/// Log-odds that no edge reaches.
const MOST_ODDS: f64 = 1e4;
/// Thresholds this far below the weakest statement's best log-odds are tried too.
const BELOW: [f64; 5] = [16.0, 8.0, 4.0, 2.0, 1.0];
/// The accuracy at a threshold is averaged with that of as many neighbors on either side: known statements are few, and the
/// best of many noisy numbers is an accident.
const NEIGHBORS: usize = 3;

/// Learns from known problems how to answer another one.
pub fn calibrate(
    known: &[KnownProblem],
    problem: &Evidence,
    decoding: Decoding,
    fixed: Fixed,
    task: &Task<'_>,
) -> Result<Calibration, DecodeError> {
    let even = Weights::of(known, 0.5);
    let strangers = match fixed.strangers {
        Some(share) => share,
        None => best_odds(known, problem, &even.model(known)).share_of_strangers(),
    };
    let weights = Weights::of(known, strangers);
    let model = weights.model(known);
    let absence = weights.absence(known, &model);
    let bar = match fixed.threshold {
        Some(threshold) => log_odds(threshold),
        None => best_bar(known, &model, &weights, decoding, task)?,
    };
    Ok(Calibration { model, absence, bar, strangers })
}

/// The edge of a row with the greatest log-odds; among equals, the one with the lowest column.
pub(super) fn strongest(evidence: &Evidence, row: usize, model: &Logistic) -> Option<([f64; PIECES], f64)> {
    evidence
        .edges(row)
        .map(|(.., pieces)| (pieces, model.log_odds(pieces)))
        .reduce(|best, edge| if edge.1 > best.1 { edge } else { best })
}

/// What a statement with a proof and a stranger count for, so that strangers have an expected share.
struct Weights {
    with_proof: f64,
    stranger: f64,
}

impl Weights {
    fn of(known: &[KnownProblem], strangers: f64) -> Weights {
        let gold = || known.iter().flat_map(|problem| &problem.gold);
        let with_proof = gold().flatten().count();
        let count = gold().count() as f64;
        let share = |expected: f64, found: usize| count * expected / found.max(1) as f64;
        Weights {
            with_proof: share(1.0 - strangers, with_proof),
            stranger: share(strangers, gold().count() - with_proof),
        }
    }

    fn get(&self, gold: Option<u32>) -> f64 {
        if gold.is_some() { self.with_proof } else { self.stranger }
    }

    /// The regression of whether an edge is right.
    fn model(&self, known: &[KnownProblem]) -> Logistic {
        let mut samples = Vec::new();
        for KnownProblem { evidence, gold } in known {
            for (row, &gold) in gold.iter().enumerate() {
                let mut edges: Vec<_> = evidence.edges(row).collect();
                edges.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
                samples.extend(edges.into_iter().take(SAMPLED_EDGES).map(|(column, _, pieces)| Sample {
                    evidence: pieces,
                    outcome: gold == Some(column),
                    weight: self.get(gold),
                }));
            }
        }
        Logistic::fit(&samples)
    }

    /// The regression of whether a statement is a stranger.
    fn absence(&self, known: &[KnownProblem], model: &Logistic) -> Logistic {
        let mut samples = Vec::new();
        for KnownProblem { evidence, gold } in known {
            for (row, &gold) in gold.iter().enumerate() {
                samples.extend(strongest(evidence, row, model).map(|(pieces, _)| Sample {
                    evidence: pieces,
                    outcome: gold.is_none(),
                    weight: self.get(gold),
                }));
            }
        }
        Logistic::fit(&samples)
    }
}

fn best_odds(known: &[KnownProblem], problem: &Evidence, model: &Logistic) -> BestOdds {
    let best = |evidence: &Evidence, row| strongest(evidence, row, model).map(|(_, log_odds)| log_odds);
    let mut odds = BestOdds {
        unknown: (0..problem.statements()).filter_map(|row| best(problem, row)).collect(),
        ..BestOdds::default()
    };
    for KnownProblem { evidence, gold } in known {
        for (row, gold) in gold.iter().enumerate() {
            let side = if gold.is_some() { &mut odds.with_proof } else { &mut odds.strangers };
            side.extend(best(evidence, row));
        }
    }
    odds
}

impl Calibration {
    /// Minimum confidence of an answer, as a probability.
    pub fn threshold(&self) -> f64 {
        sigmoid(self.bar)
    }
}

/// The log-odds of a probability, finite for 0 and 1.
fn log_odds(probability: f64) -> f64 {
    (probability / (1.0 - probability)).ln().clamp(-MOST_ODDS, MOST_ODDS)
}

/// The threshold of the log-odds with the best accuracy on the known problems.
fn best_bar(
    known: &[KnownProblem],
    model: &Logistic,
    weights: &Weights,
    decoding: Decoding,
    task: &Task<'_>,
) -> Result<f64, DecodeError> {
    let mut bars: Vec<f64> = known
        .iter()
        .flat_map(|problem| {
            let rows = 0..problem.evidence.statements();
            rows.filter_map(|row| strongest(&problem.evidence, row, model)).map(|(_, log_odds)| log_odds)
        })
        .collect();
    bars.sort_by(f64::total_cmp);
    let last = bars.len().saturating_sub(1);
    let steps = last.min(THRESHOLDS - 1);
    let quantiles = (0..=steps).filter_map(|step| bars.get(step * last / steps.max(1)).copied());
    // Global decoding also gives a statement an edge that is weaker than every statement's best; above the last
    // threshold no statement is answered.
    let lower = BELOW.iter().filter_map(|below| bars.first().map(|bar| bar - below));
    let mut bars: Vec<f64> = lower.chain(quantiles).chain(bars.last().map(|bar| bar + 1.0)).collect();
    bars.dedup();
    let done = std::sync::atomic::AtomicUsize::new(0);
    let accuracy = |bar: &f64| {
        task.check()?;
        let mut right = 0.0;
        for KnownProblem { evidence, gold } in known {
            let answers = choose(evidence, model, *bar, decoding, task)?;
            let is_right = answers.iter().zip(gold).filter(|(answer, gold)| answer == gold);
            right += is_right.map(|(_, gold)| weights.get(*gold)).sum::<f64>();
        }
        task.advance("calibrating", &done, 1, bars.len());
        Ok::<f64, DecodeError>(right)
    };
    let accuracies = bars.par_iter().map(accuracy).collect::<Result<Vec<_>, _>>()?;
    let smooth = |place: usize| {
        let range = place.saturating_sub(NEIGHBORS)..(place + NEIGHBORS + 1).min(accuracies.len());
        let count = range.len();
        accuracies[range].iter().sum::<f64>() / count as f64
    };
    let best = (0..bars.len())
        .map(|place| (bars[place], smooth(place)))
        .reduce(|best, other| if other.1 > best.1 { other } else { best });
    Ok(best.map_or(0.0, |(bar, _)| bar))
}
