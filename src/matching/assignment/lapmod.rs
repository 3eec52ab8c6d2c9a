//! The sparse problem, after Volgenant, "Linear and semi-assignment problems: a core oriented approach"
//! (Computers & Operations Research 23, 1996).
//!
//! Volgenant solves a core of few edges per row and then checks whether an edge outside it could improve the
//! solution. Here the core grows while it is solved, a row at a time, so that no check is needed at
//! the end.

use super::{
    answer::{Assignment, Objective},
    error::AssignmentError,
    graph::{Graph, GraphCosts},
    number::Number,
    solver::{Reject, solve as solve_rows},
};
use crate::base::task::Task;

/// The optimal assignment along the edges of a graph. With `reject`, on the scale of the scores, any row may stay
/// unmatched at that score; without, all of the smaller side must be matched.
pub fn solve<T: Number>(
    graph: &Graph<T>,
    objective: Objective,
    reject: Option<f64>,
) -> Result<Assignment, AssignmentError> {
    solve_with(graph, objective, reject, &Task::unobserved())
}

/// Like [`solve`], for a task that can be cancelled.
pub fn solve_with<T: Number>(
    graph: &Graph<T>,
    objective: Objective,
    reject: Option<f64>,
    task: &Task<'_>,
) -> Result<Assignment, AssignmentError> {
    let score = |row: usize, column: usize| graph.at(row, column).unwrap_or(f64::NAN);
    if let Some(reject) = reject {
        let costs = Reject::new(GraphCosts { graph, objective }, objective.sign() * reject)?;
        let solution = solve_rows(&costs, task)?;
        return Ok(Assignment::new(solution, objective, graph.columns(), Some(reject), score));
    }
    if graph.rows() > graph.columns() {
        let answer =
            solve_with(&graph.transposed(), objective, None, task).map_err(AssignmentError::transposed)?;
        return Ok(answer.transposed());
    }
    let solution = solve_rows(&GraphCosts { graph, objective }, task)?;
    Ok(Assignment::new(solution, objective, graph.columns(), None, score))
}
