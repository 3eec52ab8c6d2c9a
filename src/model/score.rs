//! The bilinear score of every statement with every proof: `S W P' + b`.

use rayon::prelude::*;

use super::{
    Gradients, Vectors, Weights,
    kernels::product::{Output, View, ViewMut, product},
};

/// Rows that one thread computes at a time; fixed, so that the bits do not depend on the number of threads.
const BLOCK: usize = 64;

/// A matrix of scores: one row per statement, one column per proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    pub columns: usize,
    pub values: Vec<f32>,
}

impl Scores {
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { columns, values: vec![0.0; rows * columns] }
    }

    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    pub fn row(&self, index: usize) -> &[f32] {
        &self.values[index * self.columns..][..self.columns]
    }

    /// The share of rows whose unique maximum is on the diagonal.
    pub fn accuracy(&self) -> f32 {
        let is_found = |row: &usize| {
            let gold = self.at(*row, *row);
            self.row(*row).iter().filter(|&&score| score >= gold).count() == 1
        };
        (0..self.rows()).filter(is_found).count() as f32 / self.rows().max(1) as f32
    }

    pub fn at(&self, row: usize, column: usize) -> f32 {
        self.values[row * self.columns + column]
    }
}

/// The scores of all pairs. For a large evaluation, [`project`] the statements once and score in blocks.
pub fn scores(weights: &Weights, statements: &Vectors, proofs: &Vectors) -> Scores {
    projected_scores(weights, &project(weights, statements), proofs)
}

/// `S W`: the score is its dot product with the proof, plus the bias.
pub fn project(weights: &Weights, statements: &Vectors) -> Vectors {
    let (count, width) = (statements.len(), statements.width);
    let mut out = Vectors::zeros(count, width);
    let weight = View::new(weights.score_weight(), width, width, width);
    by_rows(&mut out.values, count, width, Output::Replaced, matrix(statements), weight);
    out
}

/// The scores of projected statements.
pub fn projected_scores(weights: &Weights, projected: &Vectors, proofs: &Vectors) -> Scores {
    let mut scores = Scores::zeros(projected.len(), proofs.len());
    let (rows, columns) = (projected.len(), proofs.len());
    scores.values.fill(weights.score_bias());
    let right = matrix(proofs).transposed();
    by_rows(&mut scores.values, rows, columns, Output::AddedTo, matrix(projected), right);
    scores
}

/// Adds the gradients of the score's weights, and returns those of the statements' and proofs' vectors.
pub fn scores_backward(
    weights: &Weights,
    statements: &Vectors,
    proofs: &Vectors,
    gradient: &Scores,
    gradients: &mut Gradients,
) -> (Vectors, Vectors) {
    let (rows, columns, width) = (gradient.rows(), gradient.columns, statements.width);
    let weight = View::new(weights.score_weight(), width, width, width);
    let given = View::new(&gradient.values, rows, columns, columns);
    // the gradient with respect to S W, from which those of S and W follow
    let mut by_projected = Vectors::zeros(rows, width);
    by_rows(&mut by_projected.values, rows, width, Output::Replaced, given, matrix(proofs));
    let mut by_statements = Vectors::zeros(rows, width);
    let left = matrix(&by_projected);
    by_rows(&mut by_statements.values, rows, width, Output::Replaced, left, weight.transposed());
    let projected = project(weights, statements);
    let mut by_proofs = Vectors::zeros(columns, width);
    let left = given.transposed();
    by_rows(&mut by_proofs.values, columns, width, Output::Replaced, left, matrix(&projected));
    let layout = weights.layout();
    let by_weight = &mut gradients.dense[layout.score_weight.clone()];
    let left = matrix(statements).transposed();
    by_rows(by_weight, width, width, Output::AddedTo, left, matrix(&by_projected));
    gradients.dense[layout.score_bias.start] +=
        gradient.values.iter().map(|&value| f64::from(value)).sum::<f64>() as f32;
    (by_statements, by_proofs)
}

pub(super) fn matrix(vectors: &Vectors) -> View<'_> {
    View::new(&vectors.values, vectors.len(), vectors.width, vectors.width)
}

pub(super) fn by_rows(out: &mut [f32], rows: usize, columns: usize, output: Output, left: View, right: View) {
    if rows == 0 || columns == 0 {
        return;
    }
    out.par_chunks_mut(BLOCK * columns).enumerate().for_each(|(block, out)| {
        let start = block * BLOCK;
        let count = BLOCK.min(rows - start);
        product(
            ViewMut::new(out, count, columns, columns),
            output,
            1.0,
            left.rows(start..start + count),
            right,
        );
    });
}

#[cfg(test)]
mod tests {
    use super::{super::NptShape, *};

    fn vectors(count: usize, salt: usize) -> Vectors {
        let values = (0..count * 6).map(|index| (((index + salt) * 29 % 17) as f32 - 8.0) / 5.0).collect();
        Vectors { width: 6, values }
    }

    #[test]
    fn a_score_is_the_bilinear_form() {
        let weights = Weights::new(&NptShape { width: 6, ..NptShape::tiny(4) }, 1).unwrap();
        let (statements, proofs) = (vectors(70, 1), vectors(3, 2));
        let found = scores(&weights, &statements, &proofs);
        for (row, column) in [(0, 0), (69, 2), (64, 1)] {
            let mut expected = f64::from(weights.score_bias());
            for i in 0..6 {
                for j in 0..6 {
                    let weight = f64::from(weights.score_weight()[i * 6 + j]);
                    expected += f64::from(statements.row(row)[i]) * weight * f64::from(proofs.row(column)[j]);
                }
            }
            assert!((f64::from(found.at(row, column)) - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn without_statements_or_proofs_there_are_no_scores() {
        let weights = Weights::new(&NptShape { width: 6, ..NptShape::tiny(4) }, 1).unwrap();
        for (rows, columns) in [(3, 0), (0, 3), (0, 0)] {
            let found = scores(&weights, &vectors(rows, 1), &vectors(columns, 2));
            assert_eq!((found.rows(), found.values.len()), (0, 0));
        }
    }

    #[test]
    fn the_gradient_matches_finite_differences() {
        let mut weights = Weights::new(&NptShape { width: 6, ..NptShape::tiny(4) }, 1).unwrap();
        let (mut statements, mut proofs) = (vectors(5, 1), vectors(4, 2));
        let wanted = Scores { columns: 4, values: vectors(4, 3).values[..20].to_vec() };
        let mut gradients = Gradients::new(&weights);
        let (by_statements, by_proofs) =
            scores_backward(&weights, &statements, &proofs, &wanted, &mut gradients);
        let loss = |weights: &Weights, statements: &Vectors, proofs: &Vectors| -> f64 {
            let found = scores(weights, statements, proofs);
            found.values.iter().zip(&wanted.values).map(|(score, weight)| f64::from(score * weight)).sum()
        };
        // the score is linear in each argument, so a large step is exact
        let base = loss(&weights, &statements, &proofs);
        let near =
            |found: f32, moved: f64| assert!((f64::from(found) - (moved - base)).abs() < 2e-4, "{found}");
        for index in 0..by_statements.values.len() {
            statements.values[index] += 1.0;
            near(by_statements.values[index], loss(&weights, &statements, &proofs));
            statements.values[index] -= 1.0;
        }
        for index in 0..by_proofs.values.len() {
            proofs.values[index] += 1.0;
            near(by_proofs.values[index], loss(&weights, &statements, &proofs));
            proofs.values[index] -= 1.0;
        }
        for index in weights.layout().score_weight.start..weights.layout().score_bias.end {
            weights.dense[index] += 1.0;
            near(gradients.dense[index], loss(&weights, &statements, &proofs));
            weights.dense[index] -= 1.0;
        }
    }
}
