//! Metrics of ranks: mean reciprocal rank, accuracy and hits, overall and by category and by length.

pub mod contention;
pub mod distribution;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use contention::{Contention, ContestedProof};
pub use distribution::{Bucket, Distribution};

/// The ranks up to which hits are counted.
pub const HITS: [u32; 4] = [5, 10, 50, 100];

/// The metrics of a set of ranks, as fractions from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    pub count: usize,
    /// The mean of 1/rank; absent if the decoder produces no ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mrr: Option<f64>,
    pub accuracy: f64,
    /// The fraction of gold proofs among the first 5, 10, 50 and 100; absent without a ranking.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hits: BTreeMap<u32, f64>,
}

impl Metrics {
    /// The metrics of ranks, which count from 1.
    pub fn of_ranks(ranks: impl IntoIterator<Item = u32>) -> Metrics {
        let (mut count, mut found, mut reciprocal) = (0usize, 0usize, 0.0);
        let mut hits = HITS.map(|limit| (limit, 0usize));
        for rank in ranks {
            count += 1;
            found += usize::from(rank == 1);
            reciprocal += 1.0 / f64::from(rank);
            hits.iter_mut().for_each(|(limit, count)| *count += usize::from(rank <= *limit));
        }
        Metrics {
            count,
            mrr: Some(share(reciprocal, count)),
            accuracy: share(found as f64, count),
            hits: hits.into_iter().map(|(limit, found)| (limit, share(found as f64, count))).collect(),
        }
    }

    /// Removes the limits that every proof is within when there are this few candidates.
    #[must_use]
    pub fn among(mut self, candidates: usize) -> Metrics {
        self.hits.retain(|limit, _| (*limit as usize) < candidates);
        self
    }

    /// The metrics of predictions that are right or wrong.
    pub fn of_answers(answers: impl IntoIterator<Item = bool>) -> Metrics {
        let (mut count, mut found) = (0usize, 0usize);
        for is_right in answers {
            count += 1;
            found += usize::from(is_right);
        }
        Metrics { count, accuracy: share(found as f64, count), ..Metrics::default() }
    }
}

/// Groups items by key and measures each group, in the order of the keys.
pub fn measure_groups<K: Ord, T>(
    items: impl IntoIterator<Item = (K, T)>,
    measure: impl Fn(Vec<T>) -> Metrics,
) -> Vec<(K, Metrics)> {
    let mut groups: BTreeMap<K, Vec<T>> = BTreeMap::new();
    for (key, item) in items {
        groups.entry(key).or_default().push(item);
    }
    groups.into_iter().map(|(key, items)| (key, measure(items))).collect()
}

/// A range of proof lengths, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LengthBucket {
    pub least: usize,
    pub most: usize,
}

impl LengthBucket {
    /// The paper keeps 20 to 500 tokens; these bounds split that into ranges of roughly doubling length.
    const UPPER: [usize; 5] = [50, 100, 200, 350, 500];

    pub fn of(tokens: usize) -> LengthBucket {
        let place = LengthBucket::UPPER.iter().position(|&most| tokens <= most);
        let least = |place: usize| if place == 0 { 0 } else { LengthBucket::UPPER[place - 1] + 1 };
        match place {
            Some(place) => LengthBucket { least: least(place), most: LengthBucket::UPPER[place] },
            None => LengthBucket { least: least(LengthBucket::UPPER.len()), most: usize::MAX },
        }
    }

    /// `51-100`
    pub fn name(self) -> String {
        match self.most {
            usize::MAX => format!("{}-", self.least),
            most => format!("{}-{most}", self.least),
        }
    }
}

fn share(sum: f64, count: usize) -> f64 {
    if count == 0 { 0.0 } else { sum / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_measured_as_usual() {
        let metrics = Metrics::of_ranks([1, 2, 4, 100]);
        assert_eq!((metrics.count, metrics.accuracy), (4, 0.25));
        assert_eq!(metrics.mrr, Some((1.0 + 0.5 + 0.25 + 0.01) / 4.0));
        assert_eq!(metrics.hits, BTreeMap::from([(5, 0.75), (10, 0.75), (50, 0.75), (100, 1.0)]));
        let few = Metrics::of_ranks([1, 2, 31]).among(31);
        assert_eq!(few.hits.keys().copied().collect::<Vec<_>>(), [5, 10]);
        assert_eq!(Metrics::of_ranks([]).mrr, Some(0.0));
        assert_eq!(Metrics::of_answers([true, false]).accuracy, 0.5);
    }

    #[test]
    fn lengths_fall_into_buckets_without_gaps() {
        let names: Vec<String> =
            [20, 50, 51, 200, 500, 501].map(|tokens| LengthBucket::of(tokens).name()).to_vec();
        assert_eq!(names, ["0-50", "0-50", "51-100", "101-200", "351-500", "501-"]);
    }

    #[test]
    fn groups_are_measured_apart() {
        let groups = measure_groups([("b", 1), ("a", 2), ("b", 2)], Metrics::of_ranks);
        assert_eq!(groups[0].0, "a");
        assert_eq!((groups[1].1.count, groups[1].1.accuracy), (2, 0.5));
    }
}
