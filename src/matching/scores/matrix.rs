//! Scores in memory, for small problems and tests.

use super::ScoreSource;

/// All scores, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// Takes rows of equal length; shorter ones are padded with zeros.
    pub fn new(rows: &[Vec<f32>]) -> Matrix {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut values = vec![0.0; rows.len() * columns];
        for (place, row) in values.chunks_mut(columns.max(1)).zip(rows) {
            place[..row.len()].copy_from_slice(row);
        }
        Matrix { rows: rows.len(), columns, values }
    }

    /// Computes every score of a source, which must be small enough for memory.
    pub fn of(source: &dyn ScoreSource) -> Matrix {
        let (rows, columns) = (source.rows(), source.columns());
        let mut values = vec![0.0; rows * columns];
        source.fill(0, &mut values);
        Matrix { rows, columns, values }
    }

    /// Computes every score of a source, with rows and columns exchanged.
    pub(super) fn transpose_of<S: ScoreSource + ?Sized>(source: &S) -> Matrix {
        let (rows, columns) = (source.rows(), source.columns());
        let mut scores = vec![0.0; rows * columns];
        source.fill(0, &mut scores);
        let transposed = |column: usize| scores.iter().skip(column).step_by(columns).copied();
        let values = (0..columns).flat_map(transposed).collect();
        Matrix { rows: columns, columns: rows, values }
    }

    /// Computes the scores of some rows with some columns, through those with all columns. For few rows that is cheaper than
    /// a source of its own.
    pub(super) fn selection_of<S: ScoreSource + ?Sized>(source: &S, rows: &[u32], columns: &[u32]) -> Matrix {
        let mut values = Vec::with_capacity(rows.len() * columns.len());
        let mut scores = vec![0.0; source.columns()];
        for &row in rows {
            source.fill(row as usize, &mut scores);
            values.extend(columns.iter().map(|&column| scores[column as usize]));
        }
        Matrix { rows: rows.len(), columns: columns.len(), values }
    }

    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

impl ScoreSource for Matrix {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn fill(&self, first: usize, out: &mut [f32]) {
        out.copy_from_slice(&self.values[first * self.columns..][..out.len()]);
    }
}
