//! Gradient attribution: gradient times input, and integrated gradients.

use super::{
    ExplainProgress, ExplainTask,
    error::ExplainError,
    explanation::{Explanation, ranked},
    feature::Feature,
    piece::PiecePair,
    scorer::{GradientPath, PairScorer, Variant, probability},
    settings::{ExplainSettings, Target},
};

/// A feature's weight is the sum over its occurrences.
pub(super) fn explain(
    pair: &PiecePair,
    scorer: &dyn PairScorer,
    features: Vec<Feature>,
    settings: &ExplainSettings,
    path: GradientPath,
    task: &ExplainTask<'_>,
) -> Result<Explanation, ExplainError> {
    if path == (GradientPath::FromZero { steps: 0 }) {
        return Err(ExplainError::NoSteps);
    }
    super::check(task, pair)?;
    let mut moved =
        Variant { statement: vec![false; pair.statement.len()], proof: vec![false; pair.proof.len()] };
    for place in features.iter().flat_map(|feature| &feature.places) {
        moved.side_mut(place.side)[place.index] = true;
    }
    let whole = super::scored(scorer, pair, &[Variant::whole(pair)])?[0];
    let sides = scorer.word_gradients(pair, &moved, path)?;
    if sides.iter().flatten().any(|value| !value.is_finite()) {
        return Err(ExplainError::NotANumber { pair: pair.name.clone() });
    }
    let weights = features.into_iter().map(|feature| {
        let weight = feature.places.iter().map(|place| sides[place.side as usize][place.index]).sum();
        (feature, weight)
    });
    let found = Explanation {
        settings: *settings,
        target: Target::LogOdds,
        log_odds: whole,
        probability: probability(whole),
        weights: ranked(weights),
        fit: None,
        variants: match path {
            GradientPath::AtInput => 1,
            GradientPath::FromZero { steps } => steps,
        },
    };
    let (done, total) = (found.variants, found.variants);
    task.report(ExplainProgress { done, total, partial: Some(found.clone()) });
    Ok(found)
}
