//! The head and loss of masked language modeling: a dense layer, GELU, a norm, and a decoder tied to the word embeddings.
//!
//! The gradient of the embeddings through the decoder is dense. It is computed in blocks of words and added to the
//! [sparse rows](super::super::SparseRows) after the encoder's own, so one optimizer serves both kinds of training.

use rayon::prelude::*;

use super::super::{
    Gradients, Mode, ModelError, Packed, Picked, Vectors, Weights, backward, encode_tokens,
    encode_tokens_only,
    kernels::{
        elementwise::{add, add_columns, fill_rows},
        gelu::{add_bias_and_gelu, gelu_backward},
        lanes::{exponential, maximum, sum},
        norm::{self, Backward},
        product::{Output, View, ViewMut},
        vectorised,
    },
    layout::MaskedRanges,
    score::{by_rows, matrix},
};

/// The original tokens at the masked positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Targets {
    pub places: Picked,
    /// One token id per position.
    pub words: Vec<u32>,
}

/// The loss of a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MaskedLoss {
    /// Negative log-likelihood, summed over the masked positions.
    pub sum: f64,
    pub places: usize,
    /// Number of positions whose original token was the most likely one.
    pub right: usize,
}

impl MaskedLoss {
    pub fn mean(&self) -> f64 {
        self.sum / self.places.max(1) as f64
    }
}

/// Positions that one thread predicts at a time.
const BLOCK: usize = 64;
/// Words whose gradient one thread computes at a time.
const WORDS: usize = 512;

/// The loss of a batch.
pub fn masked_loss(
    weights: &Weights,
    batch: &Packed,
    targets: &Targets,
    mode: Mode,
) -> Result<MaskedLoss, ModelError> {
    let ranges = check(weights, targets)?;
    let tokens = encode_tokens_only(weights, batch, &targets.places, mode)?;
    let width = tokens.width;
    let blocks: Vec<MaskedLoss> = tokens
        .values
        .par_chunks(BLOCK * width)
        .zip(targets.words.par_chunks(BLOCK))
        .map(|(rows, words)| Block::new(weights, ranges, rows).guess(weights, ranges, words, None))
        .collect();
    Ok(total(&blocks))
}

/// Adds the gradient of the mean loss over the masked positions.
pub fn masked_step(
    weights: &Weights,
    batch: &Packed,
    targets: &Targets,
    mode: Mode,
    gradients: &mut Gradients,
) -> Result<MaskedLoss, ModelError> {
    let ranges = check(weights, targets)?;
    if targets.places.is_empty() {
        return Ok(MaskedLoss::default());
    }
    let (shape, width) = (weights.shape(), weights.shape().width);
    let (tokens, saved) = encode_tokens(weights, batch, &targets.places, mode)?;
    let share = 1.0 / targets.words.len() as f32;
    let mut blocks: Vec<(Block, MaskedLoss)> = tokens
        .values
        .par_chunks(BLOCK * width)
        .zip(targets.words.par_chunks(BLOCK))
        .map(|(rows, words)| {
            let mut block = Block::new(weights, ranges, rows);
            let loss = block.guess(weights, ranges, words, Some(share));
            (block, loss)
        })
        .collect();
    // the decoder: each thread takes some words, over all positions in order
    let mut by_words = vec![0.0; shape.vocabulary * width];
    let bias = &mut gradients.dense[ranges.bias.clone()];
    by_words.par_chunks_mut(WORDS * width).zip(bias.par_chunks_mut(WORDS)).enumerate().for_each(
        |(at, (by_words, bias))| {
            for (block, _) in &blocks {
                let (rows, count) = (block.rows, bias.len());
                let guesses = &block.guesses[at * WORDS..];
                weights.products().multiply(
                    ViewMut::new(by_words, count, width, width),
                    Output::AddedTo,
                    1.0,
                    View::new(guesses, rows, count, shape.vocabulary).transposed(),
                    View::new(&block.out, rows, width, width),
                );
                for row in guesses.chunks(shape.vocabulary) {
                    add(bias, &row[..count]);
                }
            }
        },
    );
    // the dense layer and its norm
    blocks.par_iter_mut().for_each(|(block, _)| block.back(weights, ranges));
    let mut by_hidden = Vectors::zeros(0, width);
    let (gain, shift) = gradients.dense[ranges.norm.weight.start..ranges.norm.bias.end].split_at_mut(width);
    for (block, _) in &blocks {
        add(gain, &block.norms[..width]);
        add(shift, &block.norms[width..]);
        by_hidden.values.extend(&block.hidden_gradient);
    }
    add_columns(&by_hidden.values, &mut gradients.dense[ranges.dense_bias.clone()]);
    let by_weight = &mut gradients.dense[ranges.dense_weight.clone()];
    by_rows(by_weight, width, width, Output::AddedTo, matrix(&by_hidden).transposed(), matrix(&tokens));
    let mut by_tokens = Vectors::zeros(by_hidden.len(), width);
    let weight = View::new(&weights.dense[ranges.dense_weight.clone()], width, width, width);
    by_rows(&mut by_tokens.values, by_hidden.len(), width, Output::Replaced, matrix(&by_hidden), weight);
    let losses: Vec<MaskedLoss> = blocks.iter().map(|(_, loss)| *loss).collect();
    drop(blocks);
    backward(weights, saved, &by_tokens, gradients)?;
    let every: Vec<u32> = (0..shape.vocabulary as u32).collect();
    gradients.words.add(&every, &by_words);
    Ok(total(&losses))
}

fn check<'a>(weights: &'a Weights, targets: &Targets) -> Result<&'a MaskedRanges, ModelError> {
    let (places, words) = (targets.places.len(), targets.words.len());
    if places != words {
        return Err(ModelError::Targets { words, places });
    }
    let vocabulary = weights.shape().vocabulary;
    if let Some(&token) = targets.words.iter().find(|&&word| word as usize >= vocabulary) {
        return Err(ModelError::Token { index: 0, token, first: 0, vocabulary });
    }
    weights.layout().masked.as_ref().ok_or(ModelError::Head("masked language modeling head"))
}

/// Sums in a fixed order, so that the result does not depend on the number of threads.
fn total(blocks: &[MaskedLoss]) -> MaskedLoss {
    blocks.iter().fold(MaskedLoss::default(), |sum, block| MaskedLoss {
        sum: sum.sum + block.sum,
        places: sum.places + block.places,
        right: sum.right + block.right,
    })
}

/// Activations of the head for some masked positions.
struct Block {
    rows: usize,
    /// The dense layer before its GELU.
    hidden: Vec<f32>,
    normalised: Vec<f32>,
    deviations: Vec<f32>,
    /// The norm's output, which the decoder reads.
    out: Vec<f32>,
    /// One score per word, then the gradient of the loss with respect to it.
    guesses: Vec<f32>,
    hidden_gradient: Vec<f32>,
    /// The gradients of the norm's gain and shift.
    norms: Vec<f32>,
}

impl Block {
    fn new(weights: &Weights, ranges: &MaskedRanges, tokens: &[f32]) -> Block {
        let (shape, dense, width) = (weights.shape(), &weights.dense, weights.shape().width);
        let rows = tokens.len() / width;
        let mut hidden = vec![0.0; rows * width];
        weights.products().multiply(
            ViewMut::new(&mut hidden, rows, width, width),
            Output::Replaced,
            1.0,
            View::new(tokens, rows, width, width),
            View::new(&dense[ranges.dense_weight.clone()], width, width, width).transposed(),
        );
        let (mut normalised, mut out) = (vec![0.0; rows * width], vec![0.0; rows * width]);
        add_bias_and_gelu(&mut hidden, &dense[ranges.dense_bias.clone()], &mut normalised);
        let mut deviations = vec![0.0; rows];
        let gains = [&ranges.norm.weight, &ranges.norm.bias].map(|range| &dense[range.clone()]);
        norm::alone(&mut normalised, &mut out, &mut deviations, gains, shape.epsilon());
        Block {
            rows,
            hidden,
            normalised,
            deviations,
            out,
            guesses: vec![],
            hidden_gradient: vec![],
            norms: vec![0.0; 2 * width],
        }
    }

    /// Scores every word at every position; with a `share`, keeps the gradient with respect to the scores, times that share.
    fn guess(
        &mut self,
        weights: &Weights,
        ranges: &MaskedRanges,
        words: &[u32],
        share: Option<f32>,
    ) -> MaskedLoss {
        let (vocabulary, width) = (weights.shape().vocabulary, weights.shape().width);
        self.guesses.resize(self.rows * vocabulary, 0.0);
        fill_rows(&mut self.guesses, &weights.dense[ranges.bias.clone()]);
        weights.products().multiply(
            ViewMut::new(&mut self.guesses, self.rows, vocabulary, vocabulary),
            Output::AddedTo,
            1.0,
            View::new(&self.out, self.rows, width, width),
            View::new(&weights.words, vocabulary, width, width).transposed(),
        );
        let mut loss = MaskedLoss { places: self.rows, ..MaskedLoss::default() };
        for (row, &word) in self.guesses.chunks_exact_mut(vocabulary).zip(words) {
            let right = row[word as usize];
            let most = maximum(row);
            loss.right += usize::from(right == most);
            let whole = raise(row, most);
            loss.sum += f64::from(whole).ln() + f64::from(most) - f64::from(right);
            if let Some(share) = share {
                row.iter_mut().for_each(|value| *value *= share / whole);
                row[word as usize] -= share;
            }
        }
        loss
    }

    /// Backpropagates from the scores to the dense layer.
    fn back(&mut self, weights: &Weights, ranges: &MaskedRanges) {
        let (vocabulary, width) = (weights.shape().vocabulary, weights.shape().width);
        let mut gradient = vec![0.0; self.rows * width];
        weights.products().multiply(
            ViewMut::new(&mut gradient, self.rows, width, width),
            Output::Replaced,
            1.0,
            View::new(&self.guesses, self.rows, vocabulary, vocabulary),
            View::new(&weights.words, vocabulary, width, width),
        );
        let backward = Backward {
            normalised: &self.normalised,
            deviations: &self.deviations,
            gain: &weights.dense[ranges.norm.weight.clone()],
            dropout: None,
        };
        let mut branch = vec![0.0; gradient.len()];
        let (gain, shift) = self.norms.split_at_mut(width);
        backward.run(&mut gradient, &mut branch, gain, shift);
        gelu_backward(&mut branch, &self.hidden, &mut self.out);
        self.hidden_gradient = branch;
    }
}

/// Replaces each score by the exponential of its difference to the maximum, and returns their sum.
fn raise(row: &mut [f32], most: f32) -> f32 {
    vectorised(
        #[inline(always)]
        || {
            row.iter_mut().for_each(|value| *value = exponential(*value - most));
            sum(row, |value| value)
        },
    )
}
