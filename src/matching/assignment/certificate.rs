//! Certificates: whether an assignment is optimal, checked by complementary slackness without solving anything.
//!
//! The checks are independent of the solvers. They read every score again, so that a pruned solution can be
//! checked against the pairs that were pruned away.

use rayon::prelude::*;
use serde::Serialize;

use super::{
    answer::{Assignment, Objective},
    dense::Dense,
    error::AssignmentError,
    graph::Graph,
    number::Number,
    prune::for_blocks,
};
use crate::{base::task::Task, matching::scores::ScoreSource};

/// Why a certificate is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CertificateError {
    #[error(
        "the assignment has {found_rows} rows and {found_columns} columns, but the scores have {rows} and {columns}"
    )]
    Shape { rows: usize, columns: usize, found_rows: usize, found_columns: usize },
    #[error("row {row} and column {column} disagree on whether they are matched")]
    NotOneToOne { row: usize, column: usize },
    #[error("row {row} is matched with column {column}, but there is no such edge")]
    NoSuchEdge { row: usize, column: usize },
    #[error("{side} {index} must be matched, but is not")]
    Unmatched { side: &'static str, index: usize },
    #[error("the dual variable {dual} of {side} {index} is not valid for one that may remain unmatched")]
    Sign { side: &'static str, index: usize, dual: f64 },
    #[error(
        "row {row} and column {column} are matched, but their score differs from their dual variables by {by}"
    )]
    NotTight { row: usize, column: usize, by: f64 },
    #[error("the score of row {row} and column {column} exceeds their dual variables by {by}")]
    NotFeasible { row: usize, column: usize, by: f64 },
    #[error("the assignment has the value {value}, its dual variables {dual}")]
    Gap { value: f64, dual: f64 },
    #[error(transparent)]
    Scores(#[from] AssignmentError),
}

/// The check of an assignment over a pruned graph against all pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AllPairsCheck {
    /// The number of pairs that are better than the dual variables allow.
    pub violations: usize,
    /// The worst of them: row, column, and by how much.
    pub worst: Option<(usize, usize, f64)>,
    /// An upper bound of how much better the optimum over all pairs is. Zero: the assignment is optimal.
    pub gap: f64,
}

/// Whether an assignment is optimal over a dense matrix.
pub fn check_dense<T: Number>(
    matrix: Dense<T>,
    answer: &Assignment,
    tolerance: f64,
) -> Result<(), CertificateError> {
    let pairs = (0..matrix.rows()).map(|row| matrix.row(row).iter().map(|&value| value.into()).enumerate());
    check(answer, matrix.rows(), matrix.columns(), tolerance, pairs)
}

/// Whether an assignment is optimal over the edges of a graph.
pub fn check_graph<T: Number>(
    graph: &Graph<T>,
    answer: &Assignment,
    tolerance: f64,
) -> Result<(), CertificateError> {
    let pairs = (0..graph.rows()).map(|row| {
        graph
            .targets(row)
            .iter()
            .zip(graph.values(row))
            .map(|(&column, &value)| (column as usize, value.into()))
    });
    check(answer, graph.rows(), graph.columns(), tolerance, pairs)
}

/// Checks whether the optimum over a pruned graph is the optimum over all pairs.
///
/// Shifting a row's dual variable makes the row's worst pair feasible; the sum of these shifts bounds the gain of
/// any other assignment.
pub fn check_all_pairs(
    source: &dyn ScoreSource,
    answer: &Assignment,
    tolerance: f64,
    task: &Task<'_>,
) -> Result<AllPairsCheck, CertificateError> {
    check_shape(answer, source.rows(), source.columns())?;
    let mut result = AllPairsCheck { violations: 0, worst: None, gap: 0.0 };
    for_blocks(source, task, "proving", |first, block| {
        let rows: Vec<_> = block
            .par_chunks(source.columns())
            .enumerate()
            .map(|(row, values)| check_row(answer, first + row, values, tolerance))
            .collect();
        for row in rows {
            let row = row?;
            result.violations += row.violations;
            result.gap += row.gap;
            if row.worst.map_or(0.0, |worst| worst.2) > result.worst.map_or(0.0, |worst| worst.2) {
                result.worst = row.worst;
            }
        }
        Ok(())
    })?;
    Ok(result)
}

fn check_row(
    answer: &Assignment,
    row: usize,
    values: &[f32],
    tolerance: f64,
) -> Result<AllPairsCheck, AssignmentError> {
    let sign = answer.objective.sign();
    let mut result = AllPairsCheck { violations: 0, worst: None, gap: 0.0 };
    for (column, &value) in values.iter().enumerate() {
        let by = -sign * (f64::from(value) - answer.row_duals[row] - answer.column_duals[column]);
        if !by.is_finite() {
            return Err(AssignmentError::NotFinite { row, column, value: f64::from(value) });
        }
        if by > tolerance {
            result.violations += 1;
            if by > result.gap {
                result.gap = by;
                result.worst = Some((row, column, by));
            }
        }
    }
    Ok(result)
}

fn check<I: Iterator<Item = (usize, f64)>>(
    answer: &Assignment,
    rows: usize,
    columns: usize,
    tolerance: f64,
    pairs: impl Iterator<Item = I>,
) -> Result<(), CertificateError> {
    check_shape(answer, rows, columns)?;
    check_unmatched(answer, tolerance)?;
    let sign = answer.objective.sign();
    let mut value = 0.0;
    for (row, pairs) in pairs.enumerate() {
        let mut seen = answer.column_of_row[row].is_none();
        for (column, score) in pairs {
            let slack = sign * (score - answer.row_duals[row] - answer.column_duals[column]);
            if answer.column_of_row[row] == Some(column) {
                seen = true;
                value += score;
                if slack.is_nan() || slack.abs() > tolerance {
                    return Err(CertificateError::NotTight { row, column, by: slack.abs() });
                }
            }
            if slack.is_nan() || slack < -tolerance {
                return Err(CertificateError::NotFeasible { row, column, by: -slack });
            }
        }
        if let (false, Some(column)) = (seen, answer.column_of_row[row]) {
            return Err(CertificateError::NoSuchEdge { row, column });
        }
    }
    let allowed = tolerance * (rows.max(columns) + 1) as f64;
    for (value, dual) in [(value, answer.value), (answer.objective_value(), answer.dual_value())] {
        if (value - dual).is_nan() || (value - dual).abs() > allowed {
            return Err(CertificateError::Gap { value, dual });
        }
    }
    Ok(())
}

fn check_shape(answer: &Assignment, rows: usize, columns: usize) -> Result<(), CertificateError> {
    let (found_rows, found_columns) = (answer.column_of_row.len(), answer.row_of_column.len());
    let duals = (answer.row_duals.len(), answer.column_duals.len());
    if (found_rows, found_columns) != (rows, columns) || duals != (rows, columns) {
        return Err(CertificateError::Shape { rows, columns, found_rows, found_columns });
    }
    for (row, column) in answer.pairs() {
        if answer.row_of_column.get(column) != Some(&Some(row)) {
            return Err(CertificateError::NotOneToOne { row, column });
        }
    }
    for (column, row) in answer.row_of_column.iter().enumerate() {
        if let Some(row) = *row
            && answer.column_of_row.get(row) != Some(&Some(column))
        {
            return Err(CertificateError::NotOneToOne { row, column });
        }
    }
    Ok(())
}

/// A row or column that may remain unmatched has a dual variable no better than remaining unmatched is worth; if it does
/// remain unmatched, exactly that.
fn check_unmatched(answer: &Assignment, tolerance: f64) -> Result<(), CertificateError> {
    let (rows, columns) = (answer.column_of_row.len(), answer.row_of_column.len());
    let row_limit = answer.reject.or((rows > columns).then_some(0.0));
    let column_limit = (answer.reject.is_some() || columns > rows).then_some(0.0);
    check_side(answer.objective, "row", &answer.column_of_row, &answer.row_duals, row_limit, tolerance)?;
    check_side(
        answer.objective,
        "column",
        &answer.row_of_column,
        &answer.column_duals,
        column_limit,
        tolerance,
    )
}

fn check_side(
    objective: Objective,
    side: &'static str,
    partners: &[Option<usize>],
    duals: &[f64],
    limit: Option<f64>,
    tolerance: f64,
) -> Result<(), CertificateError> {
    for (index, (partner, &dual)) in partners.iter().zip(duals).enumerate() {
        let Some(limit) = limit else {
            if partner.is_none() {
                return Err(CertificateError::Unmatched { side, index });
            }
            continue;
        };
        let above = objective.sign() * (dual - limit);
        if above.is_nan() || above > tolerance || (partner.is_none() && above < -tolerance) {
            return Err(CertificateError::Sign { side, index, dual });
        }
    }
    Ok(())
}
