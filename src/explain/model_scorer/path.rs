//! The gradients of a model's log-odds on a path of word vectors.
//!
//! The model's backward pass sums the gradients of a word's occurrences. So the path has a word table of its
//! own, in which every place of every point is a word: one batch, and the gradient of a row is that of a place.

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
    /// For each piece its word vector times the mean gradient.
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
        let mut places = Places::new(self.weights);
        let mut packed = Packed::new();
        for side in Side::BOTH {
            let numbers = self.numbers(pair.side(side));
            for &point in &points {
                let scale = |index: usize| if moved.side(side)[index] { point } else { 1.0 };
                packed.push(0, &self.placed(&numbers, scale, &mut places));
            }
        }
        let table = places.weights()?;
        let (vectors, saved) = encode(&table, &packed, Mode::Evaluate)?;
        let mut gradients = Gradients::new(&table);
        let by_vectors = self.vector_gradients(&table, &vectors, points.len(), &mut gradients);
        backward(&table, saved, &by_vectors, &mut gradients)?;
        let mut sums = Side::BOTH.map(|side| vec![0.0; pair.side(side).len()]);
        for (index, side) in
            (0..packed.len()).zip(Side::BOTH.iter().flat_map(|side| points.iter().map(move |_| *side)))
        {
            let numbers = self.numbers(pair.side(side));
            let read = numbers.iter().enumerate().filter(|(_, number)| number.is_some());
            // the row after START belongs to the first piece that is read
            for ((place, number), &row) in read.zip(packed.document(index).iter().skip(1)) {
                let word = number.map_or(&[][..], |number| word(self.weights, number));
                let gradient = gradients.words.row(row).unwrap_or(&[]);
                let product: f64 =
                    word.iter().zip(gradient).map(|(word, by)| f64::from(*word) * f64::from(*by)).sum();
                sums[side as usize][place] += product / points.len() as f64;
            }
        }
        Ok(sums)
    }

    /// The document of a text in a table of places.
    fn placed(&self, numbers: &[Option<u32>], scale: impl Fn(usize) -> f32, places: &mut Places) -> Vec<u32> {
        let middle =
            numbers.iter().enumerate().filter_map(|(index, number)| Some((*number.as_ref()?, scale(index))));
        let whole = [(self.reading.start, 1.0)].into_iter().chain(middle).chain([(self.reading.end, 1.0)]);
        whole.take(self.reading.longest).map(|(number, scale)| places.add(number, scale)).collect()
    }

    /// The gradient of the sum of all points' log-odds by the vectors: statements, then proofs.
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

/// A word table with a row for every place.
struct Places<'a> {
    weights: &'a Weights,
    words: Vec<f32>,
}

impl<'a> Places<'a> {
    fn new(weights: &'a Weights) -> Places<'a> {
        // row 0 belongs to padding
        Places { weights, words: vec![0.0; weights.shape().width] }
    }

    /// A new row: a word's vector, scaled.
    fn add(&mut self, number: u32, scale: f32) -> u32 {
        let row = self.words.len() / self.weights.shape().width;
        self.words.extend(word(self.weights, number).iter().map(|value| value * scale));
        row as u32
    }

    /// The model with this table instead of its own.
    fn weights(self) -> Result<Weights, ModelError> {
        let mut shape = self.weights.shape().clone();
        shape.vocabulary = self.words.len() / shape.width;
        let mut weights = Weights::zeros(&shape)?;
        weights.words = self.words;
        weights.dense.copy_from_slice(&self.weights.dense);
        Ok(weights)
    }
}

/// The vector of a word; of a number that the model does not know, which scoring has refused before, the padding's.
fn word(weights: &Weights, number: u32) -> &[f32] {
    let width = weights.shape().width;
    let start = number as usize * width;
    weights.words.get(start..start + width).unwrap_or(&weights.words[..width])
}
