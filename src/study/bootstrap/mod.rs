//! The paired bootstrap: how certain is a difference between two systems on the same questions?
//!
//! Each question has a difference (one system's score less the other's). Drawing as many questions as there are, with
//! replacement, again and again, shows how the mean difference would vary with other questions (Efron, 1979; for
//! matching and translation Koehn, 2004). The interval holds the middle 95 % of the drawn means; the p-value is the
//! share of draws that lie at least as far from the mean as the mean lies from zero, two-sided, never 0.
//!
//! The draws come from an explicit seed and are each a stream of their own, so the answer is the same with any
//! number of threads.

use rayon::prelude::*;
use serde::Serialize;

use crate::base::rng::Rng;

/// Draws that are enough for two digits of a p-value.
pub const DRAWS: usize = 10_000;

/// The result of the draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    /// The mean of the values themselves.
    pub mean: f64,
    /// The middle 95 % of the drawn means.
    pub low: f64,
    pub high: f64,
    /// How often chance alone would be as far from zero.
    pub p: f64,
    pub values: usize,
    pub draws: usize,
    pub seed: u64,
}

/// Draws means of the values. None without values.
pub fn bootstrap(values: &[f64], draws: usize, seed: u64) -> Option<Bootstrap> {
    if values.is_empty() || draws == 0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut means: Vec<f64> = (0..draws)
        .into_par_iter()
        .map(|draw| {
            let mut rng = rng_of_draw(seed, draw as u64);
            let sum: f64 = (0..values.len()).map(|_| values[rng.below(values.len())]).sum();
            sum / values.len() as f64
        })
        .collect();
    // means that are equal but for rounding should count as equal
    let slack = 1e-12 * (1.0 + mean.abs());
    let extreme = means.iter().filter(|drawn| (**drawn - mean).abs() >= mean.abs() - slack).count();
    means.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| means[((draws - 1) as f64 * share).round() as usize];
    Some(Bootstrap {
        mean,
        low: at(0.025),
        high: at(0.975),
        p: (extreme + 1) as f64 / (draws + 1) as f64,
        values: values.len(),
        draws,
        seed,
    })
}

/// The stream of one draw. The first number is thrown away: the seeds of neighboring draws differ in few bits.
fn rng_of_draw(seed: u64, draw: u64) -> Rng {
    let mut rng = Rng::new(seed ^ draw.wrapping_mul(0xD134_2543_DE82_EF95));
    rng.next_u64();
    rng
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pattern: &[f64], times: usize) -> Vec<f64> {
        pattern.iter().copied().cycle().take(pattern.len() * times).collect()
    }

    #[test]
    fn a_difference_that_every_question_shows_is_sure_and_none_is_none() {
        let sure = bootstrap(&[0.25; 40], 1_000, 1).unwrap();
        assert_eq!((sure.mean, sure.low, sure.high), (0.25, 0.25, 0.25));
        assert!(sure.p < 0.002, "{sure:?}");
        let none = bootstrap(&[0.0; 40], 1_000, 1).unwrap();
        assert_eq!((none.low, none.high, none.p), (0.0, 0.0, 1.0));
        assert_eq!(bootstrap(&[], 1_000, 1), None);
    }

    #[test]
    fn the_interval_is_as_wide_as_theory_says() {
        // half ones, half minus ones: the mean of n has deviation 1 / sqrt(n)
        let fair = bootstrap(&values(&[1.0, -1.0], 200), DRAWS, 7).unwrap();
        let expected = 1.96 / 20.0;
        assert!((fair.high - expected).abs() < 0.006 && (fair.low + expected).abs() < 0.006, "{fair:?}");
        assert!(fair.p > 0.9, "{fair:?}");
    }

    #[test]
    fn the_p_value_is_that_of_the_sign_test_on_a_known_case() {
        // 60 wins and 40 losses: the normal approximation of the mean 0.2 with deviation 0.98 / 10 gives p = 0.041
        let mut wins = values(&[1.0], 60);
        wins.extend(values(&[-1.0], 40));
        let found = bootstrap(&wins, DRAWS, 3).unwrap();
        assert!((0.03..0.06).contains(&found.p), "{found:?}");
        assert!(found.low >= 0.0 && found.low < 0.04, "{found:?}");
    }

    #[test]
    fn the_seed_decides() {
        let differences = values(&[0.3, -0.1, 0.0, 1.0, -0.7], 11);
        assert_eq!(bootstrap(&differences, 500, 5), bootstrap(&differences, 500, 5));
        assert_ne!(bootstrap(&differences, 500, 5), bootstrap(&differences, 500, 6));
    }

    #[test]
    fn one_in_twenty_fair_comparisons_looks_sure() {
        let mut rng = rng_of_draw(9, 0);
        let rejected = (0..300)
            .filter(|&seed| {
                let fair: Vec<f64> = (0..80).map(|_| if rng.below(2) == 0 { 1.0 } else { -1.0 }).collect();
                let found = bootstrap(&fair, 400, seed).unwrap();
                found.low > 0.0 || found.high < 0.0
            })
            .count();
        assert!((3..=36).contains(&rejected), "{rejected} of 300");
    }
}
