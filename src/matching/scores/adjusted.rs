//! Scores that are scaled and shifted by row and by column: how CSLS and Sinkhorn correct a matrix that is not in memory.

use super::ScoreSource;

/// `scale * score + row + column`.
pub struct Adjusted<'a> {
    inner: &'a dyn ScoreSource,
    scale: f32,
    rows: Vec<f32>,
    columns: Vec<f32>,
}

impl<'a> Adjusted<'a> {
    /// Takes one shift for each row and each column; missing ones are zero.
    pub fn new(
        inner: &'a dyn ScoreSource,
        scale: f32,
        mut rows: Vec<f32>,
        mut columns: Vec<f32>,
    ) -> Adjusted<'a> {
        rows.resize(inner.rows(), 0.0);
        columns.resize(inner.columns(), 0.0);
        Adjusted { inner, scale, rows, columns }
    }
}

impl ScoreSource for Adjusted<'_> {
    fn rows(&self) -> usize {
        self.inner.rows()
    }

    fn columns(&self) -> usize {
        self.inner.columns()
    }

    fn fill(&self, first: usize, out: &mut [f32]) {
        self.inner.fill(first, out);
        for (scores, row) in out.chunks_mut(self.columns.len().max(1)).zip(&self.rows[first..]) {
            for (score, column) in scores.iter_mut().zip(&self.columns) {
                // Row and column first, so that the transpose rounds the same way.
                *score = self.scale * *score + (row + column);
            }
        }
    }

    fn transposed(&self) -> Box<dyn ScoreSource + '_> {
        Box::new(Transposed {
            inner: self.inner.transposed(),
            scale: self.scale,
            rows: &self.columns,
            columns: &self.rows,
        })
    }
}

struct Transposed<'a> {
    inner: Box<dyn ScoreSource + 'a>,
    scale: f32,
    rows: &'a [f32],
    columns: &'a [f32],
}

impl ScoreSource for Transposed<'_> {
    fn rows(&self) -> usize {
        self.inner.rows()
    }

    fn columns(&self) -> usize {
        self.inner.columns()
    }

    fn fill(&self, first: usize, out: &mut [f32]) {
        let inner: &dyn ScoreSource = self.inner.as_ref();
        let adjusted = Adjusted::new(inner, self.scale, self.rows.to_vec(), self.columns.to_vec());
        adjusted.fill(first, out);
    }

    fn transposed(&self) -> Box<dyn ScoreSource + '_> {
        Box::new(Transposed {
            inner: self.inner.transposed(),
            scale: self.scale,
            rows: self.columns,
            columns: self.rows,
        })
    }
}
