//! Chance that is the same on every machine.
//!
//! Splitmix64 (Steele, Lea and Flood, 2014) is a counter and a mixing function, so a stream costs
//! nothing to start: every article, and every passage in it, has a stream of its own, named by
//! its numbers. Everything here is whole numbers; logarithms and powers differ between machines in
//! the last digit, and one digit would be enough to make another article.

/// The golden ratio in 64 bits, the step of the counter.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream with this name; streams whose names differ anywhere have nothing in common.
    pub fn named(name: &[u64]) -> Random {
        let state = name.iter().fold(STEP, |state, &part| mix(state.wrapping_add(STEP) ^ mix(part)));
        Random { state }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// A number below `bound`; zero when there is none.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below((high + 1).saturating_sub(low))
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, cases: u32) -> bool {
        self.below(100) < cases
    }

    /// One of the choices. There must be one.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len() as u32) as usize]
    }

    /// One of the choices, the first ones more often than the last. There must be one.
    pub fn pick_early<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let length = choices.len() as u32;
        &choices[(self.below(length) * self.below(length) / length.max(1)) as usize]
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Chances that fall with the rank as Zipf's law says, `1 / (rank + offset)`.
#[derive(Clone, Debug)]
pub struct Zipf {
    /// For each rank, the sum of the chances up to and with it.
    sums: Vec<u32>,
}

impl Zipf {
    pub fn new(ranks: usize, offset: u32) -> Zipf {
        let mut sum = 0;
        let chance = |rank: usize| (1 << 24) / (rank as u32 + offset.max(1));
        let sums = (0..ranks).map(|rank| {
            sum += chance(rank);
            sum
        });
        Zipf { sums: sums.collect() }
    }

    /// A rank, from zero.
    pub fn draw(&self, random: &mut Random) -> usize {
        let total = self.sums.last().copied().unwrap_or(0);
        let point = random.below(total);
        self.sums.partition_point(|&sum| sum <= point)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_mixing_is_that_of_the_published_generator() {
        // The first three numbers of splitmix64 from the seed 1234567, as its authors' program prints them.
        let mut random = Random { state: 1_234_567 };
        let numbers = [random.next(), random.next(), random.next()];
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn a_higher_rank_is_drawn_more_often() {
        let (zipf, mut random) = (Zipf::new(100, 1), Random::named(&[1]));
        let mut counts = [0u32; 100];
        (0..100_000).for_each(|_| counts[zipf.draw(&mut random)] += 1);
        assert!((18..=22).contains(&(counts[0] * 10 / counts[1])), "{counts:?}");
        assert!(counts[0] > 30 * counts[99] && counts[99] > 0, "{counts:?}");
    }

    proptest! {
        #[test]
        fn numbers_stay_within_their_bounds(seed: u64, low in 0u32..1000, more in 0u32..1000) {
            let mut random = Random::named(&[seed]);
            let number = random.between(low, low + more);
            prop_assert!((low..=low + more).contains(&number));
        }
    }
}
