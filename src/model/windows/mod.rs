//! The formula-window encoder: a bag of [features](super::tokenizer::features), each with a learned vector and a learned weight.
//!
//! A text with features f, each c(f) times, is the direction of
//!
//! ```text
//! sum over f of c / (c + 1) * weight(f) * vector(f)
//! ```
//!
//! Vectors are initialized at random and weights as inverse document frequencies. Random vectors of many dimensions are nearly
//! orthogonal, so the cosine of two texts starts as that of TF-IDF, and training improves on it. Nothing here depends on the order
//! of a text's features. In training, dropout leaves out whole features of a text.
//!
//! A text costs one row of the table for each feature, no attention, and the gradient of a row is the sum over the texts that
//! contain its feature. One thread computes each row, in the order of the texts, so the bits do not depend on the number of threads.
//!
//! Its version for GPUs is an embedding bag of the [resident engine](super::resident), with the same dropout.

mod backward;
mod forward;
#[cfg(test)]
mod tests;

pub(super) use self::{
    backward::backward,
    forward::{Bag, dropped_features, encode, encode_only},
};

/// A feature of a text, with the saturated number of its occurrences.
#[derive(Debug, Clone, Copy)]
struct Entry {
    feature: u32,
    frequency: f32,
}

/// A second occurrence is weaker evidence than the first, and a tenth is hardly any.
fn saturated(count: usize) -> f32 {
    let count = count as f32;
    count / (count + 1.0)
}
