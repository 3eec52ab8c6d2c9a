//! The source of chance: a small generator that belongs to one pair.
//!
//! It is keyed by the seed, the pair's name and a purpose, never by what was drawn before, so a pair
//! gets the same names in a pane, in training and on another machine, in whatever order pairs come.
//! The steps are those of SplitMix64 (Steele, Lea, Flood 2014): a counter and a mixing function.

use crate::corpus::PairId;

use super::level::Seed;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Chance {
    counter: u64,
}

impl Chance {
    /// The stream for one purpose of one pair. Attempts count from 0.
    pub fn new(seed: Seed, pair: &PairId, purpose: &str, attempt: u32) -> Chance {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.0.to_le_bytes());
        hasher.update(&pair.number.to_le_bytes());
        hasher.update(&attempt.to_le_bytes());
        // The length keeps the end of the purpose apart from the beginning of the article's name.
        hasher.update(&(purpose.len() as u64).to_le_bytes());
        hasher.update(purpose.as_bytes());
        hasher.update(pair.article.as_bytes());
        let hash = hasher.finalize();
        let mut key = [0; 8];
        key.copy_from_slice(&hash.as_bytes()[..8]);
        Chance { counter: u64::from_le_bytes(key) }
    }

    fn next(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.counter;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, each with the same probability; 0 when the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        if bound < 2 {
            return 0;
        }
        // Draws from the incomplete last block would favour small numbers, so they are thrown away.
        let limit = u64::MAX - u64::MAX % bound;
        loop {
            let drawn = self.next();
            if drawn < limit {
                return (drawn % bound) as usize;
            }
        }
    }

    pub fn choose<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chance(seed: u64, article: &str, purpose: &str) -> Chance {
        Chance::new(Seed(seed), &PairId { article: article.to_owned(), number: 1 }, purpose, 0)
    }

    #[test]
    fn a_stream_depends_on_seed_pair_and_purpose_only() {
        let first = chance(1, "0704.0001", "names").next();
        assert_eq!(chance(1, "0704.0001", "names").next(), first);
        assert_ne!(chance(2, "0704.0001", "names").next(), first);
        assert_ne!(chance(1, "0704.0002", "names").next(), first);
        assert_ne!(chance(1, "0704.0001", "order").next(), first);
        // The value is part of the contract: a corpus replaced on another machine must be the same.
        assert_eq!(chance(0, "a", "b").next(), 1636885842115637133);
    }

    #[test]
    fn numbers_are_spread_evenly() {
        let mut chance = chance(7, "a", "spread");
        let mut seen = [0usize; 6];
        for _ in 0..60_000 {
            seen[chance.below(6)] += 1;
        }
        assert!(seen.iter().all(|&count| (9_600..10_400).contains(&count)), "{seen:?}");
    }
}
