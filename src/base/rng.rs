//! SplitMix64 (Steele, Lea and Flood, 2014), the only random number generator of the program.
//!
//! A counter and a mixing function: a stream costs nothing to start, so every epoch, pair, sample and document
//! has its own stream, keyed by its purpose and never by what was drawn before. Results therefore do not
//! depend on the order of work, the number of threads or the machine. Which bits a stream consists of is part of
//! that promise: the tests below pin them.

/// The step of the counter: 2⁶⁴ divided by the golden ratio.
pub const GOLDEN_GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of SplitMix64: every bit of the input affects every bit of the output. Maps 0 to 0.
#[inline(always)]
pub fn finalize(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// A hash of a number: the first output of the generator seeded with it. For counter-based streams, whose
/// numbers are addressed by index.
#[inline(always)]
pub fn mix(value: u64) -> u64 {
    finalize(value.wrapping_add(GOLDEN_GAMMA))
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// The stream that starts from the first eight bytes of a hash.
    pub fn from_hash(hash: &blake3::Hash) -> Rng {
        let mut seed = [0; 8];
        seed.copy_from_slice(&hash.as_bytes()[..8]);
        Rng(u64::from_le_bytes(seed))
    }

    /// The stream of a purpose, for instance the batch order of an epoch.
    pub fn named(seed: u64, purpose: &str, epoch: u64, index: u64) -> Rng {
        let mut hasher = blake3::Hasher::new();
        for number in [seed, epoch, index] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(purpose.as_bytes());
        Rng::from_hash(&hasher.finalize())
    }

    /// The stream of one of many samples under the same seed. It starts one step later than [`Rng::new`] would, as
    /// the explanations that were published with it do.
    pub fn of_sample(seed: u64, sample: u64) -> Rng {
        Rng(mix(mix(seed) ^ sample).wrapping_add(GOLDEN_GAMMA))
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        finalize(self.0)
    }

    /// Uniform in `[0, 1)`, with all 53 bits of a double.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `bound`, or 0 if the bound is 0: the high half of a product (Lemire, 2019). Each number is
    /// equally likely up to one part in 2⁶⁴ / `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number below `bound`, or 0 if the bound is 0. Exactly uniform, by rejection; a bound below 2 draws nothing.
    pub fn below_exact(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        if bound < 2 {
            return 0;
        }
        // Draws from the incomplete last block would favor small numbers.
        let limit = u64::MAX - u64::MAX % bound;
        loop {
            let drawn = self.next_u64();
            if drawn < limit {
                return (drawn % bound) as usize;
            }
        }
    }

    /// One of the items, drawn by [`Rng::below_exact`].
    pub fn choose<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below_exact(items.len())).copied()
    }

    /// Fisher and Yates from the end, drawn by [`Rng::below_exact`].
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below_exact(last + 1));
        }
    }

    /// Moves a random choice of items, in random order, to the front: `count` steps of Fisher and Yates, drawn by
    /// [`Rng::below`].
    pub fn shuffle_first<T>(&mut self, items: &mut [T], count: usize) {
        for index in 0..count.min(items.len().saturating_sub(1)) {
            let chosen = index + self.below(items.len() - index);
            items.swap(index, chosen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        // The first three from the seed 1234567, as the authors' program prints them.
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
        assert_eq!(rng.next_u64(), 9_817_491_932_198_370_423);
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
        assert_eq!(finalize(0), 0);
    }

    #[test]
    fn a_named_stream_never_changes() {
        let first = |seed, purpose, epoch, index| Rng::named(seed, purpose, epoch, index).next_u64();
        assert_eq!(first(1, "shuffled", 2, 3), 654_675_327_505_714_682);
        assert_eq!(Rng::of_sample(4, 37).next_u64(), 8_519_060_936_089_905_219);
        assert_ne!(first(1, "shuffled", 2, 3), first(1, "shuffled", 3, 3));
        assert_ne!(first(1, "shuffled", 2, 3), first(1, "shuffled", 2, 4));
        assert_ne!(first(1, "shuffled", 2, 3), first(1, "masked", 2, 3));
    }

    #[test]
    fn every_number_below_a_bound_is_equally_likely() {
        let mut rng = Rng::new(7);
        let (mut seen, mut seen_exact) = ([0usize; 6], [0usize; 6]);
        for _ in 0..60_000 {
            seen[rng.below(6)] += 1;
            seen_exact[rng.below_exact(6)] += 1;
        }
        assert!(
            seen.iter().chain(&seen_exact).all(|count| (9_600..10_400).contains(count)),
            "{seen:?} {seen_exact:?}"
        );
        assert_eq!((rng.below(0), rng.below(1), rng.below_exact(0), rng.below_exact(1)), (0, 0, 0, 0));
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut rng = Rng::new(3);
        let (mut all, mut some) = ((0..50).collect::<Vec<u32>>(), (0..50).collect::<Vec<u32>>());
        rng.shuffle(&mut all);
        rng.shuffle_first(&mut some, 10);
        assert!(all != some && some[10..].iter().any(|&item| item >= 10));
        for mut items in [all, some] {
            items.sort_unstable();
            assert!(items.into_iter().eq(0..50));
        }
        assert_eq!(rng.choose::<u8>(&[]), None);
    }
}
