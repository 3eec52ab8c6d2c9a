//! LIME for text (Ribeiro, Singh and Guestrin, 2016), with the choices of Python lime's text explainer:
//! leave random features out, score what remains, and fit a linear model in which near samples count more.
//!
//! Samples are scored in growing batches, so that a first result is available early.

mod linear;
mod moments;
pub(super) mod sampling;
mod selection;

use self::{linear::ridge, moments::Moments, sampling::Sampler, selection::select};
use super::{
    ExplainProgress, ExplainTask,
    error::ExplainError,
    explanation::{Explanation, LinearFit, ranked},
    feature::Feature,
    piece::PiecePair,
    scorer::{PairScorer, Variant, probability},
    settings::{ExplainSettings, LimeSettings, Target},
};

/// The penalty of the final fit.
const PENALTY: f64 = 1.0;
const FIRST_BATCH: usize = 32;
const LARGEST_BATCH: usize = 256;
/// The linear model takes memory with the square of the number of features, and time with its cube.
const MOST_FEATURES: usize = 4_000;

pub(super) fn explain(
    pair: &PiecePair,
    scorer: &dyn PairScorer,
    features: &[Feature],
    settings: &ExplainSettings,
    lime: LimeSettings,
    task: &ExplainTask<'_>,
) -> Result<Explanation, ExplainError> {
    if lime.samples < 2 {
        return Err(ExplainError::TooFewSamples(lime.samples));
    }
    if features.len() > MOST_FEATURES {
        let (found, most) = (features.len(), MOST_FEATURES);
        return Err(ExplainError::TooManyFeatures { pair: pair.name.clone(), found, most });
    }
    let mut sampler = Sampler::new(lime.seed, features.len());
    let mut sums: Option<(Moments, f64)> = None;
    let (mut done, mut batch) = (0, FIRST_BATCH);
    loop {
        super::check(task, pair)?;
        let numbers = done..lime.samples.min(done + batch);
        let samples: Vec<_> = numbers.clone().map(|number| sampler.sample(number)).collect();
        let variants: Vec<Variant> =
            samples.iter().map(|sample| variant(pair, features, &sample.kept)).collect();
        let scores = super::scored(scorer, pair, &variants)?;
        let (moments, whole) = sums
            .get_or_insert_with(|| (Moments::new(features.len(), value(lime.target, scores[0])), scores[0]));
        for (sample, score) in samples.iter().zip(scores) {
            let weight = sample.proximity(features.len(), lime.kernel_width);
            moments.add(sample, weight, value(lime.target, score));
        }
        done = numbers.end;
        batch = LARGEST_BATCH.min(done);
        let found = fit(moments, *whole, features, settings, lime, done);
        task.report(ExplainProgress { done, total: lime.samples, partial: Some(found.clone()) });
        if done == lime.samples {
            return Ok(found);
        }
    }
}

/// Fits the samples so far.
fn fit(
    moments: &Moments,
    whole: f64,
    features: &[Feature],
    settings: &ExplainSettings,
    lime: LimeSettings,
    done: usize,
) -> Explanation {
    let sums = moments.centred();
    let model = ridge(&sums, select(&sums, lime.selection), PENALTY);
    let prediction = model.intercept + model.weights.iter().sum::<f64>();
    let weights = model.features.iter().map(|&feature| features[feature].clone()).zip(model.weights);
    Explanation {
        settings: *settings,
        target: lime.target,
        log_odds: whole,
        probability: probability(whole),
        weights: ranked(weights),
        fit: Some(LinearFit { r_squared: model.r_squared, intercept: model.intercept, prediction }),
        variants: done,
    }
}

fn value(target: Target, log_odds: f64) -> f64 {
    match target {
        Target::Probability => probability(log_odds),
        Target::LogOdds => log_odds,
    }
}

/// The pair with only these features; pieces outside any feature stay.
fn variant(pair: &PiecePair, features: &[Feature], kept: &[usize]) -> Variant {
    let mut variant = Variant::whole(pair);
    let mut kept = kept.iter().peekable();
    for (number, feature) in features.iter().enumerate() {
        if kept.next_if_eq(&&number).is_none() {
            variant.drop_feature(feature);
        }
    }
    variant
}
