//! Scores, calibration and decoding of a problem.

use serde::Serialize;

use super::MatchProblem;
use crate::{
    base::task::{Cancelled, Task},
    corpus::Passage,
    matching::{
        assignment::{
            Objective, lapmod,
            prune::{Keep, prune_until_feasible},
        },
        baseline::Documents,
        confidence::{Calibration, Decoding, Evidence, MatchMetrics, MatchedStatement, calibrate, decode},
        decoders::DecodeError,
        scores::{BilinearScores, ScoreSource},
    },
    runs::find::FindMethod,
    train::trained::TrainedModelError,
};

/// How to match.
#[derive(Clone, Copy, Debug)]
pub struct MatchSettings {
    pub decoding: Decoding,
    /// The best edges of each statement and of each proof that are considered.
    pub k: usize,
    /// Replaces the threshold that is chosen on the dev pairs.
    pub threshold: Option<f64>,
}

/// The answers for all statements.
#[derive(Clone, Debug)]
pub struct MatchAnswers {
    pub calibration: Calibration,
    /// In the order of the statements.
    pub answers: Vec<MatchedStatement>,
    /// These answers, local argmax and a plain assignment; empty if no gold proof is known.
    pub comparison: Vec<Comparison>,
}

/// The metrics of a way to answer, where the gold proofs are known.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub name: &'static str,
    #[serde(flatten)]
    pub metrics: MatchMetrics,
}

/// Why collections cannot be matched.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    #[error(transparent)]
    Model(#[from] TrainedModelError),
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error(
        "no dev statement has a known proof, so no threshold can be chosen; give another corpus with --dev"
    )]
    NoGold,
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Matches a problem. `dev` has known proofs, some of them hidden. Where ids identify the gold proofs of the
/// problem, the answers are compared with simpler ones.
pub fn match_collections(
    method: &FindMethod,
    problem: &MatchProblem,
    dev: &MatchProblem,
    settings: &MatchSettings,
    task: &Task<'_>,
) -> Result<MatchAnswers, MatchError> {
    let gold = dev.gold().ok_or(MatchError::NoGold)?;
    let evidence = Evidence::of(scores(method, dev)?.as_ref(), settings.k, task)?;
    let mut calibration = calibrate(&evidence, &gold, settings.decoding, task)?;
    calibration.threshold = settings.threshold.unwrap_or(calibration.threshold);
    let scores = scores(method, problem)?;
    let evidence = Evidence::of(scores.as_ref(), settings.k, task)?;
    let answers = decode(&evidence, &calibration, settings.decoding, task)?;
    let comparison = match problem.gold() {
        Some(gold) => compare(scores.as_ref(), &gold, &answers, settings, task)?,
        None => Vec::new(),
    };
    Ok(MatchAnswers { calibration, answers, comparison })
}

fn compare(
    scores: &dyn ScoreSource,
    gold: &[Option<u32>],
    answers: &[MatchedStatement],
    settings: &MatchSettings,
    task: &Task<'_>,
) -> Result<Vec<Comparison>, MatchError> {
    let measured =
        |name, answers: &[Option<u32>]| Comparison { name, metrics: MatchMetrics::of(answers, gold) };
    let ours: Vec<Option<u32>> = answers.iter().map(|answer| answer.proof).collect();
    let argmax: Vec<Option<u32>> = answers.iter().map(|answer| answer.best.map(|(proof, _)| proof)).collect();
    let keep = Keep::both(settings.k);
    let graph =
        prune_until_feasible(scores, keep, Objective::Maximize, task).map_err(DecodeError::from)?.graph;
    let plain = lapmod::solve_with(&graph, Objective::Maximize, None, task).map_err(DecodeError::from)?;
    let plain: Vec<Option<u32>> =
        plain.column_of_row.into_iter().map(|column| column.map(|column| column as u32)).collect();
    Ok(vec![
        measured("with \"no proof here\"", &ours),
        measured("local argmax", &argmax),
        measured("plain assignment", &plain),
    ])
}

fn scores(method: &FindMethod, problem: &MatchProblem) -> Result<Box<dyn ScoreSource>, MatchError> {
    let (statements, proofs) = (&problem.statements.texts, &problem.proofs.texts);
    match method {
        FindMethod::Baseline(method) => {
            let documents = Documents::of_collections(*method, statements, proofs);
            Ok(Box::new(method.baseline.scores(&documents)))
        }
        FindMethod::Run(model) => {
            let encode = |texts: &[Passage]| {
                let mut vectors = Vec::new();
                for texts in texts.chunks(ENCODED_TOGETHER) {
                    vectors.extend(model.encode(&texts.iter().collect::<Vec<_>>())?.values);
                }
                Ok::<Vec<f32>, TrainedModelError>(vectors)
            };
            let width = model.weights.shape().width;
            let scores =
                BilinearScores::new(&encode(statements)?, encode(proofs)?, width, &model.bilinear()?)
                    .map_err(|error| TrainedModelError::Scores(error.to_string()))?;
            Ok(Box::new(scores))
        }
    }
}

/// The embeddings of more texts do not fit into the cache.
const ENCODED_TOGETHER: usize = 512;
