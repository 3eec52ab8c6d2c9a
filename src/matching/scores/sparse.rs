//! Scores of sparse vectors: cosine and Dice, through an inverted index of the proofs.
//!
//! A row of scores costs one addition per occurrence of its terms in the proofs. Terms are added in
//! ascending order whichever side is the row, so a score has the same bits in the transpose.

use serde::{Deserialize, Serialize};

use super::ScoreSource;

/// Vectors of terms and weights, concatenated; the terms of a vector are ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseVectors {
    starts: Vec<usize>,
    terms: Vec<u32>,
    weights: Vec<f32>,
}

/// How the products of two vectors become a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// The sum of the products, which is the cosine of unit vectors.
    Product,
    /// Twice the sum divided by the number of terms of both vectors: Dice's coefficient if all weights are one.
    Dice,
}

/// The scores of all rows with all columns.
#[derive(Clone, Debug)]
pub struct SparseScores {
    measure: Measure,
    rows: SparseVectors,
    columns: SparseVectors,
    /// The inverted index: one vector per term, whose terms are columns.
    postings: SparseVectors,
}

impl Default for SparseVectors {
    fn default() -> SparseVectors {
        SparseVectors { starts: vec![0], terms: Vec::new(), weights: Vec::new() }
    }
}

impl SparseVectors {
    /// Adds a vector, whose terms must be ascending.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, f32)>) {
        let start = self.terms.len();
        for (term, weight) in entries {
            debug_assert!(
                self.terms.len() == start || self.terms.last() < Some(&term),
                "terms must be in ascending order"
            );
            self.terms.push(term);
            self.weights.push(weight);
        }
        self.starts.push(self.terms.len());
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of terms of a vector.
    pub fn size(&self, vector: usize) -> usize {
        self.starts[vector + 1] - self.starts[vector]
    }

    /// Terms and weights of a vector.
    pub fn entries(&self, vector: usize) -> (&[u32], &[f32]) {
        let range = self.starts[vector]..self.starts[vector + 1];
        (&self.terms[range.clone()], &self.weights[range])
    }

    /// Some of the vectors, in the order given.
    fn selected(&self, chosen: &[u32]) -> SparseVectors {
        let mut vectors = SparseVectors::default();
        for &vector in chosen {
            let (terms, weights) = self.entries(vector as usize);
            vectors.push(terms.iter().copied().zip(weights.iter().copied()));
        }
        vectors
    }

    /// The vectors that contain each term.
    fn inverted(&self) -> SparseVectors {
        let terms = self.terms.iter().max().map_or(0, |&term| term as usize + 1);
        let mut starts = vec![0; terms + 1];
        self.terms.iter().for_each(|&term| starts[term as usize + 1] += 1);
        for term in 0..terms {
            starts[term + 1] += starts[term];
        }
        let mut next = starts.clone();
        let (mut vectors, mut weights) = (vec![0; self.terms.len()], vec![0.0; self.terms.len()]);
        for vector in 0..self.len() {
            let (terms, values) = self.entries(vector);
            for (&term, &weight) in terms.iter().zip(values) {
                let place = &mut next[term as usize];
                (vectors[*place], weights[*place]) = (vector as u32, weight);
                *place += 1;
            }
        }
        SparseVectors { starts, terms: vectors, weights }
    }
}

impl SparseScores {
    pub fn new(rows: SparseVectors, columns: SparseVectors, measure: Measure) -> SparseScores {
        let postings = columns.inverted();
        SparseScores { measure, rows, columns, postings }
    }

    fn fill_row(&self, row: usize, out: &mut [f32]) {
        out.fill(0.0);
        let (terms, weights) = self.rows.entries(row);
        for (&term, &weight) in terms.iter().zip(weights) {
            if term as usize >= self.postings.len() {
                break;
            }
            let (columns, others) = self.postings.entries(term as usize);
            for (&column, &other) in columns.iter().zip(others) {
                out[column as usize] += weight * other;
            }
        }
        if self.measure == Measure::Dice {
            let size = self.rows.size(row);
            for (column, score) in out.iter_mut().enumerate() {
                let sizes = (size + self.columns.size(column)) as f32;
                *score = if sizes > 0.0 { 2.0 * *score / sizes } else { 0.0 };
            }
        }
    }
}

impl ScoreSource for SparseScores {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn columns(&self) -> usize {
        self.columns.len()
    }

    fn fill(&self, first: usize, out: &mut [f32]) {
        for (offset, row) in out.chunks_mut(self.columns.len().max(1)).enumerate() {
            self.fill_row(first + offset, row);
        }
    }

    fn transposed(&self) -> Box<dyn ScoreSource + '_> {
        Box::new(SparseScores::new(self.columns.clone(), self.rows.clone(), self.measure))
    }

    fn selected_source(&self, rows: &[u32], columns: &[u32]) -> Box<dyn ScoreSource> {
        let (rows, columns) = (self.rows.selected(rows), self.columns.selected(columns));
        Box::new(SparseScores::new(rows, columns, self.measure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::scores::Matrix;

    fn vectors(rows: &[&[(u32, f32)]]) -> SparseVectors {
        let mut vectors = SparseVectors::default();
        rows.iter().for_each(|row| vectors.push(row.iter().copied()));
        vectors
    }

    #[test]
    fn products_are_summed_over_shared_terms() {
        let rows = vectors(&[&[(0, 1.0), (3, 2.0)], &[], &[(9, 1.0)]]);
        let columns = vectors(&[&[(3, 0.5)], &[(0, 3.0), (3, 1.0), (4, 7.0)]]);
        let scores = SparseScores::new(rows, columns, Measure::Product);
        assert_eq!(Matrix::of(&scores).values(), [1.0, 5.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(Matrix::of(scores.transposed().as_ref()).values(), [1.0, 0.0, 0.0, 5.0, 0.0, 0.0]);
    }

    #[test]
    fn selections_keep_the_scores() {
        let rows = vectors(&[&[(0, 1.0), (3, 2.0)], &[], &[(9, 1.0), (12, 3.0)]]);
        let columns = vectors(&[&[(3, 0.5)], &[(0, 3.0), (3, 1.0), (4, 7.0)], &[(9, 2.0)]]);
        for measure in [Measure::Product, Measure::Dice] {
            let scores = SparseScores::new(rows.clone(), columns.clone(), measure);
            let (chosen_rows, chosen_columns) = ([2, 0], [1, 2, 0]);
            let selected = scores.selected_source(&chosen_rows, &chosen_columns);
            assert_eq!((selected.rows(), selected.columns()), (2, 3));
            let expected = Matrix::selection_of(&scores, &chosen_rows, &chosen_columns);
            assert_eq!(Matrix::of(selected.as_ref()), expected);
        }
    }

    #[test]
    fn dice_counts_what_is_shared() {
        let rows = vectors(&[&[(0, 1.0), (3, 1.0)], &[]]);
        let columns = vectors(&[&[(3, 1.0)], &[]]);
        let scores = SparseScores::new(rows, columns, Measure::Dice);
        assert_eq!(Matrix::of(&scores).values(), [2.0 / 3.0, 0.0, 0.0, 0.0]);
    }
}
