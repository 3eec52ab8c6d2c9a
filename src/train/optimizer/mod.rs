//! Optimizers: ASGD, AdamW and SGD as PyTorch defines them, with lazy updates of the word embeddings.
//!
//! All three have the same form: a weight is multiplied by a decay close to 1, and then a term is subtracted that is
//! zero where the gradient is zero. The rows of words that a batch does not contain therefore only decay, and the decay of
//! many steps can be applied at once when the row is used again ([`ledger`]). ASGD's average of such a row has a closed
//! form too. AdamW makes the same exception as PyTorch's `SparseAdam`: the moments of unused rows do not change.
//!
//! A step is [`Optimizer::prepare`] with the words of the batch, the gradient, then [`Optimizer::apply`].

mod device;
mod ledger;
mod rule;
mod state;

use rayon::prelude::*;

#[cfg(test)]
pub use rule::Sgd;
pub use rule::{AdamW, Asgd, OptimizerConfig};
pub use state::StateError;

use self::ledger::Ledger;
use crate::model::Weights;

/// Values that one thread updates at a time.
const BLOCK: usize = 1 << 14;

/// An optimizer and its state.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimizer {
    config: OptimizerConfig,
    /// The number of steps made.
    steps: u64,
    /// ASGD's step size, computed at the end of a step from the learning rate of that step, so that a new rate takes
    /// effect one step later, as in PyTorch.
    eta: f64,
    ledger: Ledger,
    /// First and second moments of AdamW.
    moments: Option<[PerWeight; 2]>,
    /// ASGD's average, once it differs from the weights.
    average: Option<PerWeight>,
    /// The number of leading dense weights that are frozen. A setting, not part of the state.
    frozen: usize,
}

/// The learning rates of a step.
#[derive(Clone, Copy, Debug)]
pub struct LearningRates {
    pub base: f64,
    /// The factor for word embeddings. Decay is the same for all, so that rows can be updated lazily.
    pub words: f64,
    /// The factor for the matrix of the score.
    pub score: f64,
}

impl From<f64> for LearningRates {
    fn from(base: f64) -> LearningRates {
        LearningRates { base, words: 1.0, score: 1.0 }
    }
}

/// One value per weight.
#[derive(Clone, Debug, PartialEq)]
struct PerWeight {
    words: Vec<f32>,
    dense: Vec<f32>,
}

impl Optimizer {
    pub fn new(config: OptimizerConfig, lr: f64, weights: &Weights) -> Optimizer {
        let zeros =
            || PerWeight { words: vec![0.0; weights.words.len()], dense: vec![0.0; weights.dense.len()] };
        let moments = matches!(config, OptimizerConfig::AdamW(_)).then(|| [zeros(), zeros()]);
        let ledger = Ledger::new(weights.shape().vocabulary);
        Optimizer { config, steps: 0, eta: lr, ledger, moments, average: None, frozen: 0 }
    }

    /// Brings the rows of these words up to date, before a forward pass reads them.
    pub fn prepare(&mut self, weights: &mut Weights, words: &[u32]) {
        let width = weights.shape().width;
        // an unseen feature has no row
        let rows = weights.shape().vocabulary;
        for &word in words.iter().filter(|word| (**word as usize) < rows) {
            let Some(due) = self.ledger.due(word as usize) else { continue };
            let row = &mut weights.words[word as usize * width..][..width];
            if let Some(average) = &mut self.average {
                due.average(row, &mut average.words[word as usize * width..][..width]);
            }
            due.decay(row);
            self.ledger.stamp(word as usize);
        }
    }

    /// Freezes the first `dense` dense weights from now on and, if that is not zero, the word embeddings.
    pub fn freeze(&mut self, dense: usize) {
        self.frozen = dense;
    }

    /// Makes a step with the gradient of the dense weights and of the words in use, whose rows have been prepared.
    pub fn apply<'a>(
        &mut self,
        weights: &mut Weights,
        dense: &[f32],
        words: impl Iterator<Item = (u32, &'a [f32])>,
        rates: impl Into<LearningRates>,
    ) {
        let rates = rates.into();
        let width = weights.shape().width;
        self.steps += 1;
        let terms = self.terms_at(self.steps);
        if terms >= 2 && self.average.is_none() {
            // until now the average was equal to the weights
            self.average = Some(PerWeight { words: weights.words.clone(), dense: weights.dense.clone() });
        }
        let update = self.config.update(self.steps, self.eta, rates.base);
        let (of_words, of_score) = (update.scaled(rates.words), update.scaled(rates.score));
        self.ledger.advance(if self.frozen > 0 { 1.0 } else { update.decay }, terms);
        let share = if terms >= 2 { (1.0 / terms as f64) as f32 } else { 1.0 };

        let [mut first, mut second] = moments_of(&mut self.moments, |values| &mut values.dense[..]);
        let mut average = self.average.as_mut().map_or(&mut [][..], |average| &mut average.dense[..]);
        take(&mut first, self.frozen);
        take(&mut second, self.frozen);
        take(&mut average, self.frozen);
        let mut pieces = Vec::new();
        let others = weights.layout().score_start().max(self.frozen);
        let (encoder, score) = weights.dense[self.frozen..].split_at_mut(others - self.frozen);
        let (by_encoder, by_score) = dense[self.frozen..].split_at(others - self.frozen);
        for (update, weights, gradients) in [(&update, encoder, by_encoder), (&of_score, score, by_score)] {
            for (weights, gradients) in weights.chunks_mut(BLOCK).zip(gradients.chunks(BLOCK)) {
                let count = gradients.len();
                let moments = (take(&mut first, count), take(&mut second, count));
                pieces.push((update, weights, gradients, moments, take(&mut average, count)));
            }
        }
        pieces.into_par_iter().for_each(|(update, weights, gradients, (first, second), average)| {
            update.apply(weights, gradients, first, second);
            blend(average, weights, share);
        });

        let [first, second] = moments_of(&mut self.moments, |values| &mut values.words[..]);
        let average = self.average.as_mut().map_or(&mut [][..], |average| &mut average.words[..]);
        let mut words: Vec<(u32, &[f32])> = words.filter(|_| self.frozen == 0).collect();
        words.sort_unstable_by_key(|(word, _)| *word);
        words.iter().for_each(|(word, _)| self.ledger.stamp(*word as usize));
        // the rows in use, cut out of the tables in ascending order, so that threads can share them
        let mut tables = [&mut weights.words[..], first, second, average];
        let (mut rows, mut end) = (Vec::with_capacity(words.len()), 0);
        for (word, gradient) in words {
            let start = word as usize * width;
            let row = tables.each_mut().map(|table| {
                take(table, start - end);
                take(table, width)
            });
            rows.push((row, gradient));
            end = start + width;
        }
        rows.into_par_iter().with_min_len(64).for_each(|([row, first, second, average], gradient)| {
            of_words.apply(row, gradient, first, second);
            blend(average, row, share);
        });
        self.eta = self.config.next_eta(self.steps, rates.base);
    }

    /// Returns the weights with every row up to date and, if `averaged` and once averaging has started, averaged. Does not
    /// change the state, so that evaluating a model does not change how training continues.
    pub fn weights(&self, weights: &Weights, averaged: bool) -> Weights {
        let width = weights.shape().width;
        let mut current = weights.clone();
        let mut average = self.average.clone().filter(|_| averaged);
        if let Some(average) = &mut average {
            current.dense.copy_from_slice(&average.dense);
        }
        let rows = current.words.chunks_exact_mut(width);
        for (word, row) in rows.enumerate() {
            let average = average.as_mut().map(|average| &mut average.words[word * width..][..width]);
            if let Some(due) = self.ledger.due(word) {
                match average {
                    Some(average) => {
                        due.average(row, average);
                        row.copy_from_slice(average);
                    }
                    None => due.decay(row),
                }
            } else if let Some(average) = average {
                row.copy_from_slice(average);
            }
        }
        current
    }

    /// Returns the number of terms of the average after a number of steps; 0 before averaging starts.
    fn terms_at(&self, steps: u64) -> u64 {
        match &self.config {
            OptimizerConfig::Asgd(asgd) => steps.saturating_sub(1 + asgd.average_from),
            _ => 0,
        }
    }
}

fn moments_of<'a>(
    moments: &'a mut Option<[PerWeight; 2]>,
    part: impl Fn(&'a mut PerWeight) -> &'a mut [f32],
) -> [&'a mut [f32]; 2] {
    match moments {
        Some([first, second]) => [part(first), part(second)],
        None => [&mut [], &mut []],
    }
}

/// Splits off the first `count` values; an empty slice stays empty.
fn take<'a>(rest: &mut &'a mut [f32], count: usize) -> &'a mut [f32] {
    let (first, others) = std::mem::take(rest).split_at_mut_checked(count).unwrap_or_default();
    *rest = others;
    first
}

/// Moves an average towards the new weights.
fn blend(average: &mut [f32], weights: &[f32], share: f32) {
    average.iter_mut().zip(weights).for_each(|(average, weight)| *average += (weight - *average) * share);
}

#[cfg(test)]
mod tests;
