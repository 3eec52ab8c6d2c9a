//! The gradient of a loss: dense for every parameter except the word embeddings, whose gradient is sparse by rows.

use rayon::prelude::*;

use super::{EncoderShape, Weights, npt::add_in_order};

#[derive(Debug, Clone)]
pub struct Gradients {
    /// As long as [`Weights::dense`], value for value.
    pub dense: Vec<f32>,
    pub words: SparseRows,
    /// The number of frozen layers; they and the embeddings below them receive no gradient.
    pub frozen_layers: usize,
    /// Partial sums of `dense`, kept so that steps do not allocate.
    lanes: Vec<Vec<f32>>,
}

/// The number of partial sums of a backward pass, and so the maximum number of threads. Fixed, because the order of
/// floating-point additions determines the last bits.
pub(super) const LANES: usize = 16;

impl Gradients {
    pub fn new(weights: &Weights) -> Self {
        let dense = vec![0.0; weights.dense.len()];
        Self { dense, words: SparseRows::new(weights.shape()), frozen_layers: 0, lanes: Vec::new() }
    }

    /// Resets to zero without deallocating.
    pub fn clear(&mut self) {
        self.dense.fill(0.0);
        self.words.clear();
    }

    /// Multiplies everything, for instance to clip.
    pub fn scale(&mut self, factor: f32) {
        self.dense.iter_mut().chain(&mut self.words.values).for_each(|value| *value *= factor);
    }

    /// The Euclidean norm of the whole gradient, summed in a fixed order.
    pub fn norm(&self) -> f32 {
        let square = |value: &f32| f64::from(*value) * f64::from(*value);
        let (dense, words): (f64, f64) =
            (self.dense.iter().map(square).sum(), self.words.values.iter().map(square).sum());
        (dense + words).sqrt() as f32
    }

    /// Returns `count` partial sums with arbitrary contents.
    pub(super) fn lanes(&mut self, count: usize) -> &mut [Vec<f32>] {
        let length = self.dense.len();
        while self.lanes.len() < count {
            self.lanes.push(vec![0.0; length]);
        }
        &mut self.lanes[..count]
    }

    /// Adds the first `count` partial sums, in order.
    pub(super) fn add_lanes(&mut self, count: usize) {
        add_in_order(&mut self.dense, &self.lanes[..count]);
    }
}

/// Rows of the word table's gradient, in the order in which the batch first used them.
#[derive(Debug, Clone)]
pub struct SparseRows {
    width: usize,
    rows: Vec<u32>,
    values: Vec<f32>,
    /// For each word its index in `rows`, or [`UNUSED`].
    places: Vec<u32>,
}

const UNUSED: u32 = u32::MAX;

impl SparseRows {
    pub fn new(shape: &EncoderShape) -> Self {
        Self { width: shape.width, rows: vec![], values: vec![], places: vec![UNUSED; shape.vocabulary] }
    }

    pub fn clear(&mut self) {
        for row in self.rows.drain(..) {
            self.places[row as usize] = UNUSED;
        }
        self.values.clear();
    }

    /// The words in use.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Each word in use with its gradient.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[f32])> {
        self.rows.iter().copied().zip(self.values.chunks_exact(self.width))
    }

    /// The gradient of one word; none if the batch does not use it.
    pub fn row(&self, word: u32) -> Option<&[f32]> {
        let place = *self.places.get(word as usize)?;
        (place != UNUSED).then(|| &self.values[place as usize * self.width..][..self.width])
    }

    /// Adds one row for each of some distinct words; `compute` fills a row of zeros. Returns the results of `compute`.
    pub(super) fn add_rows(
        &mut self,
        words: &[u32],
        compute: impl Fn(usize, &mut [f32]) -> f32 + Sync,
    ) -> Vec<f32> {
        let width = self.width.max(1);
        let start = self.values.len();
        self.values.resize(start + words.len() * width, 0.0);
        let new = self.values[start..].par_chunks_exact_mut(width).with_min_len(16).enumerate();
        let returned = new.map(|(index, row)| compute(index, row)).collect();
        if words.iter().all(|word| self.places[*word as usize] == UNUSED) {
            for (word, place) in words.iter().zip(self.rows.len() as u32..) {
                self.places[*word as usize] = place;
            }
            self.rows.extend(words);
        } else {
            let added = self.values.split_off(start);
            self.add(words, &added);
        }
        returned
    }

    /// Adds one row per token. Every word's rows are summed in the order of the tokens, by one thread.
    pub(super) fn add(&mut self, tokens: &[u32], gradients: &[f32]) {
        let width = self.width;
        for &token in tokens {
            let place = &mut self.places[token as usize];
            if *place == UNUSED {
                *place = self.rows.len() as u32;
                self.rows.push(token);
            }
        }
        self.values.resize(self.rows.len() * width, 0.0);
        let mut uses: Vec<(u32, u32)> =
            tokens.iter().enumerate().map(|(at, &token)| (self.places[token as usize], at as u32)).collect();
        uses.sort_unstable();
        let mut starts = vec![0; self.rows.len() + 1];
        for (place, _) in &uses {
            starts[*place as usize + 1] += 1;
        }
        for place in 0..self.rows.len() {
            starts[place + 1] += starts[place];
        }
        self.values.par_chunks_exact_mut(width).with_min_len(64).enumerate().for_each(|(place, row)| {
            for (_, at) in &uses[starts[place]..starts[place + 1]] {
                let gradient = &gradients[*at as usize * width..][..width];
                row.iter_mut().zip(gradient).for_each(|(sum, value)| *sum += value);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{super::NptShape, *};

    #[test]
    fn only_words_in_use_have_a_gradient_and_repeated_ones_add_up() {
        let mut rows = SparseRows::new(&NptShape { width: 2, ..NptShape::tiny(9) });
        rows.add(&[5, 3, 5], &[1.0, 2.0, 10.0, 20.0, 4.0, 8.0]);
        rows.add(&[3], &[1.0, 1.0]);
        let found: Vec<(u32, Vec<f32>)> = rows.iter().map(|(word, row)| (word, row.to_vec())).collect();
        assert_eq!(found, [(5, vec![5.0, 10.0]), (3, vec![11.0, 21.0])]);
        assert_eq!(rows.row(4), None);
        rows.clear();
        assert_eq!((rows.rows().len(), rows.row(5)), (0, None));
    }
}
