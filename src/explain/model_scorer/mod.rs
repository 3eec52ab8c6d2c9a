//! A trained model as a [`PairScorer`].
//!
//! # The probability of a match
//!
//! The model is trained with a softmax over the proofs of a batch, which is invariant under adding a constant to all
//! scores of a statement. So `s' W p + b` means nothing by itself; only differences to other proofs do. The log-odds of a
//! match are therefore those of the training softmax: the score of the proof minus the log-sum-exp of the scores of
//! reference proofs with the same (shortened) statement,
//!
//! ```text
//! P(match) = exp score(s, p) / (exp score(s, p) + sum over references of exp score(s, r))
//! ```
//!
//! which is the probability that the model picks this proof from this batch. A single reference answers "why this proof
//! rather than that one". Without references the log-odds are the score itself: its absolute value is meaningless, but the
//! weights of the proof's pieces are unaffected up to the slope of the logistic function. A temperature above 1 flattens
//! the odds of a model whose probability is saturated.

mod path;
mod reader;

use std::collections::HashMap;

pub use self::reader::{ModelInput, PieceReader, PieceTokenizer};

use super::{
    error::ExplainError,
    piece::{Piece, PiecePair},
    scorer::{GradientPath, PairScorer, Variant},
};
use crate::model::{
    Mode, ModelError, Packed, Vectors, Weights, encode_only, project, projected_scores,
    resident::DeviceEncoder,
};

/// A trained model, with log-odds of its training softmax against reference proofs.
pub struct ModelScorer<'a, R> {
    weights: &'a Weights,
    reader: R,
    references: Vectors,
    temperature: f64,
    /// The engine of a device, if texts are not encoded on the CPU.
    encoder: Option<&'a DeviceEncoder>,
}

impl<'a, R: PieceReader> ModelScorer<'a, R> {
    pub fn new(weights: &'a Weights, reader: R) -> ModelScorer<'a, R> {
        let references = Vectors::zeros(0, weights.shape().width);
        ModelScorer { weights, reader, references, temperature: 1.0, encoder: None }
    }

    /// The same scorer, which encodes texts on a device if there is one.
    pub fn on(self, encoder: Option<&'a DeviceEncoder>) -> Self {
        ModelScorer { encoder, ..self }
    }

    fn encode(&self, documents: &Packed) -> Result<Vectors, ModelError> {
        match self.encoder {
            Some(encoder) => encoder.encode(documents),
            None => encode_only(self.weights, documents, Mode::Evaluate),
        }
    }

    /// The same scorer with these reference proofs.
    pub fn against(self, proofs: &[Vec<Piece>]) -> Result<Self, ModelError> {
        let proofs: Vec<&[Piece]> = proofs.iter().map(Vec::as_slice).collect();
        let references = self.vectors(&proofs)?;
        Ok(self.against_vectors(references))
    }

    /// The same scorer with encoded reference proofs.
    pub fn against_vectors(self, references: Vectors) -> Self {
        ModelScorer { references, ..self }
    }

    /// Encodes texts.
    pub fn vectors(&self, texts: &[&[Piece]]) -> Result<Vectors, ModelError> {
        let mut packed = Packed::new();
        for text in texts {
            packed.push(0, &self.reader.document(&self.reader.inputs(text), &|_| true));
        }
        self.encode(&packed)
    }

    /// The score of a statement with a proof, and with each of `others`. These are raw scores, comparable only with each
    /// other.
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

    /// The same scorer with its log-odds divided by `temperature`, which is at least 1e-6.
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = temperature.max(1e-6);
        self
    }

    /// Each score minus the log-sum-exp of the references' scores with the same statement.
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
        // One batch for both sides, so that no thread idles between them.
        let mut documents = Distinct::default();
        let (statement, proof) = (self.reader.inputs(&pair.statement), self.reader.inputs(&pair.proof));
        let pairs: Vec<(usize, usize)> = variants
            .iter()
            .map(|variant| {
                let statement = self.reader.document(&statement, &|index| variant.statement[index]);
                let proof = self.reader.document(&proof, &|index| variant.proof[index]);
                (documents.add(statement), documents.add(proof))
            })
            .collect();
        let vectors = self.encode(&documents.packed)?;
        Ok(self.margins(&project(self.weights, &vectors), &vectors, &pairs))
    }
}

impl<R: PieceReader> PairScorer for ModelScorer<'_, R> {
    fn log_odds(&self, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError> {
        let named = |source| ExplainError::Model { pair: pair.name.clone(), source };
        self.try_log_odds(pair, variants).map_err(named)
    }

    fn read(&self, pieces: &[Piece]) -> Vec<bool> {
        let mut read = vec![false; pieces.len()];
        let inputs = self.reader.inputs(pieces);
        inputs.iter().flat_map(|input| &input.pieces).for_each(|piece| read[*piece as usize] = true);
        read
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

/// Documents without duplicates: a side that is not perturbed is encoded once.
#[derive(Default)]
struct Distinct {
    packed: Packed,
    indices: HashMap<Vec<u32>, usize>,
}

impl Distinct {
    /// Adds a document unless it is there. Returns its index.
    fn add(&mut self, document: Vec<u32>) -> usize {
        if let Some(&index) = self.indices.get(&document) {
            return index;
        }
        let index = self.packed.len();
        self.packed.push(0, &document);
        self.indices.insert(document, index);
        index
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
