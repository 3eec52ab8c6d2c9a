//! Sources of scores.
//!
//! A source has rows and columns, and fills blocks of rows. Its transpose has the same scores bit for bit, so that
//! the best of a row and the best of a column are always consistent.

mod adjusted;
mod bilinear;
mod matrix;
mod product;
mod sparse;

pub use adjusted::Adjusted;
pub use bilinear::{Bilinear, BilinearScores, ShapeError};
pub use matrix::Matrix;
pub use product::Packed;
pub use sparse::{Measure, SparseScores, SparseVectors};

/// The scores of fewer rows are computed at once: selecting the columns would cost more.
const FEW_ROWS: usize = 64;

/// Scores of statements (rows) with proofs (columns).
pub trait ScoreSource: Sync {
    fn rows(&self) -> usize;

    fn columns(&self) -> usize;

    /// Fills `out` with the scores of consecutive rows from `first`, row by row.
    fn fill(&self, first: usize, out: &mut [f32]);

    /// The same scores with rows and columns exchanged. By default they are all computed at once; a source that is
    /// too large for that overrides it.
    fn transposed(&self) -> Box<dyn ScoreSource + '_> {
        Box::new(Matrix::transpose_of(self))
    }

    /// The scores of some rows with some columns, in their order, with the same bits.
    fn selected(&self, rows: &[u32], columns: &[u32]) -> Box<dyn ScoreSource> {
        match rows.len() < FEW_ROWS {
            true => Box::new(Matrix::selection_of(self, rows, columns)),
            false => self.selected_source(rows, columns),
        }
    }

    /// The same for many rows. By default the scores are all computed at once; a source that is too large for that
    /// overrides it.
    fn selected_source(&self, rows: &[u32], columns: &[u32]) -> Box<dyn ScoreSource> {
        Box::new(Matrix::selection_of(self, rows, columns))
    }

    /// The score of one pair.
    fn score(&self, row: usize, column: usize) -> f32 {
        let mut scores = vec![0.0; self.columns()];
        self.fill(row, &mut scores);
        scores[column]
    }
}
