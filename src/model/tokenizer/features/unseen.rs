//! Features without a learned vector: their ids are hashes, and their vectors follow from the ids.
//!
//! A rare term that a statement and a proof share is the best evidence there is, and in a new article it rarely occurs in
//! the training part. A fixed random vector is enough to compare such features: two texts that share one agree in it,
//! and the vectors of different features are nearly orthogonal. Only their weight is learned, one for each [kind](KINDS).
//!
//! The vectors are sparse random projections: [`ENTRIES`] columns with random signs. The product of two of them varies as much
//! as that of two dense random vectors, at a hundredth of the cost.

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;

/// How features that are not in the vocabulary are treated.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum UnseenFeatures {
    /// They are ignored.
    #[default]
    Ignore,
    /// They have fixed random vectors.
    Hash,
}

/// The kinds of features that have a weight each when they are unseen: words and word pairs, single symbols and n-grams as
/// they are written, formulas as they are written, windows of two and of more tokens, and formulas up to renaming.
pub const KINDS: usize = 8;
/// The number of nonzero columns of a vector.
const ENTRIES: u64 = 16;
const IS_UNSEEN: u32 = 1 << 31;
const HASH_BITS: u32 = 28;

impl UnseenFeatures {
    pub fn is_ignore(&self) -> bool {
        *self == UnseenFeatures::Ignore
    }

    /// The number of rows after those of the known features, which hold the weights of the kinds.
    pub fn rows(self) -> usize {
        match self {
            UnseenFeatures::Ignore => 0,
            UnseenFeatures::Hash => KINDS,
        }
    }
}

/// The kind of a feature by its name, below [`KINDS`].
pub fn kind(name: &str) -> usize {
    let is_single = !name.contains(' ');
    match (name.as_bytes().first(), is_single) {
        (Some(b'W'), true) => 0,
        (Some(b'W'), false) => 1,
        (Some(b'L'), true) => 2,
        (Some(b'L'), false) => 3,
        (Some(b'G'), _) => 4,
        (Some(b'R'), _) if name.matches(' ').count() == 1 => 5,
        (Some(b'R'), _) => 6,
        _ => 7,
    }
}

/// The id of an unseen feature, by its name and the hash of it.
pub(super) fn id(name: &str, hash: u64) -> u32 {
    IS_UNSEEN | (kind(name) as u32) << HASH_BITS | (hash >> (64 - HASH_BITS)) as u32
}

/// Whether an id is a hash.
pub fn is_unseen(id: u32) -> bool {
    id & IS_UNSEEN != 0
}

/// The row that holds the weight of an unseen feature, in a model with a vocabulary of this size.
pub fn row(id: u32, vocabulary: usize) -> usize {
    let kind = (id & !IS_UNSEEN) >> HASH_BITS;
    (vocabulary + kind as usize).saturating_sub(KINDS)
}

/// Calls `visit` with the nonzero columns of an unseen feature's vector, of this width, and their values.
pub fn for_each_entry(id: u32, width: usize, mut visit: impl FnMut(usize, f32)) {
    let value = 1.0 / (ENTRIES as f32).sqrt();
    for block in 0..ENTRIES / 4 {
        let bits = mix(u64::from(id) << 8 | block);
        for part in 0..4 {
            let bits = (bits >> (16 * part)) as usize & 0xffff;
            let column = ((bits >> 1) * width) >> 15;
            visit(column, if bits & 1 == 0 { value } else { -value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::feature_hash, *};

    fn vector(name: &str, width: usize) -> Vec<f32> {
        let mut vector = vec![0.0; width];
        for_each_entry(id(name, feature_hash(name)), width, |column, value| vector[column] += value);
        vector
    }

    fn product(left: &[f32], right: &[f32]) -> f32 {
        left.iter().zip(right).map(|(left, right)| left * right).sum()
    }

    #[test]
    fn vectors_are_nearly_orthonormal() {
        let vectors: Vec<Vec<f32>> = (0..200).map(|index| vector(&format!("W{index}"), 512)).collect();
        let lengths = vectors.iter().map(|vector| product(vector, vector)).sum::<f32>() / 200.0;
        assert!((0.95..1.05).contains(&lengths), "{lengths}");
        let others = vectors.iter().zip(&vectors[1..]).map(|(one, other)| product(one, other).powi(2));
        let variance = others.sum::<f32>() / 199.0;
        // that of dense random vectors is 1 / 512
        assert!((0.001..0.004).contains(&variance), "{variance}");
        assert!(vector("Wone", 3).iter().any(|value| *value != 0.0));
    }

    /// Vectors are not stored, so a trained model depends on every bit of this; the card of an export repeats it in Python.
    #[test]
    fn a_vector_stays_what_it_is() {
        let feature = id("Wlet", feature_hash("Wlet"));
        assert_eq!(feature, 2_301_189_080);
        let mut entries = Vec::new();
        for_each_entry(feature, 1000, |column, value| entries.push((column, value)));
        assert_eq!(entries[..4], [(778, -0.25), (894, 0.25), (213, 0.25), (52, 0.25)]);
    }

    #[test]
    fn a_kind_has_a_row_after_the_known_features() {
        let names = ["Wa", "Wa b", "LMx", "LMx M=", "Gx =", "Rv#1 =", "Rv#1 = v#2", "Fv#1"];
        let rows = names.map(|name| row(id(name, feature_hash(name)), 100));
        assert_eq!(rows, [92, 93, 94, 95, 96, 97, 98, 99]);
        assert!(names.iter().all(|name| is_unseen(id(name, feature_hash(name)))));
    }
}
