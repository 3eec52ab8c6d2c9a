//! From token counts to vectors.

use super::{Baseline, Documents, Weighting};
use crate::matching::scores::{SparseScores, SparseVectors};

pub fn scores(baseline: Baseline, documents: &Documents) -> SparseScores {
    let weighting = Weighting::new(baseline, documents.tokens);
    let inverse = inverse_frequencies(weighting, documents);
    let [rows, columns] = [&documents.statements, &documents.proofs].map(|side| {
        let mut vectors = SparseVectors::default();
        for counted in side {
            vectors.push(weighting.vector(counted, |token| inverse[token as usize]));
        }
        vectors
    });
    SparseScores::new(rows, columns, weighting.measure())
}

fn inverse_frequencies(weighting: Weighting, documents: &Documents) -> Vec<f64> {
    let sides = || documents.statements.iter().chain(&documents.proofs);
    let mut frequencies = vec![0u32; documents.vocabulary];
    for &(token, _) in sides().flatten() {
        frequencies[token as usize] += 1;
    }
    let texts = sides().count();
    frequencies.into_iter().map(|found| weighting.inverse_frequency(found, texts)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{baseline::Tokens, scores::Matrix};

    fn documents() -> Documents {
        Documents {
            statements: vec![vec![(0, 2), (1, 1)], vec![(2, 1)]],
            proofs: vec![vec![(0, 1), (2, 3)], vec![]],
            vocabulary: 3,
            tokens: Tokens::Every,
            ..Documents::default()
        }
    }

    #[test]
    fn cosines_are_of_weighted_counts() {
        let scores = Matrix::of(&Baseline::TfidfPlain.scores(&documents()));
        let [common, rare] = [(5.0f64 / 3.0).ln() + 1.0, (5.0f64 / 2.0).ln() + 1.0];
        let first = 2.0 * common * common / ((2.0 * common).hypot(rare) * common.hypot(3.0 * common));
        let second = 3.0 / 10.0f64.sqrt();
        for (found, expected) in scores.values().iter().zip([first, 0.0, second, 0.0]) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn counts_of_features_saturate() {
        let features = Documents { tokens: Tokens::Features, ..documents() };
        let scores = Matrix::of(&Baseline::Tfidf.scores(&features));
        let [common, rare] = [(5.0f64 / 3.0).ln(), (5.0f64 / 2.0).ln()];
        let (twice, thrice) = (2.0 / 3.0 * common, 0.75 * common);
        let first = twice * 0.5 * common / (twice.hypot(0.5 * rare) * (0.5 * common).hypot(thrice));
        assert!((f64::from(scores.values()[0]) - first).abs() < 1e-6, "{first}");
        let everywhere = Documents {
            statements: vec![vec![(0, 1)]],
            proofs: vec![vec![(0, 1)]],
            vocabulary: 1,
            ..Documents::default()
        };
        assert_eq!(Matrix::of(&Baseline::Tfidf.scores(&everywhere)).values(), [0.0]);
    }

    #[test]
    fn dice_ignores_how_often() {
        let scores = Matrix::of(&Baseline::Dice.scores(&documents()));
        assert_eq!(scores.values(), [0.5, 0.0, 2.0 / 3.0, 0.0]);
    }
}
