//! CSLS, cross-domain similarity local scaling (Conneau et al., "Word Translation Without Parallel Data", 2018).
//!
//! A score counts twice, less the mean of the statement's ten best scores, less the mean of the proof's ten best. A
//! proof that is near to everything is thereby no nearer to anything: the usual correction for hubs.

use crate::base::task::Task;
use crate::matching::{
    ranking::{self, Ranking, RankingError, Shortlists},
    scores::{Adjusted, ScoreSource},
};

/// How many neighbours tell how crowded a place is; the authors' number.
pub const NEIGHBOURS: usize = 10;

/// Ranks by corrected scores.
pub fn rank(
    source: &dyn ScoreSource,
    gold: &[u32],
    keep: usize,
    task: &Task<'_>,
) -> Result<Ranking, RankingError> {
    let rows = ranking::shortlists(source, NEIGHBOURS, task, "neighbours of statements")?;
    let turned = source.transposed();
    let columns = ranking::shortlists(turned.as_ref(), NEIGHBOURS, task, "neighbours of proofs")?;
    let adjusted = Adjusted::new(source, 2.0, crowding(&rows), crowding(&columns));
    ranking::rank(&adjusted, gold, keep, task, "csls")
}

/// The mean of each list, negative.
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

    /// Every statement likes proof 0 best and its own second best.
    #[test]
    fn a_hub_stands_in_the_way_no_more() {
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
