//! The weights of a baseline's features, for vectors that are built one at a time.

use super::Baseline;
use crate::matching::scores::Measure;

/// How counts of features become a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weighting(pub Baseline);

impl Weighting {
    pub fn measure(self) -> Measure {
        match self.0 {
            Baseline::Tfidf => Measure::Product,
            Baseline::Dice => Measure::Dice,
        }
    }

    /// ln((1 + n) / (1 + d)) + 1 for a feature in `found` of `texts` texts.
    pub fn inverse_frequency(self, found: u32, texts: usize) -> f64 {
        ((1.0 + texts as f64) / (1.0 + f64::from(found))).ln() + 1.0
    }

    /// The vector of counted features, which come in ascending order.
    pub fn vector<'a>(
        self,
        counted: &'a [(u32, u32)],
        inverse: impl Fn(u32) -> f64 + Copy + 'a,
    ) -> impl Iterator<Item = (u32, f32)> + 'a {
        let weight = move |&(term, count): &(u32, u32)| f64::from(count) * inverse(term);
        let length = counted.iter().map(|entry| weight(entry).powi(2)).sum::<f64>().sqrt();
        counted.iter().map(move |entry| match self.0 {
            Baseline::Tfidf => (entry.0, (weight(entry) / length) as f32),
            Baseline::Dice => (entry.0, 1.0),
        })
    }
}
