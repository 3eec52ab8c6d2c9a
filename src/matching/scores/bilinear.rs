//! The neural score, s' W p + b, from one vector per statement and per proof.

use super::{Packed, ScoreSource};

/// The matrix W, row by row, and the bias b.
#[derive(Clone, Debug)]
pub struct Bilinear {
    pub weight: Vec<f32>,
    pub bias: f32,
}

/// Vectors that do not fit together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    #[error("cannot score: {found} numbers cannot be split into vectors of dimension {width}")]
    Vectors { found: usize, width: usize },
    #[error("cannot score: the weight matrix of dimension {width} needs {} numbers, found {found}", width * width)]
    Weight { found: usize, width: usize },
}

/// The scores of all statements with all proofs.
#[derive(Clone, Debug)]
pub struct BilinearScores {
    /// s' W of each statement, concatenated.
    left: Vec<f32>,
    /// The proofs, as given and packed.
    right: Vec<f32>,
    packed: Packed,
    bias: f32,
}

impl Bilinear {
    /// s' W of each statement, concatenated as the statements are.
    pub fn project(&self, statements: &[f32]) -> Vec<f32> {
        let width = self.weight.len().isqrt();
        let mut columns_of_weight = vec![0.0; width * width];
        for (row, values) in self.weight.chunks_exact(width.max(1)).enumerate() {
            for (column, &value) in values.iter().enumerate() {
                columns_of_weight[column * width + row] = value;
            }
        }
        let mut left = vec![0.0; statements.len()];
        Packed::new(&columns_of_weight, width).multiply(statements, &mut left);
        left
    }
}

impl BilinearScores {
    /// Takes concatenated vectors of `width` numbers.
    pub fn new(
        statements: &[f32],
        proofs: Vec<f32>,
        width: usize,
        bilinear: &Bilinear,
    ) -> Result<BilinearScores, ShapeError> {
        for found in [statements.len(), proofs.len()] {
            if width == 0 || !found.is_multiple_of(width) {
                return Err(ShapeError::Vectors { found, width });
            }
        }
        if bilinear.weight.len() != width * width {
            return Err(ShapeError::Weight { found: bilinear.weight.len(), width });
        }
        let left = bilinear.project(statements);
        let packed = Packed::new(&proofs, width);
        Ok(BilinearScores { left, right: proofs, packed, bias: bilinear.bias })
    }
}

impl ScoreSource for BilinearScores {
    fn rows(&self) -> usize {
        self.left.len() / self.packed.width()
    }

    fn columns(&self) -> usize {
        self.packed.columns()
    }

    fn fill(&self, first: usize, out: &mut [f32]) {
        let width = self.packed.width();
        let rows = out.len().checked_div(self.columns()).unwrap_or(0);
        self.packed.multiply(&self.left[first * width..][..rows * width], out);
        out.iter_mut().for_each(|score| *score += self.bias);
    }

    fn transposed(&self) -> Box<dyn ScoreSource + '_> {
        Box::new(BilinearScores {
            left: self.right.clone(),
            right: self.left.clone(),
            packed: Packed::new(&self.left, self.packed.width()),
            bias: self.bias,
        })
    }

    fn selected_source(&self, rows: &[u32], columns: &[u32]) -> Box<dyn ScoreSource> {
        let width = self.packed.width();
        let gathered = |vectors: &[f32], chosen: &[u32]| -> Vec<f32> {
            chosen.iter().flat_map(|&vector| &vectors[vector as usize * width..][..width]).copied().collect()
        };
        let right = gathered(&self.right, columns);
        let packed = Packed::new(&right, width);
        Box::new(BilinearScores { left: gathered(&self.left, rows), right, packed, bias: self.bias })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::matching::scores::Matrix;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn every_score_is_the_bilinear_form(
            rows in 1usize..20,
            columns in 1usize..110,
            width in 1usize..9,
            numbers in prop::collection::vec(-2.0f32..2.0, 8 * 130 + 64),
        ) {
            let (statements, rest) = numbers.split_at(rows * width);
            let (proofs, rest) = rest.split_at(columns * width);
            let bilinear = Bilinear { weight: rest[..width * width].to_vec(), bias: 0.25 };
            let scores = BilinearScores::new(statements, proofs.to_vec(), width, &bilinear).unwrap();
            let found = Matrix::of(&scores);
            for (row, statement) in statements.chunks(width).enumerate() {
                for (column, proof) in proofs.chunks(width).enumerate() {
                    let mut expected = 0.25f64;
                    for (weights, left) in bilinear.weight.chunks(width).zip(statement) {
                        for (weight, right) in weights.iter().zip(proof) {
                            expected += f64::from(*left) * f64::from(*weight) * f64::from(*right);
                        }
                    }
                    let score = f64::from(found.values()[row * columns + column]);
                    prop_assert!((score - expected).abs() < 1e-3, "{row} {column}: {score} {expected}");
                }
            }
            let transposed = scores.transposed();
            prop_assert_eq!(Matrix::of(Matrix::of(transposed.as_ref()).transposed().as_ref()), found);
            let chosen = |count: usize| (0..count as u32).rev().step_by(2).collect::<Vec<_>>();
            let (rows, columns) = (chosen(rows), chosen(columns));
            let expected = Matrix::selection_of(&scores, &rows, &columns);
            prop_assert_eq!(Matrix::of(scores.selected_source(&rows, &columns).as_ref()), expected);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let bilinear = Bilinear { weight: vec![1.0; 4], bias: 0.0 };
        let error = BilinearScores::new(&[1.0; 3], vec![1.0; 4], 2, &bilinear).unwrap_err();
        assert_eq!(error.to_string(), "cannot score: 3 numbers cannot be split into vectors of dimension 2");
        let error = BilinearScores::new(&[1.0; 3], vec![1.0; 3], 3, &bilinear).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot score: the weight matrix of dimension 3 needs 9 numbers, found 4"
        );
    }
}
