//! A mean and its confidence interval.

use serde::Serialize;

/// A 95 % interval, in the unit of its values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    pub basis: Basis,
}

/// What varies in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The seed of the training: Student's t.
    Seeds,
    /// The pairs of the part, of one training run: the bootstrap.
    Pairs,
}

/// The 97.5 % quantile of Student's t for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const NORMAL: f64 = 1.96;

/// The mean of shares in percent that differ by the seed, and its interval if there are two or more. No share lies below 0
/// or above 100, whatever Student's t says of two or three of them.
pub fn mean_interval(values: &[f64]) -> (f64, Option<Interval>) {
    let (mean, interval) = unbounded_interval(values);
    let bounded =
        |found: Interval| Interval { low: found.low.max(0.0), high: found.high.min(100.0), ..found };
    (mean, interval.map(bounded))
}

/// The same for values that are not shares.
pub fn unbounded_interval(values: &[f64]) -> (f64, Option<Interval>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 {
        return (mean, None);
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let student = STUDENT.get(values.len() - 2).copied().unwrap_or(NORMAL);
    let half = student * (variance / count).sqrt();
    (mean, Some(Interval { low: mean - half, high: mean + half, basis: Basis::Seeds }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_students() {
        // 10, 12, 14: mean 12, deviation 2, 4.303 * 2 / sqrt(3) = 4.969
        let (mean, interval) = mean_interval(&[10.0, 12.0, 14.0]);
        let interval = interval.unwrap();
        assert!((mean - 12.0).abs() < 1e-12);
        assert!((interval.high - 16.969).abs() < 1e-3 && (interval.low - 7.031).abs() < 1e-3, "{interval:?}");
        assert_eq!(mean_interval(&[5.0]), (5.0, None));
        let wide = mean_interval(&[3.0, 97.0]).1.unwrap();
        assert_eq!((wide.low, wide.high), (0.0, 100.0));
        let many: Vec<f64> = (0..100).map(|value| f64::from(value % 2)).collect();
        let half = mean_interval(&many).1.unwrap().high - 0.5;
        assert!((half - 1.96 * 0.050_252).abs() < 1e-4, "{half}");
    }
}
