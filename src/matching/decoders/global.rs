//! Global decoding: one proof for each statement, so that the sum of scores is maximal.
//!
//! A small problem is solved over all pairs. A large one is pruned to the k best edges of rows and of columns; if
//! that leaves no complete assignment, k is doubled, which is reported. The dual variables then bound the cost of
//! pruning: one more pass over all scores bounds the loss, and usually proves that there is none.

use super::DecodeError;
use crate::base::task::Task;
use crate::matching::{
    assignment::{
        Assignment, Dense, Graph, Objective, certificate, lapjv, lapmod,
        prune::{Keep, prune_until_feasible},
    },
    scores::{Matrix, ScoreSource},
};

/// Problems of at most this many pairs are solved over all of them.
const SMALL: usize = 2_048 * 2_048;
/// Scores are single precision; smaller differences, relative to the largest score, are rounding.
const TOLERANCE: f64 = 1e-6;

/// An assignment and the edges it was chosen from.
#[derive(Clone, Debug)]
pub struct Global {
    pub assignment: Assignment,
    pub graph: Graph<f32>,
    /// The number of edges per row and column that were kept in the end.
    pub kept: usize,
    /// How often k was doubled.
    pub widened: usize,
    /// An upper bound of how far the optimum over all pairs exceeds this assignment.
    pub gap: f64,
}

/// Solves the assignment over the `keep` best edges of each side, or over all pairs of a small problem.
pub fn solve(source: &dyn ScoreSource, keep: usize, task: &Task<'_>) -> Result<Global, DecodeError> {
    match source.rows() * source.columns() <= SMALL {
        true => solve_whole(source, task),
        false => solve_pruned(source, keep, task),
    }
}

fn solve_pruned(source: &dyn ScoreSource, keep: usize, task: &Task<'_>) -> Result<Global, DecodeError> {
    let found = prune_until_feasible(source, Keep::both(keep), Objective::Maximize, task)?;
    task.step("assigning", 0, 1);
    let assignment = lapmod::solve_with(&found.graph, Objective::Maximize, None, task)?;
    let check = certificate::check_all_pairs(source, &assignment, TOLERANCE, task)?;
    let (kept, widened) = (found.keep.per_row, found.refused.len());
    Ok(Global { assignment, graph: found.graph, kept, widened, gap: check.gap })
}

fn solve_whole(source: &dyn ScoreSource, task: &Task<'_>) -> Result<Global, DecodeError> {
    let (rows, columns) = (source.rows(), source.columns());
    let scores = Matrix::of(source);
    let matrix = Dense::new(scores.values(), rows, columns)?;
    let assignment = lapjv::solve_with(matrix, Objective::Maximize, None, task)?;
    let starts = (0..=rows).map(|row| row * columns).collect();
    let targets = (0..rows).flat_map(|_| 0..columns as u32).collect();
    let graph = Graph::new(columns, starts, targets, scores.values().to_vec())?;
    Ok(Global { assignment, graph, kept: columns, widened: 0, gap: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise, a diagonal that stands out a little, and three columns that are near everything.
    fn with_hubs(count: usize) -> Matrix {
        let value = |row: usize, column: usize| {
            let noise = (row * 7_919 + column * 104_729 + row * column * 31) % 10_007;
            let hub = if column < 3 { 0.5 } else { 0.0 };
            noise as f32 / 10_007.0 + hub + if row == column { 0.45 } else { 0.0 }
        };
        Matrix::new(
            &(0..count).map(|row| (0..count).map(|column| value(row, column)).collect()).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn few_edges_give_what_all_edges_give() {
        let (scores, task) = (with_hubs(120), Task::unobserved());
        let whole = solve_whole(&scores, &task).unwrap();
        for keep in [2, 12, 120] {
            let pruned = solve_pruned(&scores, keep, &task).unwrap();
            let lost = whole.assignment.value - pruned.assignment.value;
            assert!((-1e-4..=pruned.gap + 1e-4).contains(&lost), "{keep}: {lost} {}", pruned.gap);
            assert!(pruned.kept >= keep && (keep < 120 || lost.abs() < 1e-4), "{keep}");
        }
    }
}
