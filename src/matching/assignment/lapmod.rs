//! The sparse problem, after Volgenant, "Linear and semi-assignment problems: a core oriented approach"
//! (Computers & Operations Research 23, 1996).
//!
//! Volgenant solves a core of few edges a row and then looks whether an edge outside it could improve on the
//! answer. Here the core grows while it is solved, a row at a time, so that there is nothing to look for at
//! the end.

use super::{
    answer::{Assignment, Objective},
    error::AssignmentError,
    graph::{Graph, GraphCosts},
    number::Number,
    solver::{Reject, solve as solve_rows},
};
use crate::matching::work::Work;

/// The best assignment along the edges of a graph. With `reject`, on the scale of the scores, any row may stay
/// unmatched and is then worth that much; without, the smaller side must be matched whole.
pub fn solve<T: Number>(
    graph: &Graph<T>,
    objective: Objective,
    reject: Option<f64>,
) -> Result<Assignment, AssignmentError> {
    solve_watched(graph, objective, reject, &Work::unwatched())
}

/// The same, by work that can be stopped.
pub fn solve_watched<T: Number>(
    graph: &Graph<T>,
    objective: Objective,
    reject: Option<f64>,
    work: &Work<'_>,
) -> Result<Assignment, AssignmentError> {
    let score = |row: usize, column: usize| graph.at(row, column).unwrap_or(f64::NAN);
    if let Some(reject) = reject {
        let costs = Reject::new(GraphCosts { graph, objective }, objective.sign() * reject)?;
        let solution = solve_rows(&costs, work)?;
        return Ok(Assignment::new(solution, objective, graph.columns(), Some(reject), score));
    }
    if graph.rows() > graph.columns() {
        let answer =
            solve_watched(&graph.transposed(), objective, None, work).map_err(AssignmentError::transposed)?;
        return Ok(answer.transposed());
    }
    let solution = solve_rows(&GraphCosts { graph, objective }, work)?;
    Ok(Assignment::new(solution, objective, graph.columns(), None, score))
}
