//! Weighted sums of samples, from which every fit is computed.
//!
//! Ridge regression needs only weighted sums of products. They are updated as samples arrive, so the cost of a fit and the
//! memory do not grow with the number of samples. Sums are added in the order of the samples, so the batch size does not
//! change a bit of the result.

use super::sampling::Sample;

#[derive(Clone, Debug)]
pub struct Moments {
    features: usize,
    /// Subtracted from every value, so that small differences of large values keep their precision.
    origin: f64,
    weight: f64,
    value: f64,
    square: f64,
    /// Per feature: weight of the samples that keep it, and their weighted values.
    kept: Vec<f64>,
    kept_value: Vec<f64>,
    /// Weight of the samples that keep two features; the upper triangle, row by row.
    both: Vec<f64>,
}

/// Sums about the weighted means, for a fit with an intercept.
#[derive(Clone, Debug)]
pub struct Centred {
    pub features: usize,
    /// `X' W X`, row by row.
    pub gram: Vec<f64>,
    /// `X' W y`.
    pub moment: Vec<f64>,
    /// `y' W y`.
    pub variation: f64,
    pub means: Vec<f64>,
    pub mean: f64,
}

impl Moments {
    pub fn new(features: usize, origin: f64) -> Moments {
        Moments {
            features,
            origin,
            weight: 0.0,
            value: 0.0,
            square: 0.0,
            kept: vec![0.0; features],
            kept_value: vec![0.0; features],
            both: vec![0.0; features * features],
        }
    }

    pub fn add(&mut self, sample: &Sample, weight: f64, value: f64) {
        let value = value - self.origin;
        self.weight += weight;
        self.value += weight * value;
        self.square += weight * value * value;
        for (at, &feature) in sample.kept.iter().enumerate() {
            self.kept[feature] += weight;
            self.kept_value[feature] += weight * value;
            let row = &mut self.both[feature * self.features..][..self.features];
            for &other in &sample.kept[at..] {
                row[other] += weight;
            }
        }
    }

    pub fn centred(&self) -> Centred {
        let count = self.features;
        let means: Vec<f64> = self.kept.iter().map(|kept| kept / self.weight).collect();
        let mean = self.value / self.weight;
        let mut gram = vec![0.0; count * count];
        for row in 0..count {
            for column in row..count {
                let value = self.both[row * count + column] - self.kept[row] * means[column];
                gram[row * count + column] = value;
                gram[column * count + row] = value;
            }
        }
        let moment = (0..count).map(|row| self.kept_value[row] - self.kept[row] * mean).collect();
        let variation = (self.square - self.value * mean).max(0.0);
        Centred { features: count, gram, moment, variation, means, mean: mean + self.origin }
    }
}

impl Centred {
    pub fn gram_at(&self, row: usize, column: usize) -> f64 {
        self.gram[row * self.features + column]
    }
}
