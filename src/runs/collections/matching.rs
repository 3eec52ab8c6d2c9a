//! Scores, calibration and decoding of a problem.

use std::collections::HashSet;

use serde::Serialize;

use super::MatchProblem;
use crate::{
    base::{
        rng::Rng,
        task::{Cancelled, Task},
    },
    corpus::{Passage, exchange::Collection},
    matching::{
        assignment::{
            Objective, lapmod,
            prune::{Keep, prune_until_feasible},
        },
        baseline::Documents,
        confidence::{
            Calibration, Decoding, Evidence, Fixed, KnownProblem, MatchMetrics, MatchedStatement, Pools,
            Simulation, calibrate, decode, simulations,
        },
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
    /// What is not learned from the dev pairs.
    pub fixed: Fixed,
    /// Of the choice of simulated problems.
    pub seed: u64,
}

/// The answers for all statements.
#[derive(Clone, Debug)]
pub struct MatchAnswers {
    pub calibration: Calibration,
    /// The number of known pairs that it was learned from.
    pub known: usize,
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

/// Matches a problem. `dev` has known proofs. Where ids identify the gold proofs of the problem, the answers are compared
/// with simpler ones.
pub fn match_collections(
    method: &FindMethod,
    problem: &MatchProblem,
    dev: &MatchProblem,
    settings: &MatchSettings,
    task: &Task<'_>,
) -> Result<MatchAnswers, MatchError> {
    let known = known_pairs(dev, settings.seed)?;
    let union = Union::new(method, problem, dev, &known, task)?;
    let every = |side: &Collection| (0..side.len() as u32).collect::<Vec<u32>>();
    let (statements, proofs) = (every(&problem.statements), every(&problem.proofs));
    let scores = union.scores.selected(&statements, &proofs);
    let evidence = union.evidence(scores.as_ref(), (&statements, &proofs), settings.k, task)?;
    let simulated = simulations(&union.pools, statements.len(), proofs.len(), settings.seed)
        .into_iter()
        .map(|Simulation { statements, proofs, gold }| {
            task.check()?;
            let scores = union.scores.selected(&statements, &proofs);
            let evidence = union.evidence(scores.as_ref(), (&statements, &proofs), settings.k, task)?;
            Ok(KnownProblem { evidence: evidence.of_first(gold.len(), settings.k), gold })
        })
        .collect::<Result<Vec<_>, DecodeError>>()?;
    let calibration = calibrate(&simulated, &evidence, settings.decoding, settings.fixed, task)?;
    let answers = decode(&evidence, &calibration, settings.decoding, task)?;
    let comparison = match problem.gold() {
        Some(gold) => compare(scores.as_ref(), &gold, &answers, settings, task)?,
        None => Vec::new(),
    };
    Ok(MatchAnswers { calibration, known: known.len(), answers, comparison })
}

/// Positions of statements and proofs that belong together, at most [`KNOWN`].
fn known_pairs(dev: &MatchProblem, seed: u64) -> Result<Vec<(u32, u32)>, MatchError> {
    let gold = dev.gold().ok_or(MatchError::NoGold)?;
    let mut known: Vec<(u32, u32)> =
        (0u32..).zip(gold).filter_map(|(row, gold)| gold.map(|gold| (row, gold))).collect();
    if known.len() > KNOWN {
        Rng::named(seed, "known pairs", 0, 0).shuffle_first(&mut known, KNOWN);
        known.truncate(KNOWN);
        known.sort_unstable();
    }
    Ok(known)
}

/// The texts of a problem, then those of the known pairs.
struct Union {
    scores: Box<dyn ScoreSource>,
    /// Whether a statement and a proof can belong together whose score is not positive.
    is_model: bool,
    is_empty_statement: Vec<bool>,
    is_empty_proof: Vec<bool>,
    pools: Pools,
}

impl Union {
    fn new(
        method: &FindMethod,
        problem: &MatchProblem,
        dev: &MatchProblem,
        known: &[(u32, u32)],
        task: &Task<'_>,
    ) -> Result<Union, MatchError> {
        let known_statements = known.iter().map(|&(row, _)| &dev.statements.texts[row as usize]).collect();
        let known_proofs = known.iter().map(|&(_, gold)| &dev.proofs.texts[gold as usize]).collect();
        let (statements, other_statements) = joined(&problem.statements.texts, known_statements);
        let (proofs, other_proofs) = joined(&problem.proofs.texts, known_proofs);
        let [first, first_proof] = [&problem.statements, &problem.proofs].map(|side| side.len() as u32);
        let positions = (0..known.len() as u32).map(|place| (first + place, first_proof + place)).collect();
        let are_empty = |texts: &[&Passage]| texts.iter().map(|text| text.is_empty()).collect();
        Ok(Union {
            scores: scores(method, &statements, &proofs, task)?,
            is_model: matches!(method, FindMethod::Run(_)),
            is_empty_statement: are_empty(&statements),
            is_empty_proof: are_empty(&proofs),
            pools: Pools { known: positions, statements: other_statements, proofs: other_proofs },
        })
    }

    /// The evidence in the scores of some statements with some proofs. To a baseline, a score of zero means that the two
    /// have nothing in common.
    fn evidence(
        &self,
        scores: &dyn ScoreSource,
        (statements, proofs): (&[u32], &[u32]),
        k: usize,
        task: &Task<'_>,
    ) -> Result<Evidence, DecodeError> {
        Ok(Evidence::of(scores, k, task)?.filtered(|row, column, score| {
            (self.is_model || score > 0.0)
                && !self.is_empty_statement[statements[row] as usize]
                && !self.is_empty_proof[proofs[column as usize] as usize]
        }))
    }
}

/// The texts of a problem and known ones, with the positions of those that are not known: a known text that is in the
/// problem too must not compete with itself.
fn joined<'a>(texts: &'a [Passage], known: Vec<&'a Passage>) -> (Vec<&'a Passage>, Vec<u32>) {
    // The same text has another structure in another format.
    let is_known: HashSet<u64> = known.iter().map(|text| text.digest()).collect();
    let others = (0u32..).zip(texts).filter(|(_, text)| !is_known.contains(&text.digest()));
    let others = others.map(|(place, _)| place).collect();
    (texts.iter().chain(known).collect(), others)
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

fn scores(
    method: &FindMethod,
    statements: &[&Passage],
    proofs: &[&Passage],
    task: &Task<'_>,
) -> Result<Box<dyn ScoreSource>, MatchError> {
    match method {
        FindMethod::Baseline(method) => {
            let documents = Documents::of_collections(*method, statements, proofs, task)?;
            Ok(Box::new(method.baseline.scores(&documents)))
        }
        FindMethod::Run(model) => {
            let encode = |texts: &[&Passage]| {
                let mut vectors = Vec::new();
                for texts in texts.chunks(ENCODED_TOGETHER) {
                    task.check()?;
                    vectors.extend(model.encode(texts)?.values);
                }
                Ok::<Vec<f32>, MatchError>(vectors)
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
/// Pairs that confidences are learned from; a regression of four numbers gains nothing from more.
const KNOWN: usize = 2_000;
