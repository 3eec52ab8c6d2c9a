//! Random numbers that are a function of a seed and a position, so that they can be drawn in any order, on
//! any thread, and again: initial weights, and dropout masks that a second forward pass repeats.

use crate::base::rng::mix;

/// A stream of numbers addressed by index.
#[derive(Debug, Clone, Copy)]
pub struct Stream(u64);

impl Stream {
    /// The stream of a name under a seed: adding a parameter to a model does not change the initial values of others.
    pub fn named(seed: u64, name: &str) -> Self {
        let digest = blake3::hash(name.as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&digest.as_bytes()[..8]);
        Self(mix(seed) ^ u64::from_le_bytes(first))
    }

    fn bits(self, index: u64) -> u64 {
        mix(self.0 ^ mix(index))
    }

    /// Uniform in the open interval from 0 to 1.
    pub fn uniform(self, index: u64) -> f64 {
        ((self.bits(index) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(self, index: u64) -> f64 {
        let (radius, angle) = (self.uniform(2 * index), self.uniform(2 * index + 1));
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

/// The dropout masks of a document in a training step: a function of the step's seed, the document's key, the site in
/// the network and the element only.
#[derive(Debug, Clone, Copy)]
pub struct Dropout {
    key: u64,
    threshold: u32,
    /// The factor of a kept element.
    pub scale: f32,
}

impl Dropout {
    pub fn new(share: f32, step_seed: u64, document: u64) -> Self {
        let threshold = (f64::from(share) * 4_294_967_296.0) as u32;
        Self { key: mix(mix(step_seed) ^ document), threshold, scale: 1.0 / (1.0 - share) }
    }

    /// The hash of the step's seed and the document's key.
    pub fn key(self) -> u64 {
        self.key
    }

    /// An element is dropped if its 32 bits are below this.
    pub fn threshold(self) -> u32 {
        self.threshold
    }

    /// The masks of one site of the network, for instance one head of one layer.
    pub fn at(self, site: u64) -> Site<'static> {
        Site { key: mix(self.key ^ mix(site)), threshold: self.threshold, scale: self.scale, rows: None }
    }
}

/// One site of the network in one document.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    key: u64,
    threshold: u32,
    pub scale: f32,
    /// The rows, if not all.
    rows: Option<&'a [u32]>,
}

impl Site<'_> {
    /// The masks of some of the rows, renumbered from 0.
    pub fn of_rows(self, rows: Option<&[u32]>) -> Site<'_> {
        Site { rows, ..self }
    }

    #[inline(always)]
    pub fn row(self, row: usize) -> Row {
        let row = self.rows.map_or(row, |rows| rows[row] as usize);
        Row { key: mix(self.key ^ row as u64) as u32, threshold: self.threshold }
    }
}

/// One row of a mask. 32 bits per element, because vectors of 32-bit integers multiply fast.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    key: u32,
    threshold: u32,
}

impl Row {
    #[inline(always)]
    pub fn keeps(self, column: u32) -> bool {
        let mut bits = self.key ^ column.wrapping_mul(0x9E37_79B9);
        bits = (bits ^ (bits >> 16)).wrapping_mul(0x7FEB_352D);
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x846C_A68B);
        (bits ^ (bits >> 16)) >= self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_drops_its_share_in_rows_and_in_columns_and_repeats() {
        let site = Dropout::new(0.1, 5, 77).at(3);
        let mask: Vec<Vec<bool>> =
            (0..400).map(|row| (0..400).map(|column| site.row(row).keeps(column)).collect()).collect();
        let dropped = mask.iter().flatten().filter(|keeps| !**keeps).count() as f64 / 160_000.0;
        assert!((dropped - 0.1).abs() < 0.005, "{dropped}");
        for column in 0..400 {
            let kept = mask.iter().filter(|row| row[column]).count();
            assert!((310..=395).contains(&kept), "column {column} keeps {kept} of 400");
        }
        assert_eq!(mask[7][9], Dropout::new(0.1, 5, 77).at(3).row(7).keeps(9));
        assert_eq!(mask[7][9], site.of_rows(Some(&[2, 7])).row(1).keeps(9));
        let other = Dropout::new(0.1, 6, 77).at(3);
        assert!((0..400).any(|column| other.row(0).keeps(column) != mask[0][column as usize]));
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let stream = Stream::named(1, "x");
        let drawn: Vec<f64> = (0..20_000).map(|index| stream.normal(index)).collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let variance = drawn.iter().map(|value| value * value).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
