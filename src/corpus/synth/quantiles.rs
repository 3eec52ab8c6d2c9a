//! How long things are: distributions as tables of quantiles.
//!
//! The tables are log-normal distributions cut to their range and fitted to the mean and the deviation
//! that the paper reports, written down as points so that drawing from them needs no logarithm.

use super::random::Random;

/// A distribution: so many of a thousand cases lie at or below the value, straight lines between.
pub struct Quantiles(&'static [(u32, u32)]);

/// Tokens of a statement: 80±57 (Table 2).
pub const STATEMENT: Quantiles = Quantiles(&[
    (0, 20),
    (20, 22),
    (50, 25),
    (100, 30),
    (150, 34),
    (200, 38),
    (300, 45),
    (400, 54),
    (500, 63),
    (600, 74),
    (700, 89),
    (800, 110),
    (850, 125),
    (900, 147),
    (950, 187),
    (980, 245),
    (990, 291),
    (997, 372),
    (1000, 500),
]);

/// Tokens of a proof: 210±127.
pub const PROOF: Quantiles = Quantiles(&[
    (0, 20),
    (20, 30),
    (50, 42),
    (100, 58),
    (150, 73),
    (200, 88),
    (300, 117),
    (400, 149),
    (500, 185),
    (600, 226),
    (700, 274),
    (800, 332),
    (850, 366),
    (900, 405),
    (950, 449),
    (980, 479),
    (990, 489),
    (997, 497),
    (1000, 500),
]);

/// Pairs within the filter in an article that has any: 6.6 in the mean (Table 1).
pub const PAIRS: Quantiles = Quantiles(&[
    (0, 1),
    (20, 1),
    (50, 2),
    (150, 2),
    (200, 3),
    (300, 3),
    (400, 4),
    (500, 5),
    (600, 6),
    (700, 7),
    (800, 9),
    (850, 11),
    (900, 13),
    (950, 17),
    (980, 23),
    (990, 29),
    (997, 37),
    (1000, 50),
]);

/// The share of mathematics to aim at, in hundredths. Sentences need some words and most have a letter,
/// so what comes out is narrower: 58±20 for statements and 56±21 for proofs, as in the paper.
pub const MATH_SHARE: Quantiles = Quantiles(&[
    (0, 0),
    (62, 18),
    (125, 28),
    (250, 44),
    (375, 54),
    (500, 62),
    (625, 70),
    (750, 80),
    (875, 90),
    (938, 96),
    (1000, 100),
]);

impl Quantiles {
    pub fn draw(&self, random: &mut Random) -> usize {
        // A thousand steps would leave holes between long values, so the line is walked in a million.
        let point = random.below(1_000_000);
        let next = self.0.partition_point(|&(share, _)| share * 1000 <= point).min(self.0.len() - 1);
        let ((from, low), (to, high)) = (self.0[next - 1], self.0[next]);
        let (along, length) = (u64::from(point - from * 1000), u64::from((to - from) * 1000));
        let rise = (u64::from(high - low) * along + length / 2) / length;
        (u64::from(low) + rise) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(quantiles: &Quantiles, mean: f64, deviation: f64) {
        let mut random = Random::named(&[7]);
        let values: Vec<f64> = (0..100_000).map(|_| quantiles.draw(&mut random) as f64).collect();
        let found = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - found).powi(2)).sum::<f64>() / values.len() as f64;
        assert!((found / mean - 1.0).abs() < 0.02, "mean {found}, not {mean}");
        assert!((variance.sqrt() / deviation - 1.0).abs() < 0.03, "deviation {}", variance.sqrt());
    }

    #[test]
    fn the_tables_have_the_papers_means_and_deviations() {
        check(&STATEMENT, 80.0, 57.0);
        check(&PROOF, 210.0, 127.0);
        check(&PAIRS, 6.6, 5.6);
    }
}
