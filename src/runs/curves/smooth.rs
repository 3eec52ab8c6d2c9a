//! Exponential smoothing, line by line.
//!
//! `s = w s + (1 - w) v`, divided by `1 - w^n` so that the first values are not pulled towards zero (the
//! bias correction of Adam). Values that are not finite are returned as they are and change nothing.

/// Smooths values one by one.
#[derive(Clone, Copy, Debug)]
pub struct Smoother {
    weight: f64,
    sum: f64,
    /// The sum of the weights of all values so far.
    whole: f64,
}

impl Smoother {
    /// `weight` is that of the past: 0 does not smooth, 0.99 smooths over some hundred lines.
    pub fn new(weight: f64) -> Smoother {
        let weight = if weight.is_finite() { weight.clamp(0.0, 0.9999) } else { 0.0 };
        Smoother { weight, sum: 0.0, whole: 0.0 }
    }

    pub fn next(&mut self, value: f64) -> f64 {
        self.next_of(value, 1)
    }

    /// Adds the mean of several values.
    pub fn next_of(&mut self, mean: f64, count: u64) -> f64 {
        if !mean.is_finite() || self.weight == 0.0 {
            return mean;
        }
        let kept = self.weight.powf(count as f64);
        self.sum = kept * self.sum + (1.0 - kept) * mean;
        self.whole = kept * self.whole + (1.0 - kept);
        self.sum / self.whole
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_constant_stays_and_nan_is_passed_on_without_a_trace() {
        let mut smoother = Smoother::new(0.9);
        let smoothed: Vec<f64> = [2.0, 2.0, f64::NAN, 2.0].map(|value| smoother.next(value)).into();
        assert!(
            (smoothed[0] - 2.0).abs() < 1e-12 && smoothed[2].is_nan() && (smoothed[3] - 2.0).abs() < 1e-12
        );
    }

    proptest! {
        #[test]
        fn smoothing_stays_within_what_it_has_seen(values in prop::collection::vec(-1e6f64..1e6, 1..80), weight in 0.0f64..1.0) {
            let mut smoother = Smoother::new(weight);
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for value in values {
                (low, high) = (low.min(value), high.max(value));
                let smoothed = smoother.next(value);
                prop_assert!(smoothed >= low - 1e-3 && smoothed <= high + 1e-3);
                prop_assert!(weight > 0.0 || smoothed == value);
            }
        }

        #[test]
        fn equal_values_at_once_are_equal_values_in_turn(value in -1e3f64..1e3, count in 1u64..50, weight in 0.1f64..0.99) {
            let (mut once, mut turns) = (Smoother::new(weight), Smoother::new(weight));
            once.next(1.0);
            turns.next(1.0);
            let last = (0..count).map(|_| turns.next(value)).last().unwrap();
            prop_assert!((once.next_of(value, count) - last).abs() < 1e-6);
        }
    }
}
