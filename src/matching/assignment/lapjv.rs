//! The dense problem, after Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse
//! linear assignment problems" (Computing 38, 1987).
//!
//! Of their four steps column reduction, augmenting row reduction and augmentation are used. There are two differences,
//! both measured: an auction finds good prices before augmenting row reduction (see `auction.rs`), and rows are
//! searched through shortlists (see `shortlist.rs`), so that a step of the search costs a few edges instead of
//! a row.

use pulp::Arch;

use super::{
    answer::{Assignment, Objective},
    dense::{Dense, DenseCosts},
    error::AssignmentError,
    number::Number,
    solver::{Reject, solve as solve_rows},
};
use crate::base::task::Task;

/// The assignment of minimal cost. Excess rows or columns of the larger side stay unmatched.
pub fn minimize<T: Number>(costs: Dense<T>) -> Result<Assignment, AssignmentError> {
    solve(costs, Objective::Minimize, None)
}

/// The assignment of maximal score.
pub fn maximize<T: Number>(scores: Dense<T>) -> Result<Assignment, AssignmentError> {
    solve(scores, Objective::Maximize, None)
}

/// The optimal assignment. With `reject`, on the scale of the scores, any row may stay unmatched at that score.
pub fn solve<T: Number>(
    matrix: Dense<T>,
    objective: Objective,
    reject: Option<f64>,
) -> Result<Assignment, AssignmentError> {
    solve_with(matrix, objective, reject, &Task::unobserved())
}

/// Like [`solve`], for a task that can be cancelled.
pub fn solve_with<T: Number>(
    matrix: Dense<T>,
    objective: Objective,
    reject: Option<f64>,
    task: &Task<'_>,
) -> Result<Assignment, AssignmentError> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let score = |row: usize, column: usize| matrix.at(row, column);
    let arch = Arch::new();
    if let Some(reject) = reject {
        let costs = Reject::new(DenseCosts { matrix, objective, arch }, objective.sign() * reject)?;
        let solution = solve_rows(&costs, task)?;
        return Ok(Assignment::new(solution, objective, columns, Some(reject), score));
    }
    if rows > columns {
        let values = matrix.transposed();
        let matrix = Dense::new(&values, columns, rows)?;
        let solution =
            solve_rows(&DenseCosts { matrix, objective, arch }, task).map_err(AssignmentError::transposed)?;
        let answer = Assignment::new(solution, objective, rows, None, |row, column| score(column, row));
        return Ok(answer.transposed());
    }
    let solution = solve_rows(&DenseCosts { matrix, objective, arch }, task)?;
    Ok(Assignment::new(solution, objective, columns, None, score))
}
