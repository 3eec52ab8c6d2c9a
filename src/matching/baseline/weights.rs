//! From token counts to vectors.

use super::{Baseline, Documents};
use crate::matching::scores::{Measure, SparseScores, SparseVectors};

pub fn scores(baseline: Baseline, documents: &Documents) -> SparseScores {
    match baseline {
        Baseline::Tfidf => {
            let weights = inverse_frequencies(documents);
            let [rows, columns] =
                [&documents.statements, &documents.proofs].map(|side| weigh(side, &weights));
            SparseScores::new(rows, columns, Measure::Product)
        }
        Baseline::Dice => {
            let [rows, columns] = [&documents.statements, &documents.proofs].map(|side| ones(side));
            SparseScores::new(rows, columns, Measure::Dice)
        }
    }
}

/// ln((1 + n) / (1 + d)) + 1 for each token, with the smoothing of scikit-learn.
fn inverse_frequencies(documents: &Documents) -> Vec<f64> {
    let sides = || documents.statements.iter().chain(&documents.proofs);
    let mut frequencies = vec![0u32; documents.vocabulary];
    for &(token, _) in sides().flatten() {
        frequencies[token as usize] += 1;
    }
    let texts = 1.0 + sides().count() as f64;
    frequencies.into_iter().map(|found| (texts / (1.0 + f64::from(found))).ln() + 1.0).collect()
}

fn weigh(side: &[Vec<(u32, u32)>], weights: &[f64]) -> SparseVectors {
    let mut vectors = SparseVectors::default();
    for counted in side {
        let weight = |&(token, count): &(u32, u32)| f64::from(count) * weights[token as usize];
        let length = counted.iter().map(|entry| weight(entry).powi(2)).sum::<f64>().sqrt();
        vectors.push(counted.iter().map(|entry| (entry.0, (weight(entry) / length) as f32)));
    }
    vectors
}

fn ones(side: &[Vec<(u32, u32)>]) -> SparseVectors {
    let mut vectors = SparseVectors::default();
    for counted in side {
        vectors.push(counted.iter().map(|&(token, _)| (token, 1.0)));
    }
    vectors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::scores::Matrix;

    fn documents() -> Documents {
        Documents {
            statements: vec![vec![(0, 2), (1, 1)], vec![(2, 1)]],
            proofs: vec![vec![(0, 1), (2, 3)], vec![]],
            vocabulary: 3,
            ..Documents::default()
        }
    }

    #[test]
    fn cosines_are_of_weighted_counts() {
        let scores = Matrix::of(&Baseline::Tfidf.scores(&documents()));
        let [common, rare] = [(5.0f64 / 3.0).ln() + 1.0, (5.0f64 / 2.0).ln() + 1.0];
        let first = 2.0 * common * common / ((2.0 * common).hypot(rare) * common.hypot(3.0 * common));
        let second = 3.0 / 10.0f64.sqrt();
        for (found, expected) in scores.values().iter().zip([first, 0.0, second, 0.0]) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn dice_ignores_how_often() {
        let scores = Matrix::of(&Baseline::Dice.scores(&documents()));
        assert_eq!(scores.values(), [0.5, 0.0, 2.0 / 3.0, 0.0]);
    }
}
