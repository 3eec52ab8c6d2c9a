//! The solution: the matched pairs, their value, and the dual variables that prove optimality.

use serde::Serialize;

use super::solver::{NONE, Solution};

/// Whether costs are minimized or scores maximized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Objective {
    Minimize,
    Maximize,
}

impl Objective {
    /// The factor between scores and costs.
    pub fn sign(self) -> f64 {
        match self {
            Self::Minimize => 1.0,
            Self::Maximize => -1.0,
        }
    }
}

/// An optimal assignment.
///
/// The dual variables are on the scale of the scores: those of a row and a column add up to at most their score
/// when minimizing, to at least their score when maximizing, and to exactly their score when they are matched. A row or
/// column that may stay unmatched has a dual variable on the bad side of zero (of the reject value for a row that may
/// be rejected), and an unmatched one has exactly that value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assignment {
    pub objective: Objective,
    pub column_of_row: Vec<Option<usize>>,
    pub row_of_column: Vec<Option<usize>>,
    /// The sum of the matched scores.
    pub value: f64,
    /// The score of an unmatched row, if rows may be rejected.
    pub reject: Option<f64>,
    pub row_duals: Vec<f64>,
    pub column_duals: Vec<f64>,
}

impl Assignment {
    /// The pairs, by row.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.column_of_row.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?)))
    }

    /// The number of unmatched rows.
    pub fn unmatched_rows(&self) -> usize {
        self.column_of_row.iter().filter(|column| column.is_none()).count()
    }

    /// The optimized value: the sum of the matched scores and of the reject scores.
    pub fn objective_value(&self) -> f64 {
        self.value + self.reject.map_or(0.0, |reject| reject * self.unmatched_rows() as f64)
    }

    /// The value of the dual problem, which equals [`Self::objective_value`] at an optimum.
    pub fn dual_value(&self) -> f64 {
        self.row_duals.iter().sum::<f64>() + self.column_duals.iter().sum::<f64>()
    }

    /// Converts a solution over costs back to the scale of scores. Columns beyond the matrix stand for unmatched
    /// rows.
    pub(super) fn new(
        solution: Solution,
        objective: Objective,
        columns: usize,
        reject: Option<f64>,
        score: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let sign = objective.sign();
        let column_of_row: Vec<Option<usize>> = solution
            .column_of_row
            .iter()
            .map(|&column| (column != NONE && (column as usize) < columns).then_some(column as usize))
            .collect();
        let mut row_of_column = vec![None; columns];
        let mut value = 0.0;
        for (row, column) in
            column_of_row.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?)))
        {
            row_of_column[column] = Some(row);
            value += score(row, column);
        }
        let worst = reject.map_or(f64::INFINITY, |reject| sign * reject);
        let row_duals = solution.row_duals.iter().map(|dual| sign * dual.min(worst)).collect();
        let column_duals = solution.column_duals[..columns].iter().map(|dual| sign * dual).collect();
        Self { objective, column_of_row, row_of_column, value, reject, row_duals, column_duals }
    }

    /// The solution of the transposed problem.
    pub(super) fn transposed(self) -> Self {
        Self {
            column_of_row: self.row_of_column,
            row_of_column: self.column_of_row,
            row_duals: self.column_duals,
            column_duals: self.row_duals,
            ..self
        }
    }
}
