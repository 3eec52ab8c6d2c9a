//! The features of a passage, for sparse indexes and for emphasis.

use std::collections::HashMap;

use crate::{
    corpus::{Input, Passage},
    matching::{baseline::BaselineMethod, index::FeatureCounts},
    model::tokenizer::{FeatureSet, features::feature_hash},
    symbols::ReplaceMode,
};

/// Incremented when a passage has other features than before, so that older indexes are built again.
pub const VERSION: u32 = 1;

/// The features with their counts, in the order of first occurrence.
pub fn counted(method: BaselineMethod, passage: &Passage) -> FeatureCounts {
    let BaselineMethod { baseline, symbols } = method;
    let read = symbols.passage(passage, passage);
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut counted: FeatureCounts = Vec::new();
    for hash in baseline.tokens(ReplaceMode::Exact).hashes(&read, Input::Both, symbols) {
        match places.get(&hash) {
            Some(&place) => counted[place].1 += 1,
            None => {
                places.insert(hash, counted.len());
                counted.push((hash, 1));
            }
        }
    }
    counted
}

/// Calls `visit` with each n-gram and window, and the positions of its words and symbols in the passage, where the end of
/// a formula has a position too.
pub fn for_each(method: BaselineMethod, passage: &Passage, mut visit: impl FnMut(u64, &[u32])) {
    let read = method.symbols.passage(passage, passage);
    FeatureSet::new(method.symbols)
        .for_each(&read, Input::Both, |feature| visit(feature_hash(feature.name), feature.places));
}

/// The number of words and symbols of each feature; 0 for short words, which are mostly articles and prepositions.
pub fn lengths(method: BaselineMethod, passage: &Passage) -> HashMap<u64, f32> {
    let read = method.symbols.passage(passage, passage);
    let mut lengths = HashMap::new();
    FeatureSet::new(method.symbols).for_each(&read, Input::Both, |feature| {
        let is_short = feature.places.len() == 1 && feature.name.chars().count() <= SHORT_NAME;
        let length = if is_short { 0.0 } else { feature.places.len() as f32 };
        lengths.insert(feature_hash(feature.name), length);
    });
    lengths
}

/// The kind of a feature and three letters.
const SHORT_NAME: usize = 4;
