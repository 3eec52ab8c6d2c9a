//! Matching as training needs it.

use super::evaluation::{MatchScore, Matcher, local_score};
use crate::{
    matching::assignment::{Dense, lapjv},
    model::{Scores, Vectors, Weights, scores},
};

/// Exact assignments.
pub struct ExactMatcher;

impl Matcher for ExactMatcher {
    /// Scores that are no numbers have no assignment; whoever trains looks at the scores, too.
    fn assign(&self, scores: &Scores) -> Vec<usize> {
        let identity = || (0..scores.rows()).collect();
        solve(scores).unwrap_or_else(|_| identity())
    }

    fn evaluate(
        &self,
        weights: &Weights,
        statements: &Vectors,
        proofs: &Vectors,
        global: bool,
    ) -> Result<MatchScore, String> {
        let mut quality = local_score(weights, statements, proofs)?;
        if global {
            let columns = solve(&scores(weights, statements, proofs))?;
            let found = columns.iter().enumerate().filter(|(row, column)| row == *column).count();
            quality.global_accuracy = Some(found as f64 / columns.len().max(1) as f64);
        }
        Ok(quality)
    }
}

/// The column of each row of a square matrix.
fn solve(scores: &Scores) -> Result<Vec<usize>, String> {
    let matrix =
        Dense::new(&scores.values, scores.rows(), scores.columns).map_err(|error| error.to_string())?;
    let assignment = lapjv::maximise(matrix).map_err(|error| error.to_string())?;
    let columns: Option<Vec<usize>> = assignment.column_of_row.into_iter().collect();
    columns.ok_or_else(|| "a statement was left without a proof".to_owned())
}
