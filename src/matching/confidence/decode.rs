//! Decoding with "no proof here" as an answer.

use serde::{Deserialize, Serialize};

use super::{Calibration, Evidence, Logistic, calibrate::strongest, logistic::sigmoid};
use crate::{
    base::task::Task,
    matching::{
        assignment::{Objective, lapmod},
        decoders::DecodeError,
    },
};

/// How edges are chosen.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Decoding {
    /// Each statement on its own.
    Local,
    /// A proof belongs to one statement.
    Global,
}

/// The answer for a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchedStatement {
    /// The proof; `None` if the collection has no proof of the statement.
    pub proof: Option<u32>,
    /// The probability that the answer is right, also if it is "no proof here".
    pub confidence: f64,
    /// The statement's best proof, chosen or not, with its score.
    pub best: Option<(u32, f32)>,
    /// The score of the chosen proof.
    pub score: Option<f32>,
}

/// Chooses a proof, or none, for each statement.
pub fn decode(
    evidence: &Evidence,
    calibration: &Calibration,
    decoding: Decoding,
    task: &Task<'_>,
) -> Result<Vec<MatchedStatement>, DecodeError> {
    let chosen = choose(evidence, &calibration.model, calibration.bar, decoding, task)?;
    let answer = |(row, proof): (usize, Option<u32>)| {
        let edges = || {
            evidence
                .edges(row)
                .map(|(column, score, pieces)| (column, score, calibration.model.log_odds(pieces)))
        };
        let best = best_edge(edges().map(|(column, score, _)| (column, score)));
        let taken = proof.and_then(|proof| edges().find(|edge| edge.0 == proof));
        let confidence = match (taken, strongest(evidence, row, &calibration.model)) {
            (Some((.., log_odds)), _) => sigmoid(log_odds),
            (None, Some((pieces, _))) => sigmoid(calibration.absence.log_odds(pieces)),
            (None, None) => 1.0,
        };
        MatchedStatement { proof, confidence, best, score: taken.map(|(_, score, _)| score) }
    };
    Ok(chosen.into_iter().enumerate().map(answer).collect())
}

/// Chooses a proof, or none, for each statement; `threshold` is that of the log-odds.
pub(super) fn choose(
    evidence: &Evidence,
    model: &Logistic,
    threshold: f64,
    decoding: Decoding,
    task: &Task<'_>,
) -> Result<Vec<Option<u32>>, DecodeError> {
    match decoding {
        Decoding::Local => Ok((0..evidence.statements())
            .map(|row| {
                let edges =
                    evidence.edges(row).map(|(column, _, pieces)| (column, model.log_odds(pieces) as f32));
                best_edge(edges).filter(|edge| f64::from(edge.1) >= threshold).map(|edge| edge.0)
            })
            .collect()),
        Decoding::Global => {
            let graph = evidence.revalued(|pieces| model.log_odds(pieces))?;
            let assignment = lapmod::solve_with(&graph, Objective::Maximize, Some(threshold), task)?;
            Ok(assignment
                .column_of_row
                .into_iter()
                .map(|column| column.map(|column| column as u32))
                .collect())
        }
    }
}

/// The best edge; among equals, the one with the lowest column.
fn best_edge(edges: impl Iterator<Item = (u32, f32)>) -> Option<(u32, f32)> {
    edges.reduce(|best, edge| if edge.1 > best.1 { edge } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{
        confidence::{Fixed, KnownProblem, MatchMetrics, calibrate},
        scores::Matrix,
    };

    /// Twenty statements, of which the first ten have a proof; strangers are near proofs of others.
    fn problem(noise: u64) -> (Matrix, Vec<Option<u32>>) {
        let value = |row: usize, column: usize| {
            let noise = ((row * 7_919 + column * 104_729 + 31 * noise as usize) % 997) as f32 / 997.0;
            0.4 * noise + if row == column { 0.7 } else { 0.0 }
        };
        let rows: Vec<Vec<f32>> =
            (0..20).map(|row| (0..10).map(|column| value(row, column)).collect()).collect();
        (Matrix::new(&rows), (0..20).map(|row| (row < 10).then_some(row)).collect())
    }

    #[test]
    fn strangers_stay_unmatched() {
        let task = Task::unobserved();
        for decoding in [Decoding::Local, Decoding::Global] {
            let (dev, gold) = problem(1);
            let known = KnownProblem { evidence: Evidence::of(&dev, 5, &task).unwrap(), gold };
            let (test, gold) = problem(2);
            let evidence = Evidence::of(&test, 5, &task).unwrap();
            let calibration = calibrate(&[known], &evidence, decoding, Fixed::default(), &task).unwrap();
            assert!((calibration.strangers - 0.5).abs() < 0.1, "{calibration:?}");
            let answers = decode(&evidence, &calibration, decoding, &task).unwrap();
            let proofs: Vec<Option<u32>> = answers.iter().map(|answer| answer.proof).collect();
            let argmax: Vec<Option<u32>> =
                answers.iter().map(|answer| answer.best.map(|(proof, _)| proof)).collect();
            let accuracy = |answers: &[Option<u32>]| MatchMetrics::of(answers, &gold).accuracy;
            assert!(accuracy(&proofs) > 0.9 && accuracy(&argmax) <= 0.5, "{decoding}: {proofs:?}");
            assert!(answers.iter().all(|answer| answer.proof.is_some() == answer.score.is_some()));
        }
    }

    #[test]
    fn no_proofs_means_no_answer() {
        let task = Task::unobserved();
        let evidence = Evidence::of(&Matrix::new(&[vec![], vec![]]), 5, &task).unwrap();
        let model = Logistic { weights: [1.0; 3], constant: 0.0 };
        let calibration = Calibration { model, absence: model, bar: 0.0, strangers: 0.5 };
        for decoding in [Decoding::Local, Decoding::Global] {
            let answers = decode(&evidence, &calibration, decoding, &task).unwrap();
            assert!(answers.iter().all(|answer| answer.proof.is_none() && answer.confidence == 1.0));
        }
    }
}
