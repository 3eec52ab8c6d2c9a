//! The k best columns of a row, by a rising threshold.
//!
//! Candidates above the threshold are collected; when there are 2k of them, the worse half
//! is dropped and the worst remaining score is the new threshold. After the first few thousand columns nearly
//! every vector of scores is skipped by one comparison. Columns come in order, so one that equals
//! the threshold loses against all that are kept: among equal scores the lower column wins.

use pulp::{Arch, Simd, WithSimd};

/// Scores that are compared with the threshold at once.
const CHUNK: usize = 16;

/// Selects the best of one row after another, without allocating for each.
#[derive(Clone, Debug)]
pub struct Selector {
    keep: usize,
    /// Scores and columns as integers in the order of preference.
    keys: Vec<u64>,
}

impl Selector {
    pub fn new(keep: usize) -> Selector {
        // A full chunk may be added at once, and rejected candidates are overwritten by the next one.
        Selector { keep, keys: vec![0; 2 * keep + CHUNK + 1] }
    }

    /// Calls `out` with the columns and scores of the best, best first.
    pub fn select(&mut self, row: &[f32], mut out: impl FnMut(u32, f32)) {
        if self.keep == 0 {
            return;
        }
        let found = Arch::new().dispatch(Gather { selector: self, row });
        let keys = &mut self.keys[..found];
        if keys.len() > self.keep {
            keys.select_nth_unstable_by(self.keep - 1, |a, b| b.cmp(a));
        }
        let keep = self.keep.min(keys.len());
        let best = &mut keys[..keep];
        best.sort_unstable_by(|a, b| b.cmp(a));
        for &key in best.iter() {
            out(column(key), score(key));
        }
    }

    /// Drops the worse half and returns the worst remaining score.
    fn shrink(&mut self, found: usize) -> f32 {
        let (_, worst, _) = self.keys[..found].select_nth_unstable_by(self.keep - 1, |a, b| b.cmp(a));
        score(*worst)
    }
}

struct Gather<'a> {
    selector: &'a mut Selector,
    row: &'a [f32],
}

impl WithSimd for Gather<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let Gather { selector, row } = self;
        let (mut found, mut threshold) = (0, f32::NEG_INFINITY);
        let limit = 2 * selector.keep;
        for (index, chunk) in row.chunks(CHUNK).enumerate() {
            if !any_above(chunk, threshold) {
                continue;
            }
            let first = index * CHUNK;
            for (offset, &score) in chunk.iter().enumerate() {
                selector.keys[found] = key(score, (first + offset) as u32);
                found += usize::from(score > threshold || threshold == f32::NEG_INFINITY);
            }
            if found >= limit {
                threshold = selector.shrink(found);
                found = selector.keep;
            }
        }
        found
    }
}

#[inline(always)]
fn any_above(chunk: &[f32], threshold: f32) -> bool {
    match <&[f32; CHUNK]>::try_from(chunk) {
        // Branch-free, so that it compiles to two or four vector comparisons.
        Ok(whole) => whole.iter().fold(false, |any, &score| any | (score > threshold)),
        Err(_) => true,
    }
}

/// An integer that is greater for a better score and, among equal scores, for a lower column.
fn key(score: f32, column: u32) -> u64 {
    // -0.0 and 0.0 are the same score.
    let bits = (score + 0.0).to_bits();
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    (u64::from(ordered) << 32) | u64::from(!column)
}

fn column(key: u64) -> u32 {
    !(key as u32)
}

fn score(key: u64) -> f32 {
    let ordered = (key >> 32) as u32;
    f32::from_bits(if ordered >> 31 == 1 { ordered & !(1 << 31) } else { !ordered })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_selected_in_order(
            scores in prop::collection::vec(-40i8..40, 0..400),
            keep in 0usize..40,
        ) {
            let row: Vec<f32> = scores.iter().map(|&score| f32::from(score) / 4.0).collect();
            let mut expected: Vec<u32> = (0..row.len() as u32).collect();
            expected.sort_by(|&a, &b| row[b as usize].total_cmp(&row[a as usize]).then(a.cmp(&b)));
            expected.truncate(keep);
            let mut found = Vec::new();
            let mut selector = Selector::new(keep);
            for _ in 0..2 {
                found.clear();
                selector.select(&row, |column, score| {
                    assert_eq!(score, row[column as usize]);
                    found.push(column);
                });
            }
            prop_assert_eq!(found, expected);
        }
    }
}
