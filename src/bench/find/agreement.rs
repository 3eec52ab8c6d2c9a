//! Whether two exact searches of the same vectors found the same.
//!
//! Many proofs of a synthetic corpus are alike but for a number, so that many candidates have the same score. Which of them
//! comes first is up to a program, and which of them are among the ten best too; their scores are not. So the columns that
//! the other program found are scored here, and their scores are compared with those of our own ten best.

use serde::Serialize;

/// Scores are sums of single-precision products in different orders.
const ROUNDING: f32 = 2e-6;

/// How far two programs agree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The share of searches with the same best candidate.
    pub same_best: f64,
    /// The share of searches whose ten best candidates are the same, but for candidates with the same score.
    pub same_scores: f64,
}

/// Searches whose results were compared.
#[derive(Debug, Default)]
pub struct Compared {
    searches: usize,
    same_best: usize,
    same_scores: usize,
    /// The greatest difference between scores at the same rank.
    greatest: f32,
}

impl Compared {
    /// Adds a search: our best columns and theirs, and the score of every column.
    pub fn add(&mut self, ours: &[u32], theirs: &[u32], scores: &[f32]) {
        let sorted = |columns: &[u32]| {
            let score = |column: &u32| scores.get(*column as usize).copied().unwrap_or(f32::NEG_INFINITY);
            let mut found: Vec<f32> = columns.iter().map(score).collect();
            found.sort_by(|one, other| other.total_cmp(one));
            found
        };
        let (own, other) = (sorted(ours), sorted(theirs));
        let differences = own.iter().zip(&other).map(|(one, other)| (one - other).abs() / one.abs().max(1.0));
        let difference = differences.fold(0.0f32, f32::max);
        self.searches += 1;
        self.same_best += usize::from(ours.first() == theirs.first());
        self.same_scores += usize::from(own.len() == other.len() && difference <= ROUNDING);
        self.greatest = self.greatest.max(difference);
    }

    pub fn is_same(&self) -> bool {
        self.same_scores == self.searches
    }

    pub fn agreement(&self) -> Agreement {
        let share = |count: usize| count as f64 / self.searches.max(1) as f64;
        Agreement { same_best: share(self.same_best), same_scores: share(self.same_scores) }
    }

    pub fn disagreement(&self) -> String {
        format!(
            "the scores of its best candidates differ from ours by up to {} in {} of {} searches",
            self.greatest,
            self.searches - self.same_scores,
            self.searches
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_no_disagreement_and_a_worse_candidate_is() {
        let scores = [0.5, 0.9, 0.5, 0.1, 0.9];
        let mut compared = Compared::default();
        compared.add(&[1, 4, 0], &[4, 1, 2], &scores);
        assert!(compared.is_same());
        assert_eq!(compared.agreement(), Agreement { same_best: 0.0, same_scores: 1.0 });
        for theirs in [&[1, 4, 3][..], &[1, 4], &[1, 4, 99]] {
            let mut compared = Compared::default();
            compared.add(&[1, 4, 0], theirs, &scores);
            assert!(!compared.is_same(), "{theirs:?}");
        }
    }
}
