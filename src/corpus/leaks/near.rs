//! Near-duplicates in two parts of a split, by locality-sensitive hashing.
//!
//! Texts that agree in a band of their sketches are candidates, and candidates are compared exactly. To keep this linear
//! in the corpus, equal texts of a part are examined once, a text is compared with at most eight candidates of a part in
//! each band (all of them, unless hundreds of texts follow one template), and no two texts are compared twice.

use std::collections::HashMap;

use serde::Serialize;

use super::{
    EARLIER, NEARLY_THE_SAME, Twin, Twins,
    sketch::{BANDS, Shingler, Sketch, similarity},
};
use crate::corpus::{
    split::Part,
    store::{Store, StoreError},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Side {
    Statement,
    Proof,
}

/// The number of candidates of a part that are compared with a text in each band.
const MOST_CANDIDATES: usize = 8;

/// Longer texts of this similarity agree in eight bands on average; in a single one, once in 1,000 times.
const LONG: u32 = 60;

/// Finds twins that are similar but not in `same`.
pub fn find(
    store: &Store,
    (side, shingler): (Side, Shingler),
    sketches: &[Sketch],
    parts: &[Part],
    same: &Twins,
) -> Result<Twins, StoreError> {
    let twins = Twins::none(sketches.len());
    let mut search = Search { store, side, shingler, sketches, same, twins, shown: None };
    let (texts, representative) = distinct_texts(sketches, parts, same);
    for band in 0..BANDS {
        let mut sorted: Vec<(u32, u32)> =
            texts.iter().map(|&row| (sketches[row as usize].bands[band], row)).collect();
        sorted.sort_unstable();
        for group in sorted.chunk_by(|(key, _), (other, _)| key == other).filter(|group| group.len() > 1) {
            let of_part = Part::ALL.map(|part| {
                let rows = group.iter().map(|(_, row)| *row);
                rows.filter(|&row| parts[row as usize] == part).collect::<Vec<u32>>()
            });
            for (place, part) in EARLIER.into_iter().enumerate() {
                for later in Part::ALL.into_iter().filter(|later| *later > part) {
                    for &row in &of_part[later as usize] {
                        search.compare(band, row, place, &of_part[part as usize])?;
                    }
                }
            }
        }
    }
    // The result for a text applies to its copies in the same part.
    let mut twins = search.twins;
    for (row, first) in representative.into_iter().enumerate() {
        twins.of_row[row] = twins.of_row[first as usize];
    }
    Ok(twins)
}

struct Search<'a> {
    store: &'a Store,
    side: Side,
    shingler: Shingler,
    sketches: &'a [Sketch],
    same: &'a Twins,
    twins: Twins,
    /// The text that was compared last, which is often the next one too.
    shown: Option<(u32, Vec<u64>)>,
}

impl Search<'_> {
    /// Compares a text with candidates of an earlier part until one is its twin.
    fn compare(&mut self, band: usize, row: u32, place: usize, others: &[u32]) -> Result<(), StoreError> {
        let sketch = &self.sketches[row as usize];
        let is_known = |twins: &Twins| twins.of_row[row as usize][place].is_some();
        if others.is_empty() || is_known(self.same) || is_known(&self.twins) {
            return Ok(());
        }
        // Neighbors first: copies are often nearby.
        let start = others.partition_point(|&other| other < row).saturating_sub(MOST_CANDIDATES / 2);
        for &other in others.iter().cycle().skip(start).take(others.len().min(MOST_CANDIDATES)) {
            let candidate = &self.sketches[other as usize];
            let is_first_meeting = sketch.first_agreement(candidate) == Some(band);
            if !is_first_meeting || !is_promising(sketch, candidate, NEARLY_THE_SAME) {
                continue;
            }
            let similarity = similarity(&self.shingles(row)?, &self.read_shingles(other)?);
            if similarity >= NEARLY_THE_SAME {
                self.twins.of_row[row as usize][place] = Some(Twin { row: other, similarity });
                break;
            }
        }
        Ok(())
    }

    fn shingles(&mut self, row: u32) -> Result<Vec<u64>, StoreError> {
        match &self.shown {
            Some((shown, set)) if *shown == row => Ok(set.clone()),
            _ => {
                let set = self.read_shingles(row)?;
                self.shown = Some((row, set.clone()));
                Ok(set)
            }
        }
    }

    fn read_shingles(&self, row: u32) -> Result<Vec<u64>, StoreError> {
        let found = self.store.pair_at(row)?;
        Ok(found.map_or(Vec::new(), |(_, pair)| match self.side {
            Side::Statement => (self.shingler)(&pair.statement).set(),
            Side::Proof => (self.shingler)(&pair.proof).set(),
        }))
    }
}

/// A check of the sketches that avoids most unsuccessful comparisons.
pub(super) fn is_promising(sketch: &Sketch, other: &Sketch, least: f64) -> bool {
    let (small, large) = (sketch.shingles.min(other.shingles), sketch.shingles.max(other.shingles));
    // Repeated shingles are counted as often as they occur, hence the allowance of a tenth.
    let sizes_fit = f64::from(small) >= (least - 0.1) * f64::from(large);
    sizes_fit && (large < LONG || sketch.agreement(other) > 1)
}

/// The first row of every distinct text of every part, and for each row its representative.
fn distinct_texts(sketches: &[Sketch], parts: &[Part], same: &Twins) -> (Vec<u32>, Vec<u32>) {
    let mut first: HashMap<(u64, Part, [bool; 2]), u32> = HashMap::with_capacity(sketches.len());
    let mut texts = Vec::new();
    let mut representative = Vec::with_capacity(sketches.len());
    for (row, (sketch, part)) in (0u32..).zip(sketches.iter().zip(parts)) {
        // Texts that are equal up to renaming may differ in which twins are known already.
        let known = same.of_row[row as usize].map(|twin| twin.is_some());
        let found = *first.entry((sketch.text, *part, known)).or_insert(row);
        if found == row {
            texts.push(row);
        }
        representative.push(found);
    }
    (texts, representative)
}
