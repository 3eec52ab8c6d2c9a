//! Encodes texts as vectors.

use rayon::prelude::*;

use super::{
    super::{
        EncoderShape, Mode, ModelError, Packed, Vectors, Weights,
        kernels::elementwise::add_scaled,
        random::{Dropout, Row},
        tokenizer::unseen,
    },
    Entry, saturated,
};

/// What a forward pass keeps for the backward pass.
#[derive(Debug)]
pub(in crate::model) struct Bag {
    /// The features of all texts that were not dropped.
    pub(super) entries: Vec<Entry>,
    /// The ends of the texts among the entries.
    pub(super) ends: Vec<usize>,
    /// The vectors, of length one.
    pub(super) vectors: Vectors,
    /// The lengths of the sums before they were normalized.
    pub(super) lengths: Vec<f32>,
}

impl Bag {
    pub(super) fn entries_of(&self, text: usize) -> &[Entry] {
        let start = if text == 0 { 0 } else { self.ends[text - 1] };
        &self.entries[start..self.ends[text]]
    }
}

/// Encodes texts, keeping what [`backward`](super::backward) needs.
pub(in crate::model) fn encode(
    weights: &Weights,
    documents: &Packed,
    mode: Mode,
) -> Result<(Vectors, Bag), ModelError> {
    documents.check(weights.shape())?;
    let width = weights.shape().width;
    let mut vectors = Vectors::zeros(documents.len(), width);
    let rows = vectors.values.par_chunks_exact_mut(width.max(1)).enumerate();
    let texts: Vec<(Vec<Entry>, f32)> = rows
        .map(|(index, vector)| {
            let entries = entries(weights, documents, index, mode);
            let length = direction(weights, &entries, vector);
            (entries, length)
        })
        .collect();
    let (mut entries, mut ends, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for (of_text, length) in texts {
        entries.extend(of_text);
        ends.push(entries.len());
        lengths.push(length);
    }
    Ok((vectors.clone(), Bag { entries, ends, vectors, lengths }))
}

/// Encodes texts to the same bits as [`encode`].
pub(in crate::model) fn encode_only(
    weights: &Weights,
    documents: &Packed,
    mode: Mode,
) -> Result<Vectors, ModelError> {
    documents.check(weights.shape())?;
    let width = weights.shape().width;
    let mut vectors = Vectors::zeros(documents.len(), width);
    vectors.values.par_chunks_exact_mut(width.max(1)).enumerate().for_each(|(index, vector)| {
        direction(weights, &entries(weights, documents, index, mode), vector);
    });
    Ok(vectors)
}

/// The distinct features of a text, in ascending order, without those that dropout drops.
fn entries(weights: &Weights, documents: &Packed, index: usize, mode: Mode) -> Vec<Entry> {
    let mut features = documents.document(index).to_vec();
    features.sort_unstable();
    let mask = dropped_features(weights.shape(), documents.key(index), mode);
    let groups = features.chunk_by(|left, right| left == right);
    let kept = groups.filter(|group| mask.is_none_or(|mask| mask.keeps(group[0])));
    kept.map(|group| Entry { feature: group[0], frequency: saturated(group.len()) }).collect()
}

/// The features of a text that training drops, or none.
pub(in crate::model) fn dropped_features(shape: &EncoderShape, key: u64, mode: Mode) -> Option<Row> {
    match mode {
        Mode::Train { step_seed } if shape.dropout > 0.0 => {
            Some(Dropout::new(shape.dropout, step_seed, key).at(0).row(0))
        }
        _ => None,
    }
}

/// Writes the direction of the weighted sum of the features' vectors and returns the length of that sum. A text without known
/// features is zero.
fn direction(weights: &Weights, entries: &[Entry], vector: &mut [f32]) -> f32 {
    let (shape, by_feature) = (weights.shape(), weights.feature_weights());
    for entry in entries {
        if unseen::is_unseen(entry.feature) {
            let scale = entry.frequency * by_feature[unseen::row(entry.feature, shape.vocabulary)];
            unseen::for_each_entry(entry.feature, shape.width, |column, value| {
                vector[column] += scale * value
            });
            continue;
        }
        let feature = entry.feature as usize;
        let row = &weights.words[feature * shape.width..][..shape.width];
        add_scaled(vector, entry.frequency * by_feature[feature], row);
    }
    let square: f64 = vector.iter().map(|value| f64::from(*value) * f64::from(*value)).sum();
    let length = square.sqrt() as f32;
    if length != 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
    length
}
