//! Speed of symbol replacement.

use rayon::prelude::*;
use serde::Serialize;

use super::timing::Times;
use crate::{
    corpus::{
        Article, Pair,
        store::{Store, StoreError},
    },
    symbols::{Level, Protected, ReplaceMode, Replacer, Seed, Setting},
};

/// Maximum number of pairs held in memory; of a larger corpus only these are measured.
const MOST_PAIRS: usize = 20_000;

/// Measurements.
#[derive(Debug, Default, Serialize)]
pub struct ReplaceMeasurement {
    pub pairs: usize,
    /// All four levels over the pairs, on all cores.
    pub all_levels: Times,
    /// Microseconds for one pair at level full, on one core: median and 99th percentile.
    pub pair_median: f64,
    pub pair_99: f64,
}

impl ReplaceMeasurement {
    /// Seconds that all four levels would take over this many pairs.
    pub fn seconds_for(&self, pairs: usize) -> f64 {
        self.all_levels.best() * pairs as f64 / self.pairs.max(1) as f64
    }
}

/// Replaces the symbols of a corpus at every level.
pub fn replace(
    store: &Store,
    protected: &Protected,
    rounds: usize,
) -> Result<ReplaceMeasurement, StoreError> {
    let mut pairs: Vec<(Article, Pair)> = Vec::new();
    store.for_each_pair(None, |_, article, pair| {
        if pairs.len() < MOST_PAIRS {
            pairs.push((article.clone(), pair.clone()));
        }
        Ok::<(), StoreError>(())
    })?;
    let replacer = |level: Level| {
        Replacer::new(Setting::from(level), Seed(1), ReplaceMode::Exact, protected.clone()).in_corpus(store)
    };
    let levels = Level::ALL.into_iter().map(replacer).collect::<Result<Vec<_>, _>>()?;
    let mut measured = ReplaceMeasurement { pairs: pairs.len(), ..ReplaceMeasurement::default() };
    for _ in 0..rounds {
        measured.all_levels.measure(|| {
            for replacer in &levels {
                pairs.par_iter().for_each(|(article, pair)| {
                    std::hint::black_box(replacer.replace(pair, &article.categories));
                });
            }
        });
    }
    let full = replacer(Level::FULL)?;
    let mut single: Vec<f64> = pairs
        .iter()
        .map(|(article, pair)| {
            let mut times = Times::default();
            times.measure(|| std::hint::black_box(full.replace(pair, &article.categories)));
            times.best() * 1e6
        })
        .collect();
    single.sort_by(f64::total_cmp);
    measured.pair_median = single.get(single.len() / 2).copied().unwrap_or(f64::NAN);
    measured.pair_99 = single.get(single.len() * 99 / 100).copied().unwrap_or(f64::NAN);
    Ok(measured)
}
