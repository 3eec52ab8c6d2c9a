//! Evaluation of a model on a part of the corpus.

use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::metric;
use crate::{
    matching::assignment::{Dense, lapjv},
    model::{Scores, Vectors, Weights, project, projected_scores, scores},
};

/// The result of an evaluation, of a matching model or of a pre-training run.
pub trait EvaluationScore: Clone + PartialEq + Serialize + DeserializeOwned {
    fn is_better_than(&self, other: &Self) -> bool;

    /// Returns the values with the names that they have in the metrics of a run.
    fn values(&self) -> Vec<(&'static str, f64)>;
}

impl EvaluationScore for MatchScore {
    fn is_better_than(&self, other: &MatchScore) -> bool {
        self.is_better_than(other)
    }

    fn values(&self) -> Vec<(&'static str, f64)> {
        let global = self.global_accuracy.map(|accuracy| (metric::GLOBAL_ACCURACY, accuracy));
        [(metric::MRR, self.mrr), (metric::ACCURACY, self.accuracy)].into_iter().chain(global).collect()
    }
}

/// The score of a matching model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchScore {
    pub pairs: usize,
    pub mrr: f64,
    pub accuracy: f64,
    /// The share of statements that the best assignment matches with their own proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_accuracy: Option<f64>,
}

impl MatchScore {
    /// The paper selects by accuracy, of global decoding where it was computed, and breaks ties by mean reciprocal rank.
    pub fn is_better_than(&self, other: &MatchScore) -> bool {
        let key = |score: &MatchScore| (score.global_accuracy.unwrap_or(score.accuracy), score.mrr);
        key(self) > key(other)
    }
}

/// The number of rows of scores that each thread has in memory.
const BLOCK: usize = 64;

/// Evaluates encoded pairs, of which proof i belongs to statement i: local decoding, and if `global` the accuracy of the
/// best assignment too.
pub(super) fn match_score(
    weights: &Weights,
    statements: &Vectors,
    proofs: &Vectors,
    global: bool,
) -> Result<MatchScore, String> {
    let mut score = local_score(weights, statements, proofs)?;
    if global {
        let columns = best_assignment(&scores(weights, statements, proofs))?;
        let found = columns.iter().enumerate().filter(|(row, column)| row == *column).count();
        score.global_accuracy = Some(found as f64 / columns.len().max(1) as f64);
    }
    Ok(score)
}

/// Returns the best assignment of a batch. Scores that are not finite have none; the caller checks the scores as well.
pub(super) fn assign(scores: &Scores) -> Vec<usize> {
    best_assignment(scores).unwrap_or_else(|_| (0..scores.rows()).collect())
}

/// Returns the column of each row of a square matrix in the assignment of greatest score.
fn best_assignment(scores: &Scores) -> Result<Vec<usize>, String> {
    let matrix =
        Dense::new(&scores.values, scores.rows(), scores.columns).map_err(|error| error.to_string())?;
    let assignment = lapjv::maximize(matrix).map_err(|error| error.to_string())?;
    let columns: Option<Vec<usize>> = assignment.column_of_row.into_iter().collect();
    columns.ok_or_else(|| "a statement was left without a proof".to_owned())
}

/// Ranks the proof of each statement; other proofs with the same score count against it.
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

    fn score(accuracy: f64, mrr: f64, global_accuracy: Option<f64>) -> MatchScore {
        MatchScore { pairs: 10, mrr, accuracy, global_accuracy }
    }

    #[test]
    fn accuracy_decides_and_then_the_mean_reciprocal_rank() {
        assert!(score(0.5, 0.6, None).is_better_than(&score(0.4, 0.9, None)));
        assert!(score(0.5, 0.61, None).is_better_than(&score(0.5, 0.6, None)));
        assert!(!score(0.5, 0.6, None).is_better_than(&score(0.5, 0.6, None)));
        assert!(score(0.1, 0.1, Some(0.7)).is_better_than(&score(0.5, 0.6, Some(0.6))));
    }
}
