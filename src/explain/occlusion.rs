//! Occlusion: leave one feature out at a time.

use super::{
    ExplainProgress, ExplainTask,
    error::ExplainError,
    explanation::{Explanation, ranked},
    feature::Feature,
    piece::PiecePair,
    scorer::{PairScorer, Variant, probability},
    settings::{ExplainSettings, Target},
};

const BATCH: usize = 64;

/// A feature's weight is the decrease of the log-odds without it.
pub(super) fn explain(
    pair: &PiecePair,
    scorer: &dyn PairScorer,
    features: Vec<Feature>,
    settings: &ExplainSettings,
    task: &ExplainTask<'_>,
) -> Result<Explanation, ExplainError> {
    let total = features.len() + 1;
    let whole = super::scored(scorer, pair, &[Variant::whole(pair)])?[0];
    let mut losses = Vec::with_capacity(features.len());
    for batch in features.chunks(BATCH) {
        super::check(task, pair)?;
        let variants: Vec<Variant> = batch
            .iter()
            .map(|feature| {
                let mut variant = Variant::whole(pair);
                variant.drop_feature(feature);
                variant
            })
            .collect();
        losses.extend(super::scored(scorer, pair, &variants)?.into_iter().map(|score| whole - score));
        task.report(ExplainProgress { done: losses.len() + 1, total, partial: None });
    }
    Ok(Explanation {
        settings: *settings,
        target: Target::LogOdds,
        log_odds: whole,
        probability: probability(whole),
        weights: ranked(features.into_iter().zip(losses)),
        fit: None,
        variants: total,
    })
}
