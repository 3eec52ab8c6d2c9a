//! Errors of assignment problems.

use super::feasibility::HallViolator;
use crate::base::task::Cancelled;

/// Why there is no assignment.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AssignmentError {
    #[error("cannot assign: the score of row {row} and column {column} is {value}, not a finite number")]
    NotFinite { row: usize, column: usize, value: f64 },
    #[error("cannot assign: the value of an unmatched row is {value}, not a finite number")]
    RejectNotFinite { value: f64 },
    #[error("cannot assign: {found} scores do not fill {rows} rows of {columns} columns")]
    Shape { rows: usize, columns: usize, found: usize },
    #[error("cannot assign: {rows} rows and {columns} columns are too many")]
    TooLarge { rows: usize, columns: usize },
    #[error(
        "cannot assign: the edge from row {row} leads to column {column}, but there are {columns} columns"
    )]
    NoSuchColumn { row: usize, column: usize, columns: usize },
    #[error("cannot assign: the edges of row {row} are not in ascending order at column {column}")]
    Unsorted { row: usize, column: usize },
    #[error(
        "no assignment exists: {0}; keep more edges of each row and column, or let rows remain unmatched"
    )]
    Infeasible(HallViolator),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl AssignmentError {
    /// The same error of the transposed problem.
    pub(super) fn transposed(self) -> Self {
        match self {
            Self::NotFinite { row, column, value } => Self::NotFinite { row: column, column: row, value },
            Self::Infeasible(violator) => Self::Infeasible(violator.transposed()),
            other => other,
        }
    }
}
