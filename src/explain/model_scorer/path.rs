//! Gradients of a model's log-odds along a path of embeddings.
//!
//! The model's backward pass sums the gradients of all occurrences of a token. So the path uses an embedding table of its
//! own with one row for every token of every point: a single batch, in which each row has the gradient of one occurrence.

use super::{
    super::{
        piece::{Piece, PiecePair, Side},
        scorer::{GradientPath, Variant},
    },
    ModelScorer, log_sum_exp,
};
use crate::model::{
    Gradients, Mode, ModelError, Packed, Scores, Vectors, Weights, backward, encode, scores, scores_backward,
};

impl<N: Fn(&Piece) -> Option<u32> + Sync> ModelScorer<'_, N> {
    /// For each piece, its embedding times the mean gradient.
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
        for side in Side::BOTH {
            let token_ids = self.token_ids(pair.side(side));
            for &point in &points {
                let scale = |index: usize| if moved.side(side)[index] { point } else { 1.0 };
                packed.push(0, &self.add_document(&token_ids, scale, &mut occurrences));
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
            let token_ids = self.token_ids(pair.side(side));
            let read = token_ids.iter().enumerate().filter(|(_, token_id)| token_id.is_some());
            // The row after START belongs to the first piece that is read.
            for ((piece, token_id), &row) in read.zip(packed.document(index).iter().skip(1)) {
                let word = token_id.map_or(&[][..], |token_id| word(self.weights, token_id));
                let gradient = gradients.words.row(row).unwrap_or(&[]);
                let product: f64 =
                    word.iter().zip(gradient).map(|(word, by)| f64::from(*word) * f64::from(*by)).sum();
                sums[side as usize][piece] += product / points.len() as f64;
            }
        }
        Ok(sums)
    }

    /// A document whose tokens are new rows of the table.
    fn add_document(
        &self,
        token_ids: &[Option<u32>],
        scale: impl Fn(usize) -> f32,
        table: &mut OccurrenceTable,
    ) -> Vec<u32> {
        let middle = token_ids
            .iter()
            .enumerate()
            .filter_map(|(index, token_id)| Some((*token_id.as_ref()?, scale(index))));
        let whole =
            [(self.tokenizer.start, 1.0)].into_iter().chain(middle).chain([(self.tokenizer.end, 1.0)]);
        whole.take(self.tokenizer.max_length).map(|(token_id, scale)| table.add(token_id, scale)).collect()
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
}

impl<'a> OccurrenceTable<'a> {
    fn new(weights: &'a Weights) -> OccurrenceTable<'a> {
        // Row 0 is the padding.
        OccurrenceTable { weights, words: vec![0.0; weights.shape().width] }
    }

    /// Adds a row: a token's embedding, scaled.
    fn add(&mut self, token_id: u32, scale: f32) -> u32 {
        let row = self.words.len() / self.weights.shape().width;
        self.words.extend(word(self.weights, token_id).iter().map(|value| value * scale));
        row as u32
    }

    /// The model's weights with this embedding table.
    fn weights(self) -> Result<Weights, ModelError> {
        let mut shape = self.weights.shape().clone();
        shape.vocabulary = self.words.len() / shape.width;
        let mut weights = Weights::zeros(&shape)?;
        weights.words = self.words;
        weights.dense.copy_from_slice(&self.weights.dense);
        Ok(weights)
    }
}

/// The embedding of a token. An unknown id, which scoring has rejected before, has that of the padding.
fn word(weights: &Weights, token_id: u32) -> &[f32] {
    let width = weights.shape().width;
    let start = token_id as usize * width;
    weights.words.get(start..start + width).unwrap_or(&weights.words[..width])
}
