//! A text as a set of shingles, and a sketch of it that similar texts share.
//!
//! A shingle is a sequence of five tokens. The sketch is MinHash by one permutation (Li, Owen and
//! Zhang, 2012): every shingle's hash falls into one of 120 bins, and each bin keeps its smallest. Bins
//! that stay empty borrow from others by a fixed rule (Shrivastava, 2017). Two texts agree in a bin with
//! a probability equal to their Jaccard similarity, and this costs one hash per shingle
//! instead of 120. Bins are then taken five at a time into 24 bands for locality-sensitive hashing: texts
//! of similarity 0.8 agree in at least one band but once in 14,000 times, texts of 0.3 in hardly any.

use crate::{
    base::rng::{GOLDEN_GAMMA, finalize, mix},
    corpus::{Passage, Run},
};

const SHINGLE: usize = 5;
const ROWS_PER_BAND: usize = 5;
pub const BANDS: usize = 24;
const BINS: usize = BANDS * ROWS_PER_BAND;

/// The sketch of a text.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// Equal for texts with the same tokens.
    pub text: u64,
    /// An upper bound on the number of distinct shingles.
    pub shingles: u32,
    pub bands: [u32; BANDS],
}

impl Sketch {
    pub fn of(passage: &Passage) -> Sketch {
        let tokens = tokens(passage);
        let text = tokens.iter().fold(tokens.len() as u64, |hash, token| finalize(hash ^ token));
        let mut bins = [u32::MAX; BINS];
        let mut shingles = 0;
        for shingle in shingles_of(&tokens) {
            // The high half of the hash chooses the bin, the low half is the value.
            let bin = (((shingle >> 32) * BINS as u64) >> 32) as usize;
            bins[bin] = bins[bin].min(shingle as u32);
            shingles += 1;
        }
        Sketch { text, shingles, bands: bands(&fill_empty(bins)) }
    }

    /// The number of bands in which two texts agree.
    pub fn agreement(&self, other: &Sketch) -> usize {
        self.bands.iter().zip(&other.bands).filter(|(band, other)| band == other).count()
    }

    /// The first band in which two texts agree.
    pub fn first_agreement(&self, other: &Sketch) -> Option<usize> {
        self.bands.iter().zip(&other.bands).position(|(band, other)| band == other)
    }
}

/// The shingles of a text as an ordered set, for exact comparison.
pub fn shingle_set(passage: &Passage) -> Vec<u64> {
    let mut set: Vec<u64> = shingles_of(&tokens(passage)).collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// The Jaccard similarity of two ordered sets.
pub fn similarity(set: &[u64], other: &[u64]) -> f64 {
    let (mut at, mut other_at, mut common) = (0, 0, 0usize);
    while let (Some(one), Some(two)) = (set.get(at), other.get(other_at)) {
        at += usize::from(one <= two);
        other_at += usize::from(two <= one);
        common += usize::from(one == two);
    }
    let union = set.len() + other.len() - common;
    if union == 0 { 1.0 } else { common as f64 / union as f64 }
}

/// The hashes of the tokens. Words lose their case and the punctuation around them.
fn tokens(passage: &Passage) -> Vec<u64> {
    let mut hashes = Vec::with_capacity(512);
    for run in passage.runs() {
        match run {
            Run::Text(text) => {
                for word in text.split_whitespace() {
                    let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
                    if !bare.is_empty() {
                        hashes.push(hash(TEXT, bare));
                    }
                }
            }
            Run::Math(formula) => {
                hashes.extend(formula.linear.split_whitespace().map(|symbol| hash(MATH, symbol)));
            }
        }
    }
    hashes
}

/// A text shorter than a shingle is one shingle.
fn shingles_of(tokens: &[u64]) -> impl Iterator<Item = u64> {
    let width = SHINGLE.min(tokens.len()).max(1);
    tokens.windows(width).map(|window| finalize(window.iter().fold(0, |hash, token| mix_step(hash) ^ token)))
}

/// Words and symbols are hashed with different initial values.
const TEXT: u64 = 0xCBF2_9CE4_8422_2325;
const MATH: u64 = 0x8422_2325_CBF2_9CE4;

/// FNV-1a, the same on every machine. Only words are case-folded: the symbols x and X are different.
fn hash(seed: u64, token: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    match seed {
        TEXT => token.bytes().fold(seed, |hash, byte| step(hash, byte.to_ascii_lowercase())),
        _ => token.bytes().fold(seed, step),
    }
}

fn mix_step(hash: u64) -> u64 {
    hash.rotate_left(23).wrapping_mul(GOLDEN_GAMMA)
}

/// Fills each empty bin with the value of another one, chosen by a rule that is the same for every text.
fn fill_empty(bins: [u32; BINS]) -> [u32; BINS] {
    let mut filled = bins;
    if bins.iter().all(|&value| value == u32::MAX) {
        return filled;
    }
    for (index, value) in filled.iter_mut().enumerate().filter(|(_, value)| **value == u32::MAX) {
        let mut attempt = index as u64;
        while *value == u32::MAX {
            attempt = mix(attempt);
            *value = bins[(attempt % BINS as u64) as usize];
        }
    }
    filled
}

fn bands(bins: &[u32; BINS]) -> [u32; BANDS] {
    let mut bands = [0; BANDS];
    for (band, rows) in bands.iter_mut().zip(bins.chunks_exact(ROWS_PER_BAND)) {
        *band = rows.iter().fold(0, |hash, &value| finalize(hash ^ u64::from(value))) as u32;
    }
    bands
}
