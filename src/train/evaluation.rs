//! How good a model is on a part of the corpus.

use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::metric;
use crate::model::{Scores, Vectors, Weights, project, projected_scores};

/// How scores become answers. This room trains; it does not know how to assign.
pub trait Matcher: Sync {
    /// The assignment of greatest score: the column of each row of a square matrix.
    fn assign(&self, scores: &Scores) -> Vec<usize>;

    /// Local decoding, and with `global` the accuracy of the best assignment too. Proof i belongs to statement i.
    fn evaluate(
        &self,
        weights: &Weights,
        statements: &Vectors,
        proofs: &Vectors,
        global: bool,
    ) -> Result<MatchScore, String>;
}

/// What an evaluation finds, whatever was trained.
pub trait EvaluationScore: Clone + PartialEq + Serialize + DeserializeOwned {
    fn is_better_than(&self, other: &Self) -> bool;

    /// What it found, with the names that a run's metrics have.
    fn numbers(&self) -> Vec<(&'static str, f64)>;
}

impl EvaluationScore for MatchScore {
    fn is_better_than(&self, other: &MatchScore) -> bool {
        self.is_better_than(other)
    }

    fn numbers(&self) -> Vec<(&'static str, f64)> {
        let global = self.global_accuracy.map(|accuracy| (metric::GLOBAL_ACCURACY, accuracy));
        [(metric::MRR, self.mrr), (metric::ACCURACY, self.accuracy)].into_iter().chain(global).collect()
    }
}

/// The measures by which models are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchScore {
    pub pairs: usize,
    pub mrr: f64,
    pub accuracy: f64,
    /// The share of statements that the best assignment gives their own proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_accuracy: Option<f64>,
}

impl MatchScore {
    /// The paper selects by accuracy, globally decoded where there is such a one; equal ones by mean reciprocal rank.
    pub fn is_better_than(&self, other: &MatchScore) -> bool {
        let key = |quality: &MatchScore| (quality.global_accuracy.unwrap_or(quality.accuracy), quality.mrr);
        key(self) > key(other)
    }
}

/// Rows whose scores are in memory at a time, for each thread.
const BLOCK: usize = 64;

/// Ranks each statement's own proof; proofs that score the same count against it.
pub fn local_score(weights: &Weights, statements: &Vectors, proofs: &Vectors) -> Result<MatchScore, String> {
    let (count, width) = (statements.len(), statements.width);
    let projected = project(weights, statements);
    let blocks: Vec<Result<(f64, usize), String>> = projected
        .values
        .par_chunks(BLOCK * width)
        .enumerate()
        .map(|(block, values)| {
            let part = Vectors { width, values: values.to_vec() };
            let scores = projected_scores(weights, &part, proofs);
            let (mut reciprocal, mut found) = (0.0, 0);
            for row in 0..scores.rows() {
                let statement = block * BLOCK + row;
                let gold = scores.at(statement - block * BLOCK, statement);
                if let Some(wrong) = scores.row(row).iter().find(|score| !score.is_finite()) {
                    return Err(format!("a score of statement {statement} is {wrong}"));
                }
                let rank = scores.row(row).iter().filter(|&&score| score >= gold).count();
                reciprocal += 1.0 / rank as f64;
                found += usize::from(rank == 1);
            }
            Ok((reciprocal, found))
        })
        .collect();
    let (mut reciprocal, mut found) = (0.0, 0);
    for block in blocks {
        let (more_reciprocal, more_found) = block?;
        reciprocal += more_reciprocal;
        found += more_found;
    }
    let share = |sum: f64| sum / count.max(1) as f64;
    Ok(MatchScore {
        pairs: count,
        mrr: share(reciprocal),
        accuracy: share(found as f64),
        global_accuracy: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quality(accuracy: f64, mrr: f64, global_accuracy: Option<f64>) -> MatchScore {
        MatchScore { pairs: 10, mrr, accuracy, global_accuracy }
    }

    #[test]
    fn accuracy_decides_and_then_the_mean_reciprocal_rank() {
        assert!(quality(0.5, 0.6, None).is_better_than(&quality(0.4, 0.9, None)));
        assert!(quality(0.5, 0.61, None).is_better_than(&quality(0.5, 0.6, None)));
        assert!(!quality(0.5, 0.6, None).is_better_than(&quality(0.5, 0.6, None)));
        assert!(quality(0.1, 0.1, Some(0.7)).is_better_than(&quality(0.5, 0.6, Some(0.6))));
    }
}
