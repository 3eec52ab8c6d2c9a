//! CSLS, cross-domain similarity local scaling (Conneau et al., "Word Translation Without Parallel Data", 2018).
//!
//! A score is doubled, minus the mean of the statement's ten best scores, minus the mean of the proof's ten best. This
//! is the usual correction for hubs, proofs that are near to everything.

use super::neighbors::ColumnNeighbors;
use crate::base::task::Task;
use crate::matching::{
    ranking::{self, Ranking, RankingError, Shortlists},
    scores::{Adjusted, ScoreSource},
};

/// The number of neighbors that measure density; the authors' number.
pub const NEIGHBORS: usize = 10;

/// Ranks by the corrected scores. `lists` are the best proofs of each statement, and `columns` has seen all scores: an
/// evaluation has both from ranking locally.
pub fn rank(
    source: &dyn ScoreSource,
    gold: &[u32],
    lists: &Shortlists,
    columns: ColumnNeighbors,
    keep: usize,
    task: &Task<'_>,
) -> Result<Ranking, RankingError> {
    let rows = match lists.keep >= NEIGHBORS.min(source.columns()) {
        true => crowding(lists),
        false => crowding(&ranking::shortlists(source, NEIGHBORS, task, "neighbors of statements")?),
    };
    let adjusted = Adjusted::new(source, 2.0, rows, columns.crowding(source.rows()));
    ranking::rank(&adjusted, gold, keep, task, "csls")
}

/// The negative mean of the best of each list.
fn crowding(lists: &Shortlists) -> Vec<f32> {
    let mean = |row| {
        let scores = lists.row(row).1;
        let scores = &scores[..scores.len().min(NEIGHBORS)];
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
        let lists = ranking::shortlists(&scores, 30, &task, "").unwrap();
        for kept in [3, 30] {
            let columns = ColumnNeighbors::new(30);
            rows.iter().enumerate().for_each(|(row, scores)| columns.add(row, scores));
            let few = ranking::shortlists(&scores, kept, &task, "").unwrap();
            assert_eq!(accuracy(rank(&scores, &gold, &few, columns, 0, &task).unwrap()), 1.0);
        }
        let settings = super::super::sinkhorn::SinkhornSettings::default();
        let sinkhorn =
            super::super::sinkhorn::rank(&scores, &gold, &lists, None, 0, &settings, &task).unwrap();
        assert_eq!(accuracy(sinkhorn), 1.0);
    }
}
