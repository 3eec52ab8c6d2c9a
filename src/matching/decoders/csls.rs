//! CSLS, cross-domain similarity local scaling (Conneau et al., "Word Translation Without Parallel Data", 2018).
//!
//! A score is doubled, minus the mean of the statement's ten best scores, minus the mean of the proof's ten best. This
//! is the usual correction for hubs, proofs that are near to everything.

use crate::base::task::Task;
use crate::matching::{
    ranking::{self, Ranking, RankingError, Shortlists},
    scores::{Adjusted, ScoreSource},
};

/// The number of neighbors that measure density; the authors' number.
pub const NEIGHBORS: usize = 10;

/// Ranks by the corrected scores.
pub fn rank(
    source: &dyn ScoreSource,
    gold: &[u32],
    keep: usize,
    task: &Task<'_>,
) -> Result<Ranking, RankingError> {
    let rows = ranking::shortlists(source, NEIGHBORS, task, "neighbors of statements")?;
    let transposed = source.transposed();
    let columns = ranking::shortlists(transposed.as_ref(), NEIGHBORS, task, "neighbors of proofs")?;
    let adjusted = Adjusted::new(source, 2.0, crowding(&rows), crowding(&columns));
    ranking::rank(&adjusted, gold, keep, task, "csls")
}

/// The negative mean of each list.
fn crowding(lists: &Shortlists) -> Vec<f32> {
    let mean = |row| {
        let scores = lists.row(row).1;
        -scores.iter().sum::<f32>() / scores.len() as f32
    };
    (0..lists.rows()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{metrics::Metrics, scores::Matrix};

    /// Every statement scores proof 0 highest and its gold proof second.
    #[test]
    fn a_hub_is_no_longer_chosen() {
        let score = |row: usize, column: usize| match (row, column) {
            (row, column) if row == column => 0.8,
            (_, 0) => 0.9,
            (row, column) => ((row * 31 + column * 17) % 7) as f32 / 100.0,
        };
        let rows: Vec<Vec<f32>> =
            (0..30).map(|row| (0..30).map(|column| score(row, column)).collect()).collect();
        let (scores, gold): (_, Vec<u32>) = (Matrix::new(&rows), (0..30).collect());
        let accuracy =
            |ranking: Ranking| Metrics::of_ranks(ranking.gold_ranks.iter().map(|one| one.rank)).accuracy;
        let task = Task::unobserved();
        let local = accuracy(ranking::rank(&scores, &gold, 0, &task, "local").unwrap());
        assert!(local < 0.1, "{local}");
        assert_eq!(accuracy(rank(&scores, &gold, 0, &task).unwrap()), 1.0);
        let settings = super::super::sinkhorn::SinkhornSettings::default();
        let lists = ranking::shortlists(&scores, 30, &task, "").unwrap();
        let sinkhorn = super::super::sinkhorn::rank(&scores, &gold, &lists, 0, &settings, &task).unwrap();
        assert_eq!(accuracy(sinkhorn), 1.0);
    }
}
