//! Random samples: which features are kept.
//!
//! As in Python lime, the number of dropped features is uniform from 1 to all, and each subset of that size is equally
//! likely. A sample is a function of seed and number, so each can be drawn independently.

use crate::base::rng::Rng;

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Indices of the kept features, ascending.
    pub kept: Vec<usize>,
}

/// Draws samples of features.
pub struct Sampler {
    seed: u64,
    order: Vec<usize>,
    kept: Vec<bool>,
}

impl Sampler {
    pub fn new(seed: u64, features: usize) -> Sampler {
        Sampler { seed, order: Vec::with_capacity(features), kept: vec![true; features] }
    }

    /// Sample `number`; 0 is the whole pair.
    pub fn sample(&mut self, number: usize) -> Sample {
        let features = self.kept.len();
        if number == 0 || features == 0 {
            return Sample { kept: (0..features).collect() };
        }
        let mut rng = Rng::of_sample(self.seed, number as u64);
        let dropped = 1 + rng.below(features);
        self.order.clear();
        self.order.extend(0..features);
        self.kept.fill(true);
        for place in 0..dropped {
            let chosen = place + rng.below(features - place);
            self.order.swap(place, chosen);
            self.kept[self.order[place]] = false;
        }
        Sample { kept: (0..features).filter(|&feature| self.kept[feature]).collect() }
    }
}

impl Sample {
    /// The sample's weight: lime's exponential kernel of 100 times the cosine distance to the whole pair, whose cosine
    /// is `sqrt(kept / all)`.
    pub fn proximity(&self, features: usize, kernel_width: f64) -> f64 {
        let distance = 100.0 * (1.0 - (self.kept.len() as f64 / features as f64).sqrt());
        (-(distance / kernel_width).powi(2) / 2.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_and_every_feature_is_equally_likely() {
        let mut sampler = Sampler::new(4, 10);
        let (mut sizes, mut kept) = ([0; 10], [0; 10]);
        for number in 1..=20_000 {
            let sample = sampler.sample(number);
            sizes[sample.kept.len()] += 1;
            sample.kept.iter().for_each(|&feature| kept[feature] += 1);
        }
        assert!(sizes.iter().all(|count| (1_800..2_200).contains(count)), "{sizes:?}");
        // 4.5 of 10 are kept on average
        assert!(kept.iter().all(|count| (8_700..9_300).contains(count)), "{kept:?}");
        assert_eq!(sampler.sample(0).kept.len(), 10);
    }

    #[test]
    fn a_sample_can_be_drawn_alone_and_depends_on_the_seed() {
        let mut sampler = Sampler::new(4, 30);
        let drawn: Vec<Sample> = (0..50).map(|number| sampler.sample(number)).collect();
        assert_eq!(Sampler::new(4, 30).sample(37), drawn[37]);
        assert_ne!(Sampler::new(5, 30).sample(37), drawn[37]);
    }

    #[test]
    fn proximity_is_that_of_lime() {
        let of = |kept: usize| Sample { kept: (0..kept).collect() }.proximity(4, 25.0);
        assert_eq!(of(4), 1.0);
        // distances 50 and 100: sqrt(exp(-4)) and sqrt(exp(-16))
        assert!((of(1) - (-2f64).exp()).abs() < 1e-12);
        assert!((of(0) - (-8f64).exp()).abs() < 1e-12);
    }
}
