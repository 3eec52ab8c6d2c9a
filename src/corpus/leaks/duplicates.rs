//! Near-duplicates over a whole corpus: texts that are nearly the same, wherever they are.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::Serialize;

use super::{
    near::{Side, is_promising},
    sketch::{BANDS, Shingled, Shingler, Sketch, similarity},
};
use crate::{
    base::task::{Cancelled, Task},
    corpus::store::{Store, StoreError},
};

/// What to look for.
#[derive(Clone, Debug)]
pub struct DuplicateRequest {
    pub sides: Vec<Side>,
    /// Minimum Jaccard similarity of the shingles.
    pub least: f64,
    pub shingler: Shingler,
}

/// A text and an earlier one that is nearly the same.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Duplicate {
    pub side: Side,
    pub row: u32,
    /// The row of the most similar earlier text among those compared.
    pub twin: u32,
    pub similarity: f64,
}

/// Why the search ended early.
#[derive(Debug, thiserror::Error)]
pub enum DuplicateError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Rows that are read at a time.
const BATCH: u32 = 4_096;
/// Texts in the same band that a text is compared with: all, unless hundreds follow one template.
const MOST_CANDIDATES: usize = 8;

/// Finds the most similar earlier text for each text; the most similar first.
pub fn find_duplicates(
    store: &Store,
    request: &DuplicateRequest,
    task: &Task<'_>,
) -> Result<Vec<Duplicate>, DuplicateError> {
    let total = store.pair_count();
    let mut sketches: [Vec<Sketch>; 2] = Default::default();
    for first in (0..total).step_by(BATCH as usize) {
        task.check()?;
        task.step("sketching", first as usize, total as usize);
        let pairs = store.passages(first..first.saturating_add(BATCH).min(total))?;
        for (sketches, side) in sketches.iter_mut().zip([Side::Statement, Side::Proof]) {
            if request.sides.contains(&side) {
                sketches.par_extend(pairs.par_iter().map(|(_, statement, proof)| {
                    Sketch::of(&(request.shingler)(if side == Side::Statement { statement } else { proof }))
                }));
            }
        }
    }
    let mut found = Vec::new();
    for (sketches, side) in sketches.iter().zip([Side::Statement, Side::Proof]) {
        found.extend(find_side(store, request, side, sketches, task)?);
    }
    Ok(found)
}

fn find_side(
    store: &Store,
    request: &DuplicateRequest,
    side: Side,
    sketches: &[Sketch],
    task: &Task<'_>,
) -> Result<Vec<Duplicate>, DuplicateError> {
    let shingles = |row: u32| -> Result<Vec<u64>, StoreError> {
        let found = store.passages(row..row.saturating_add(1))?.pop();
        Ok(found.map_or(Vec::new(), |(_, statement, proof)| {
            let text: Shingled =
                (request.shingler)(if side == Side::Statement { &statement } else { &proof });
            text.set()
        }))
    };
    let mut best: HashMap<u32, Duplicate> = HashMap::new();
    for band in 0..BANDS {
        task.check()?;
        task.step("comparing", band, BANDS);
        let mut sorted: Vec<(u32, u32)> =
            (0u32..).zip(sketches).map(|(row, sketch)| (sketch.bands[band], row)).collect();
        sorted.par_sort_unstable();
        for group in sorted.chunk_by(|(key, _), (other, _)| key == other).filter(|group| group.len() > 1) {
            let mut candidates: Vec<(u32, Vec<u64>)> = Vec::new();
            for &(_, row) in group {
                let sketch = &sketches[row as usize];
                let set = shingles(row)?;
                for (twin, other) in candidates.iter().rev().take(MOST_CANDIDATES) {
                    let candidate = &sketches[*twin as usize];
                    if sketch.first_agreement(candidate) != Some(band)
                        || !is_promising(sketch, candidate, request.least)
                    {
                        continue;
                    }
                    let similarity = similarity(&set, other);
                    let known = best.get(&row).map_or(f64::NEG_INFINITY, |known| known.similarity);
                    if similarity >= request.least && similarity > known {
                        best.insert(row, Duplicate { side, row, twin: *twin, similarity });
                    }
                }
                // Equal texts are represented by the first, so that a template's copies do not crowd out others.
                if !candidates.iter().any(|(_, other)| *other == set) {
                    candidates.push((row, set));
                }
            }
        }
    }
    let mut found: Vec<Duplicate> = best.into_values().collect();
    found.sort_by(|one, other| other.similarity.total_cmp(&one.similarity).then(one.row.cmp(&other.row)));
    Ok(found)
}
