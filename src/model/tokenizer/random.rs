//! A stream of chance that is named, so that every epoch has its own and can be had again.

/// SplitMix64 (Steele, Lea and Flood, 2014), started by a hash of its name.
pub struct Chance(u64);

impl Chance {
    pub fn named(seed: u64, purpose: &str, epoch: u64, index: u64) -> Chance {
        let mut hasher = blake3::Hasher::new();
        for number in [seed, epoch, index] {
            hasher.update(&number.to_le_bytes());
        }
        hasher.update(purpose.as_bytes());
        let mut start = [0; 8];
        start.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Chance(u64::from_le_bytes(start))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0. The high bits of a product are uniform to 2⁻³² here (Lemire, 2019).
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Puts a random choice of items, in random order, into the first `count` places (Fisher and Yates).
    pub fn shuffle_first<T>(&mut self, items: &mut [T], count: usize) {
        for place in 0..count.min(items.len().saturating_sub(1)) {
            let chosen = place + self.below(items.len() - place);
            items.swap(place, chosen);
        }
    }
}
