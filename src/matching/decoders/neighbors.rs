//! The mean of each column's best scores, collected while all scores pass by.
//!
//! A pass over the transposed scores would find the same means at the price of computing all scores again.

use std::sync::{Mutex, PoisonError};

use super::csls::NEIGHBORS;

/// Columns that share a lock.
const SHARD: usize = 512;
/// Scores that are compared at once.
const LANES: usize = 16;

/// The best scores of each column so far.
pub struct ColumnNeighbors {
    shards: Vec<Mutex<Shard>>,
}

struct Shard {
    /// The worst of the best scores of each column.
    floors: Vec<f32>,
    /// The best scores of each column, best first.
    best: Vec<[f32; NEIGHBORS]>,
}

impl ColumnNeighbors {
    pub fn new(columns: usize) -> ColumnNeighbors {
        let shard = |start: usize| {
            let count = SHARD.min(columns - start);
            Mutex::new(Shard {
                floors: vec![f32::NEG_INFINITY; count],
                best: vec![[f32::NEG_INFINITY; NEIGHBORS]; count],
            })
        };
        ColumnNeighbors { shards: (0..columns).step_by(SHARD).map(shard).collect() }
    }

    /// Takes in a row of scores. Rows may come in any order and from any thread.
    pub fn add(&self, row: usize, scores: &[f32]) {
        let count = self.shards.len();
        // Threads start at different shards, so that they seldom wait for each other.
        for shard in (0..count).map(|at| (row + at) % count) {
            let scores = &scores[shard * SHARD..scores.len().min((shard + 1) * SHARD)];
            let mut shard = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
            pulp::Arch::new().dispatch(|| shard.add(scores));
        }
    }

    /// The negative mean of the best scores of each column, of `rows` in all.
    pub fn crowding(self, rows: usize) -> Vec<f32> {
        let count = NEIGHBORS.min(rows);
        let mean = |best: [f32; NEIGHBORS]| -best[..count].iter().sum::<f32>() / count as f32;
        let shards =
            self.shards.into_iter().map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        shards.flat_map(|shard| shard.best).map(mean).collect()
    }
}

impl Shard {
    #[inline(always)]
    fn add(&mut self, scores: &[f32]) {
        for start in (0..scores.len()).step_by(LANES) {
            let end = scores.len().min(start + LANES);
            let chunk = scores[start..end].iter().zip(&self.floors[start..end]);
            let hits: u32 = chunk.map(|(score, floor)| u32::from(score > floor)).sum();
            if hits > 0 {
                (start..end).for_each(|column| self.offer(column, scores[column]));
            }
        }
    }

    fn offer(&mut self, column: usize, score: f32) {
        if score > self.floors[column] {
            let best = &mut self.best[column];
            let place = best.partition_point(|other| *other >= score);
            best.copy_within(place..NEIGHBORS - 1, place + 1);
            best[place] = score;
            self.floors[column] = best[NEIGHBORS - 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_columns_are_found_in_any_order() {
        let (rows, columns) = (60, SHARD + 37);
        let score = |row: usize, column: usize| ((row * 7_919 + column * 104_729) % 1_009) as f32;
        let found = |order: &mut dyn Iterator<Item = usize>| {
            let neighbors = ColumnNeighbors::new(columns);
            for row in order {
                neighbors.add(row, &(0..columns).map(|column| score(row, column)).collect::<Vec<_>>());
            }
            neighbors.crowding(rows)
        };
        let ascending = found(&mut (0..rows));
        assert_eq!(ascending, found(&mut (0..rows).rev()));
        for column in [0, 17, SHARD, columns - 1] {
            let mut all: Vec<f32> = (0..rows).map(|row| score(row, column)).collect();
            all.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(ascending[column], -all[..NEIGHBORS].iter().sum::<f32>() / NEIGHBORS as f32);
        }
    }

    #[test]
    fn few_rows_are_all_neighbors() {
        let neighbors = ColumnNeighbors::new(2);
        [[1.0, 5.0], [3.0, 6.0]].iter().enumerate().for_each(|(row, scores)| neighbors.add(row, scores));
        assert_eq!(neighbors.crowding(2), [-2.0, -5.5]);
    }
}
