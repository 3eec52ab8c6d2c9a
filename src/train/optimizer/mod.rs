//! Optimizers: ASGD, AdamW and SGD as PyTorch defines them, and a word table of which only the rows in use are
//! touched.
//!
//! All three have one form: a weight is multiplied by a decay close to 1, and something is taken away that is
//! zero where the gradient is. So a row that a batch does not use only decays, and the decay of many steps can be made
//! up for at once when the row is needed again ([`ledger`]). ASGD's average of such a row has a closed form too.
//! AdamW is the exception that PyTorch makes as well (`SparseAdam`): moments of a row rest while it is not used.
//!
//! A step is [`Optimizer::prepare`] with the batch's words, the gradient, then [`Optimizer::apply`].

mod ledger;
mod rule;
mod state;

use rayon::prelude::*;

pub use rule::{AdamW, Asgd, OptimizerConfig, Sgd};
pub use state::StateError;

use self::ledger::Ledger;
use crate::model::Weights;

/// Values that one thread updates at a time.
const BLOCK: usize = 1 << 14;

/// A method and what it remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimizer {
    method: OptimizerConfig,
    /// Steps made.
    steps: u64,
    /// What ASGD multiplies the next gradient with: computed at the end of a step from the rate of that step,
    /// so that a new rate counts one step later, as in PyTorch.
    eta: f64,
    ledger: Ledger,
    /// First and second moments of AdamW.
    moments: Option<[PerWeight; 2]>,
    /// ASGD's average, once it differs from the weights.
    average: Option<PerWeight>,
    /// So many of the dense weights, the first ones, do not move. Settings say so; it is no part of the state.
    frozen: usize,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug)]
pub struct LearningRates {
    pub rate: f64,
    /// How much farther words go. Decay is the same for all, so that rows can be made up for late.
    pub words: f64,
    /// How much farther the score's matrix goes.
    pub score: f64,
}

impl From<f64> for LearningRates {
    fn from(rate: f64) -> LearningRates {
        LearningRates { rate, words: 1.0, score: 1.0 }
    }
}

/// One number for each weight.
#[derive(Clone, Debug, PartialEq)]
struct PerWeight {
    words: Vec<f32>,
    dense: Vec<f32>,
}

impl Optimizer {
    pub fn new(method: OptimizerConfig, rate: f64, weights: &Weights) -> Optimizer {
        let zeros =
            || PerWeight { words: vec![0.0; weights.words.len()], dense: vec![0.0; weights.dense.len()] };
        let moments = matches!(method, OptimizerConfig::AdamW(_)).then(|| [zeros(), zeros()]);
        let ledger = Ledger::new(weights.shape().vocabulary);
        Optimizer { method, steps: 0, eta: rate, ledger, moments, average: None, frozen: 0 }
    }

    /// The number of steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Brings the rows of these words up to date, before a forward pass reads them.
    pub fn prepare(&mut self, weights: &mut Weights, words: &[u32]) {
        let width = weights.shape().width;
        for &word in words {
            let Some(due) = self.ledger.due(word as usize) else { continue };
            let row = &mut weights.words[word as usize * width..][..width];
            if let Some(average) = &mut self.average {
                due.average(row, &mut average.words[word as usize * width..][..width]);
            }
            due.decay(row);
            self.ledger.stamp(word as usize);
        }
    }

    /// The first so many dense weights, and the words if there are any such, stay as they are from now on.
    pub fn freeze(&mut self, dense: usize) {
        self.frozen = dense;
    }

    /// Makes a step with the gradient of the dense weights and that of the words in use, whose rows have been prepared.
    pub fn apply<'a>(
        &mut self,
        weights: &mut Weights,
        dense: &[f32],
        words: impl Iterator<Item = (u32, &'a [f32])>,
        rate: impl Into<LearningRates>,
    ) {
        let LearningRates { rate, words: words_faster, score: score_faster } = rate.into();
        let width = weights.shape().width;
        self.steps += 1;
        let terms = self.terms();
        if terms >= 2 && self.average.is_none() {
            // until now the average was the weights themselves
            self.average = Some(PerWeight { words: weights.words.clone(), dense: weights.dense.clone() });
        }
        let update = self.method.update(self.steps, self.eta, rate);
        let (of_words, of_score) = (update.times(words_faster), update.times(score_faster));
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
            update.run(weights, gradients, first, second);
            blend(average, weights, share);
        });

        let [first, second] = moments_of(&mut self.moments, |values| &mut values.words[..]);
        let average = self.average.as_mut().map_or(&mut [][..], |average| &mut average.words[..]);
        for (word, gradient) in words.filter(|_| self.frozen == 0) {
            let at = word as usize * width;
            let row = &mut weights.words[at..][..width];
            let slice = |values: &[f32]| if values.is_empty() { 0..0 } else { at..at + width };
            let (places, others) = (slice(first), slice(second));
            of_words.run(row, gradient, &mut first[places], &mut second[others]);
            let places = slice(average);
            blend(&mut average[places], row, share);
            self.ledger.stamp(word as usize);
        }
        self.eta = self.method.next_eta(self.steps, rate);
    }

    /// The weights as they would be with every row up to date and, if `averaged` and once averaging has begun, averaged.
    /// Changes nothing, so that looking at a model does not change how it goes on.
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

    /// How many steps the average is over; 0 before averaging begins.
    fn terms(&self) -> u64 {
        match &self.method {
            OptimizerConfig::Asgd(asgd) => self.steps.saturating_sub(1 + asgd.start),
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

/// Cuts the first `count` values off; nothing when there is nothing.
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
