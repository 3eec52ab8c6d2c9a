//! Gradients of a model's log-odds along a path of embeddings.
//!
//! The model's backward pass sums the gradients of all occurrences of a token. So the path uses an embedding table of its
//! own with one row for every token of every point: a single batch, in which each row has the gradient of one occurrence.

use super::{
    super::{
        piece::{Piece, PiecePair, Side},
        scorer::{GradientPath, Variant},
    },
    ModelInput, ModelScorer, PieceReader, log_sum_exp,
};
use crate::model::{
    Gradients, Mode, ModelError, Packed, Scores, Vectors, Weights, backward, encode, scores, scores_backward,
};

impl<R: PieceReader> ModelScorer<'_, R> {
    /// For each piece, its embedding times the mean gradient. The pieces of a window share its value equally.
    pub(super) fn try_gradients(
        &self,
        pair: &PiecePair,
        moved: &Variant,
        path: GradientPath,
    ) -> Result<[Vec<f64>; 2], ModelError> {
        let points: Vec<f32> = match path {
            GradientPath::AtInput => vec![1.0],
            GradientPath::FromZero { steps } => {
                (0..steps).map(|step| (step as f32 + 0.5) / steps as f32).collect()
            }
        };
        let mut occurrences = OccurrenceTable::new(self.weights);
        let mut packed = Packed::new();
        let read = Side::BOTH.map(|side| self.inputs(pair.side(side)));
        for side in Side::BOTH {
            for &point in &points {
                let scale = |input: &ModelInput| {
                    let is_moved = input.pieces.iter().any(|piece| moved.side(side)[*piece as usize]);
                    if is_moved { point } else { 1.0 }
                };
                let inputs = read[side as usize].iter();
                let rows: Vec<u32> = inputs.map(|input| occurrences.add(input, scale(input))).collect();
                packed.push(0, &rows);
            }
        }
        let table = occurrences.weights()?;
        let (vectors, saved) = encode(&table, &packed, Mode::Evaluate)?;
        let mut gradients = Gradients::new(&table);
        let by_vectors = self.vector_gradients(&table, &vectors, points.len(), &mut gradients);
        backward(&table, saved, &by_vectors, &mut gradients)?;
        let mut sums = Side::BOTH.map(|side| vec![0.0; pair.side(side).len()]);
        for (index, side) in
            (0..packed.len()).zip(Side::BOTH.iter().flat_map(|side| points.iter().map(move |_| *side)))
        {
            for (input, &row) in read[side as usize].iter().zip(packed.document(index)) {
                let (word, _) = self.weights.embedding(input.id);
                let gradient = gradients.words.row(row).unwrap_or(&[]);
                let product: f64 =
                    word.iter().zip(gradient).map(|(word, by)| f64::from(*word) * f64::from(*by)).sum();
                let share = f64::from(input.share) / (points.len() * input.pieces.len().max(1)) as f64;
                for piece in &input.pieces {
                    sums[side as usize][*piece as usize] += product * share;
                }
            }
        }
        Ok(sums)
    }

    /// The inputs of a text as far as the model reads them; at least one.
    fn inputs(&self, pieces: &[Piece]) -> Vec<ModelInput> {
        let mut inputs = self.reader.inputs(pieces);
        let whole = self.reader.document(&inputs, &|_| true);
        // a text without a known token is read as one special id
        let missing =
            whole.iter().skip(inputs.len()).map(|id| ModelInput { id: *id, pieces: Vec::new(), share: 1.0 });
        inputs.extend(missing);
        inputs.truncate(whole.len());
        inputs
    }

    /// The gradient of the summed log-odds of all points with respect to the vectors: statements, then proofs.
    fn vector_gradients(
        &self,
        table: &Weights,
        vectors: &Vectors,
        points: usize,
        gradients: &mut Gradients,
    ) -> Vectors {
        let width = vectors.width;
        let (statements, proofs) = vectors.values.split_at(points * width);
        let statements = Vectors { width, values: statements.to_vec() };
        let mut proofs = Vectors { width, values: proofs.to_vec() };
        proofs.values.extend(&self.references.values);
        let given = scores(table, &statements, &proofs);
        let mut by_scores = Scores::zeros(points, proofs.len());
        for (point, row) in by_scores.values.chunks_exact_mut(proofs.len()).enumerate() {
            let rivals = &given.row(point)[points..];
            let sum = log_sum_exp(rivals);
            row[point] = (1.0 / self.temperature) as f32;
            for (gradient, &rival) in row[points..].iter_mut().zip(rivals) {
                *gradient = (-(f64::from(rival) - sum).exp() / self.temperature) as f32;
            }
        }
        let (by_statements, by_proofs) = scores_backward(table, &statements, &proofs, &by_scores, gradients);
        let mut values = by_statements.values;
        values.extend(&by_proofs.values[..points * width]);
        Vectors { width, values }
    }
}

/// An embedding table with a row for every occurrence.
struct OccurrenceTable<'a> {
    weights: &'a Weights,
    words: Vec<f32>,
    /// The weight of each row, where features have weights.
    by_row: Vec<f32>,
}

impl<'a> OccurrenceTable<'a> {
    fn new(weights: &'a Weights) -> OccurrenceTable<'a> {
        // Row 0 is the padding.
        OccurrenceTable { weights, words: vec![0.0; weights.shape().width], by_row: vec![0.0] }
    }

    /// Adds a row: an input's embedding, scaled.
    fn add(&mut self, input: &ModelInput, scale: f32) -> u32 {
        let row = self.words.len() / self.weights.shape().width;
        let scale = input.share * scale;
        let (vector, weight) = self.weights.embedding(input.id);
        self.words.extend(vector.iter().map(|value| value * scale));
        self.by_row.push(weight);
        row as u32
    }

    /// The model's weights with this embedding table.
    fn weights(self) -> Result<Weights, ModelError> {
        let mut shape = self.weights.shape().clone();
        shape.vocabulary = self.words.len() / shape.width;
        let mut weights = Weights::zeros(&shape)?;
        weights.words = self.words;
        // the dense weights after the feature weights are unchanged
        let by_row = weights.feature_weights().len();
        let by_feature = self.weights.feature_weights().len();
        weights.dense[by_row..].copy_from_slice(&self.weights.dense[by_feature..]);
        weights.feature_weights_mut().copy_from_slice(&self.by_row[..by_row]);
        Ok(weights)
    }
}
