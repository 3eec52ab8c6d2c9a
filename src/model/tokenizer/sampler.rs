//! The composition of batches: a function of seed, epoch and position, so that training can stop after any step and resume
//! with the next batch.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::base::rng::Rng;

/// How the pairs of an epoch are sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// Each epoch contains every pair once, in its own order.
    #[default]
    Shuffled,
    /// Each batch is drawn from all pairs, as in the reference program's NPT.
    Independent,
}

/// Samples the batches of a training part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchSampler {
    pub pairs: usize,
    /// The maximum number of pairs in a batch.
    pub size: usize,
    pub seed: u64,
    pub sampling: Sampling,
    /// How many consecutive pairs of the corpus, mostly of one article, stay together in a shuffled epoch: proofs of the
    /// same article are the hardest to distinguish. 1 shuffles individual pairs.
    pub neighbors: usize,
}

/// The order of the pairs in one epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochOrder {
    batches: BatchSampler,
    purpose: &'static str,
    number: u64,
    order: Vec<u32>,
}

impl BatchSampler {
    /// Returns the number of batches per epoch.
    pub fn count(&self) -> usize {
        self.pairs.div_ceil(self.size)
    }

    /// Returns the order of an epoch. Alternating objectives have a purpose each, and therefore an order each.
    pub fn epoch(&self, purpose: &'static str, number: u64) -> EpochOrder {
        let mut order: Vec<u32> = (0..self.pairs as u32).collect();
        if self.sampling == Sampling::Shuffled {
            let mut rng = Rng::named(self.seed, purpose, number, 0);
            if self.neighbors > 1 {
                order = self.in_blocks(&order, &mut rng);
            } else {
                rng.shuffle_first(&mut order, self.pairs);
            }
        }
        EpochOrder { batches: self.clone(), purpose, number, order }
    }

    /// Blocks of neighbors in random order. The first block has a random length, so that the boundaries move.
    fn in_blocks(&self, pairs: &[u32], rng: &mut Rng) -> Vec<u32> {
        let (first, rest) = pairs.split_at(rng.below(self.neighbors).min(pairs.len()));
        let mut blocks: Vec<&[u32]> = std::iter::once(first).chain(rest.chunks(self.neighbors)).collect();
        let count = blocks.len();
        rng.shuffle_first(&mut blocks, count);
        blocks.concat()
    }

    /// Returns the positions of a batch in the order of an epoch. Sizes differ by at most one: a small last batch would be
    /// easier than the others, and one of a single pair has no loss.
    fn positions(&self, index: usize) -> Range<usize> {
        let start = |index: usize| index * self.pairs / self.count().max(1);
        start(index)..start(index + 1)
    }
}

impl EpochOrder {
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the pairs of a batch, whose index is below [`BatchSampler::count`].
    pub fn batch(&self, index: usize) -> Vec<u32> {
        let positions = self.batches.positions(index);
        match self.batches.sampling {
            Sampling::Shuffled => self.order[positions].to_vec(),
            Sampling::Independent => {
                let (mut order, count) = (self.order.clone(), positions.len());
                Rng::named(self.batches.seed, self.purpose, self.number, index as u64 + 1)
                    .shuffle_first(&mut order, count);
                order.truncate(count);
                order
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn batches(pairs: usize, size: usize, seed: u64) -> BatchSampler {
        BatchSampler { pairs, size, seed, sampling: Sampling::Shuffled, neighbors: 1 }
    }

    proptest! {
        #[test]
        fn an_epoch_sees_each_pair_once_in_batches_of_nearly_equal_size(
            pairs in 1usize..400, size in 1usize..70, seed: u64, number in 0u64..9, neighbors in 1usize..12
        ) {
            let batches = BatchSampler { neighbors, ..batches(pairs, size, seed) };
            let epoch = batches.epoch("local", number);
            let all: Vec<Vec<u32>> = (0..batches.count()).map(|index| epoch.batch(index)).collect();
            let sizes: Vec<usize> = all.iter().map(Vec::len).collect();
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            prop_assert!(sizes.iter().all(|&found| found <= size));
            let seen: BTreeSet<u32> = all.iter().flatten().copied().collect();
            prop_assert_eq!((seen.len(), all.concat().len()), (pairs, pairs));
        }

        #[test]
        fn an_independent_batch_repeats_no_pair(pairs in 1usize..200, size in 1usize..40, seed: u64) {
            let batches = BatchSampler { sampling: Sampling::Independent, ..batches(pairs, size, seed) };
            for index in 0..batches.count() {
                let batch = batches.epoch("local", 3).batch(index);
                let different: BTreeSet<&u32> = batch.iter().collect();
                prop_assert_eq!(different.len(), batch.len());
            }
        }
    }

    #[test]
    fn an_order_depends_on_seed_epoch_and_purpose_only() {
        let order = |seed, purpose, number| batches(50, 50, seed).epoch(purpose, number).batch(0);
        assert_eq!(order(1, "local", 0), order(1, "local", 0));
        for other in [order(2, "local", 0), order(1, "global", 0), order(1, "local", 1)] {
            assert_ne!(other, order(1, "local", 0));
        }
    }

    #[test]
    fn neighbors_stay_together_and_their_blocks_move() {
        let order =
            |number| BatchSampler { neighbors: 5, ..batches(50, 50, 3) }.epoch("local", number).batch(0);
        for number in 0..9 {
            let apart = order(number).windows(2).filter(|two| two[0] + 1 != two[1]).count();
            assert!((5..=11).contains(&apart), "{:?}", order(number));
        }
        assert_ne!(order(0), order(1));
    }

    #[test]
    fn every_pair_comes_first_about_equally_often() {
        let mut first = [0; 5];
        (0..5_000)
            .for_each(|number| first[batches(5, 5, 7).epoch("local", number).batch(0)[0] as usize] += 1);
        assert!(first.iter().all(|count| (900..1_100).contains(count)), "{first:?}");
    }
}
