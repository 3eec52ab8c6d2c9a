//! Several explanations that belong together: two models on one pair, a proof and its rival, a list of pairs.

use serde::Serialize;

use super::{
    ExplainError, ExplainProgress, ExplainTask, Explanation, PairScorer, Piece, PiecePair, Settings, check,
    explain,
};

/// A scorer with the name that is shown.
#[derive(Clone, Copy)]
pub struct NamedScorer<'a> {
    pub name: &'a str,
    pub scorer: &'a dyn PairScorer,
}

/// What one model says of a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Named {
    pub model: String,
    pub explanation: Explanation,
}

/// The same pair explained for each model.
pub fn compare(
    pair: &PiecePair,
    models: &[NamedScorer<'_>],
    settings: &Settings,
    task: &ExplainTask<'_>,
) -> Result<Vec<Named>, ExplainError> {
    let explained = |model: &NamedScorer<'_>| {
        let explanation = explain(pair, model.scorer, settings, task)?;
        Ok(Named { model: model.name.to_owned(), explanation })
    };
    models.iter().map(explained).collect()
}

/// A statement with its own proof and with the one that the model preferred.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rivals {
    pub own: Explanation,
    pub rival_pair: PiecePair,
    pub rival: Explanation,
}

/// Explains a statement with its proof and with another one, for instance the wrong one that a model
/// preferred. A scorer against that single reference shows the difference of the two at once.
pub fn rivals(
    pair: &PiecePair,
    rival_name: &str,
    rival: Vec<Piece>,
    scorer: &dyn PairScorer,
    settings: &Settings,
    task: &ExplainTask<'_>,
) -> Result<Rivals, ExplainError> {
    let rival_pair = pair.with_proof(rival_name, rival);
    let own = explain(pair, scorer, settings, task)?;
    let rival = explain(&rival_pair, scorer, settings, task)?;
    Ok(Rivals { own, rival_pair, rival })
}

/// Explains pairs one after another. A pair that cannot be explained is an error of its own and stops
/// nothing; only being cancelled does. Progress counts the variants of all pairs.
pub fn each(
    pairs: &[PiecePair],
    scorer: &dyn PairScorer,
    settings: &Settings,
    task: &ExplainTask<'_>,
) -> Result<Vec<Result<Explanation, ExplainError>>, ExplainError> {
    let mut found = Vec::with_capacity(pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        check(task, pair)?;
        let inner = |progress: ExplainProgress| {
            let (done, total) = (number * progress.total + progress.done, pairs.len() * progress.total);
            task.report(ExplainProgress { done, total, ..progress });
        };
        match explain(pair, scorer, settings, &task.part(&inner)) {
            Err(error @ ExplainError::Cancelled { .. }) => return Err(error),
            result => found.push(result),
        }
    }
    Ok(found)
}
