//! A trained model as a scorer.
//!
//! # What its probability means
//!
//! The model is trained by a softmax over the proofs of a batch, which does not change when a number that
//! depends on the statement alone is added to all of its scores. So `s' W p + b` says nothing by itself; only
//! its difference to other proofs does. The log-odds of a match are therefore those of the training
//! softmax itself: the score of the proof less the log-sum-exp of the scores of reference proofs with the
//! same (shortened) statement,
//!
//! ```text
//! P(match) = exp score(s, p) / (exp score(s, p) + sum over references of exp score(s, r))
//! ```
//!
//! which is the probability that the model picks this proof from this batch. A single reference asks "why
//! this proof rather than that one". Without references the score itself is taken: its absolute value means
//! nothing then, but weights of the proof's pieces do not depend on the choice up to the logistic's slope.
//! A temperature above 1 flattens the odds of a model that is too sure for its probability to move.

mod path;

use std::collections::HashMap;

use super::{
    error::ExplainError,
    piece::{Piece, PiecePair},
    scorer::{GradientPath, PairScorer, Variant},
};
use crate::model::{Mode, ModelError, Packed, Vectors, Weights, encode_only, project, projected_scores};

/// How a text becomes the model's numbers.
#[derive(Clone, Copy, Debug)]
pub struct Reading<N> {
    /// The number of a piece; none if the model does not read such pieces.
    pub number: N,
    pub start: u32,
    pub end: u32,
    /// The longest document, its start and end included.
    pub longest: usize,
}

/// A trained model. Its log-odds are those of the softmax that it was trained with, against reference proofs.
pub struct ModelScorer<'a, N> {
    weights: &'a Weights,
    reading: Reading<N>,
    references: Vectors,
    temperature: f64,
}

impl<'a, N: Fn(&Piece) -> Option<u32> + Sync> ModelScorer<'a, N> {
    pub fn new(weights: &'a Weights, reading: Reading<N>) -> ModelScorer<'a, N> {
        let references = Vectors::zeros(0, weights.shape().width);
        ModelScorer { weights, reading, references, temperature: 1.0 }
    }

    /// The same against these proofs.
    pub fn against(self, proofs: &[Vec<Piece>]) -> Result<Self, ModelError> {
        let proofs: Vec<&[Piece]> = proofs.iter().map(Vec::as_slice).collect();
        let references = self.vectors(&proofs)?;
        Ok(self.against_vectors(references))
    }

    /// The same against proofs that are encoded already.
    pub fn against_vectors(self, references: Vectors) -> Self {
        ModelScorer { references, ..self }
    }

    /// Encodes whole texts.
    pub fn vectors(&self, texts: &[&[Piece]]) -> Result<Vectors, ModelError> {
        let mut packed = Packed::new();
        for text in texts {
            let numbers = self.numbers(text);
            packed.push(0, &self.document(&numbers, |_| true));
        }
        encode_only(self.weights, &packed, Mode::Evaluate)
    }

    /// The score of a statement with a proof, and with every other one of these. These are bare scores, which can be
    /// compared with each other and with nothing else.
    pub fn scores(
        &self,
        statement: &[Piece],
        proof: &[Piece],
        others: &Vectors,
    ) -> Result<(f64, Vec<f64>), ModelError> {
        let both = self.vectors(&[statement, proof])?;
        let width = both.width;
        let projected = project(self.weights, &Vectors { width, values: both.row(0).to_vec() });
        let bias = f64::from(self.bias());
        let score = |proof: &[f32]| bias + product(projected.row(0), proof);
        let scores = others.values.chunks_exact(width).map(score).collect();
        Ok((score(both.row(1)), scores))
    }

    fn bias(&self) -> f32 {
        self.weights.parameter("score.bias").and_then(|bias| bias.first()).copied().unwrap_or_default()
    }

    /// The same with its log-odds divided by this; at least a millionth.
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = temperature.max(1e-6);
        self
    }

    /// The number of every piece that is read when nothing is left out. A long text is cut before, so that
    /// leaving words out does not bring in what the model never saw.
    fn numbers(&self, pieces: &[Piece]) -> Vec<Option<u32>> {
        let mut room = self.reading.longest.saturating_sub(1);
        let number = |piece| {
            let number = (self.reading.number)(piece).filter(|_| room > 0)?;
            room -= 1;
            Some(number)
        };
        pieces.iter().map(number).collect()
    }

    /// A document of the numbers whose place is kept.
    fn document(&self, numbers: &[Option<u32>], kept: impl Fn(usize) -> bool) -> Vec<u32> {
        let middle =
            numbers.iter().enumerate().filter(|(index, _)| kept(*index)).filter_map(|(_, number)| *number);
        let whole = [self.reading.start].into_iter().chain(middle).chain([self.reading.end]);
        whole.take(self.reading.longest).collect()
    }

    /// Each score less the log-sum-exp of the references' with the same statement.
    fn margins(&self, projected: &Vectors, proofs: &Vectors, pairs: &[(usize, usize)]) -> Vec<f64> {
        let bias = f64::from(self.bias());
        let rivals = if self.references.is_empty() {
            vec![0.0; projected.len()]
        } else {
            let scores = projected_scores(self.weights, projected, &self.references);
            (0..scores.rows()).map(|row| log_sum_exp(scores.row(row))).collect()
        };
        let score = |&(statement, proof): &(usize, usize)| {
            let score = product(projected.row(statement), proofs.row(proof)) + bias;
            (score - rivals[statement]) / self.temperature
        };
        pairs.iter().map(score).collect()
    }

    fn try_log_odds(&self, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ModelError> {
        // one batch for both sides, so that no thread waits between them
        let mut documents = Distinct::default();
        let (statement, proof) = (self.numbers(&pair.statement), self.numbers(&pair.proof));
        let pairs: Vec<(usize, usize)> = variants
            .iter()
            .map(|variant| {
                let statement = self.document(&statement, |index| variant.statement[index]);
                let proof = self.document(&proof, |index| variant.proof[index]);
                (documents.place(statement), documents.place(proof))
            })
            .collect();
        let vectors = encode_only(self.weights, &documents.packed, Mode::Evaluate)?;
        Ok(self.margins(&project(self.weights, &vectors), &vectors, &pairs))
    }
}

impl<N: Fn(&Piece) -> Option<u32> + Sync> PairScorer for ModelScorer<'_, N> {
    fn log_odds(&self, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
        let named = |source| ExplainError::Model { pair: pair.name.clone(), source };
        self.try_log_odds(pair, variants).map_err(named)
    }

    fn read(&self, pieces: &[Piece]) -> Vec<bool> {
        self.numbers(pieces).iter().map(Option::is_some).collect()
    }

    fn word_gradients(
        &self,
        pair: &PiecePair,
        moved: &Variant,
        path: GradientPath,
    ) -> Result<[Vec<f64>; 2], ExplainError> {
        let named = |source| ExplainError::Model { pair: pair.name.clone(), source };
        self.try_gradients(pair, moved, path).map_err(named)
    }
}

/// Documents of which equal ones are encoded once: a side that is not perturbed, or whose words were kept.
#[derive(Default)]
struct Distinct {
    packed: Packed,
    places: HashMap<Vec<u32>, usize>,
}

impl Distinct {
    fn place(&mut self, document: Vec<u32>) -> usize {
        if let Some(&place) = self.places.get(&document) {
            return place;
        }
        let place = self.packed.len();
        self.packed.push(0, &document);
        self.places.insert(document, place);
        place
    }
}

fn product(left: &[f32], right: &[f32]) -> f64 {
    left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
}

fn log_sum_exp(values: &[f32]) -> f64 {
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = values.iter().map(|value| (f64::from(*value) - f64::from(largest)).exp()).sum();
    f64::from(largest) + sum.ln()
}
