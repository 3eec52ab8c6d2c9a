//! The shortcut probe: how far a ranker gets that sees nothing but which symbols are shared.
//!
//! A linear model with a weight for every shared letter, for every shared symbol in its font, and for how many of each
//! are shared. It is trained on the train part to rank the own proof above those of others, stopped where the dev part
//! is best, and evaluated on the test part. It has no words and no formulas, so at a level that gives nothing away it
//! ranks by chance. What it finds beyond that, a neural model can find too and look as if it read mathematics.

use rayon::prelude::*;
use serde::Serialize;

use crate::{
    base::rng::Rng,
    corpus::{
        split::{Part, Scheme},
        store::{Store, StoreError},
    },
};

use super::{
    Replacer,
    letter::{LETTERS, Symbol},
    letter_set::FONTS,
    overlap::{NORMAL, SharedSymbols, mean_and_error, shared_symbols},
};

/// The result of the probe on the test part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Shortcut {
    /// The pairs of the test part.
    pub pairs: usize,
    /// The mean reciprocal rank with its 95 % interval; ties are broken at random.
    pub mrr: f64,
    pub low: f64,
    pub high: f64,
    /// The mean reciprocal rank of a random order.
    pub chance: f64,
}

/// Counts from this number on share a weight.
const MANY: usize = 8;
const COUNT_WEIGHTS: usize = 2 * (MANY + 1);
const WEIGHTS: usize = LETTERS + LETTERS * FONTS + COUNT_WEIGHTS;
const EPOCHS: u64 = 10;
/// The number of pairs of a batch, each of which is ranked among all of them.
const BATCH: usize = 64;
/// Adagrad's step size, and its epsilon.
const RATE: f32 = 0.1;
const DAMPING: f32 = 1e-3;

/// Trains and evaluates the probe on the unmixed split of a corpus at a level.
pub fn shortcut(store: &Store, replacer: &Replacer) -> Result<Shortcut, StoreError> {
    let split = store.split(Scheme::Unmixed, None)?;
    let part = |part| shared_symbols(store, Some((&split, part)), replacer);
    Ok(Shortcut::probe(&part(Part::Train)?, &part(Part::Dev)?, &part(Part::Test)?))
}

impl Shortcut {
    pub fn probe(train: &[SharedSymbols], dev: &[SharedSymbols], test: &[SharedSymbols]) -> Shortcut {
        let mut ranker = Ranker::default();
        let mut best = (mean_and_error(&ranker.reciprocal_ranks(dev)).0, ranker.weights.clone());
        for epoch in 0..EPOCHS {
            ranker.train(train, epoch);
            let mrr = mean_and_error(&ranker.reciprocal_ranks(dev)).0;
            if mrr > best.0 {
                best = (mrr, ranker.weights.clone());
            }
        }
        ranker.weights = best.1;
        let (mrr, error) = mean_and_error(&ranker.reciprocal_ranks(test));
        let chance = (1..=test.len()).map(|rank| 1.0 / rank as f64).sum::<f64>() / test.len().max(1) as f64;
        Shortcut { pairs: test.len(), mrr, low: mrr - NORMAL * error, high: mrr + NORMAL * error, chance }
    }

    /// Whether chance is within the interval. If the dev part prefers the ranker without weights, both are equal.
    pub fn is_chance(&self) -> bool {
        const ROUNDING: f64 = 1e-9;
        (self.low - ROUNDING..=self.high + ROUNDING).contains(&self.chance)
    }
}

/// The linear model and the sums of its squared gradients.
struct Ranker {
    weights: Vec<f32>,
    squares: Vec<f32>,
}

impl Default for Ranker {
    fn default() -> Ranker {
        Ranker { weights: vec![0.0; WEIGHTS], squares: vec![DAMPING; WEIGHTS] }
    }
}

impl Ranker {
    fn score(&self, one: &SharedSymbols, other: &SharedSymbols) -> f32 {
        let mut sum = 0.0;
        for_each_feature(one, other, |feature| sum += self.weights[feature]);
        sum
    }

    /// One pass over the pairs in random batches: softmax over the proofs of the batch.
    fn train(&mut self, pairs: &[SharedSymbols], epoch: u64) {
        let mut order: Vec<usize> = (0..pairs.len()).collect();
        Rng::named(1, "shortcut probe", epoch, 0).shuffle(&mut order);
        for batch in order.chunks(BATCH).filter(|batch| batch.len() > 1) {
            let rows: Vec<Vec<f32>> =
                batch.par_iter().map(|&statement| self.errors(batch, pairs, statement)).collect();
            let mut gradient = vec![0.0; WEIGHTS];
            for (&statement, errors) in batch.iter().zip(&rows) {
                for (&proof, error) in batch.iter().zip(errors) {
                    for_each_feature(&pairs[statement], &pairs[proof], |feature| gradient[feature] += error);
                }
            }
            for (place, slope) in gradient.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
                let slope = slope / batch.len() as f32;
                self.squares[place] += slope * slope;
                self.weights[place] -= RATE * slope / self.squares[place].sqrt();
            }
        }
    }

    /// The gradient of the loss of a statement with respect to the scores of the batch's proofs.
    fn errors(&self, batch: &[usize], pairs: &[SharedSymbols], statement: usize) -> Vec<f32> {
        let mut scores: Vec<f32> =
            batch.iter().map(|&proof| self.score(&pairs[statement], &pairs[proof])).collect();
        let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        scores.iter_mut().for_each(|score| *score = (*score - most).exp());
        let total: f32 = scores.iter().sum();
        let own = |proof: usize| if proof == statement { 1.0 } else { 0.0 };
        batch.iter().zip(scores).map(|(&proof, share)| share / total - own(proof)).collect()
    }

    /// For each statement the expected reciprocal rank of its own proof among all, with ties in random order.
    fn reciprocal_ranks(&self, pairs: &[SharedSymbols]) -> Vec<f64> {
        let rank = |statement: usize| {
            let score = |proof: usize| self.score(&pairs[statement], &pairs[proof]);
            let own = score(statement);
            let (mut above, mut equal) = (0, 0);
            for proof in 0..pairs.len() {
                let other = score(proof);
                above += usize::from(other > own);
                equal += usize::from(other == own);
            }
            (above + 1..=above + equal).map(|rank| 1.0 / rank as f64).sum::<f64>() / equal.max(1) as f64
        };
        (0..pairs.len()).into_par_iter().map(rank).collect()
    }
}

/// Calls `found` with the weight of every feature of a statement and a proof.
fn for_each_feature(one: &SharedSymbols, other: &SharedSymbols, mut found: impl FnMut(usize)) {
    let letters = one.letters_with(other);
    let symbols = one.statement.intersection(&other.proof);
    letters.iter().for_each(|letter| found(letter.index()));
    for Symbol { letter, font } in symbols.iter() {
        found(LETTERS + font as usize * LETTERS + letter.index());
    }
    let counts = LETTERS + LETTERS * FONTS;
    found(counts + letters.len().min(MANY));
    found(counts + MANY + 1 + symbols.len().min(MANY));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::Font, symbols::Letter};

    /// Pairs with one letter per side, out of three letters.
    fn pairs(count: usize, letter_of_proof: fn(usize, &mut Rng) -> usize) -> Vec<SharedSymbols> {
        let set = |index: usize| {
            let symbol = |letter| Symbol { letter, font: Font::Plain };
            Letter::from_index(index % 3).map(symbol).into_iter().collect()
        };
        let mut rng = Rng::new(7);
        let pair = |place: usize| SharedSymbols::new(set(place), set(letter_of_proof(place, &mut rng)));
        (0..count).map(pair).collect()
    }

    #[test]
    fn the_probe_finds_what_sharing_gives_away_in_either_direction() {
        let probe = |letter_of_proof: fn(usize, &mut Rng) -> usize| {
            let part = |count| pairs(count, letter_of_proof);
            Shortcut::probe(&part(400), &part(100), &part(100))
        };
        // The own proof always shares the letter, which a third of all proofs do; or never, as two thirds do.
        let shared = probe(|place, _| place);
        assert!(shared.mrr > 2.0 * shared.chance && !shared.is_chance(), "{shared:?}");
        let avoided = probe(|place, rng| place + 1 + rng.below(2));
        assert!((1.2..1.7).contains(&(avoided.mrr / avoided.chance)), "{avoided:?}");
        let random = probe(|_, rng| rng.below(3));
        assert!(random.is_chance(), "{random:?}");
    }
}
