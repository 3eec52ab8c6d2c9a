//! The unit of building an index: some hundred pairs, read and encoded, in a file that a later attempt can use.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{FindError, FindMethod, features};
use crate::{
    corpus::Passage,
    matching::index::{
        Container, ContainerError, ContainerWriter, DenseVectors, FeatureCounts, IndexKey, PairFeatures,
        SparseBuilder,
    },
};

const ROWS: &str = "rows";
const ENDS: &str = "ends";
const HASHES: &str = "hashes";
const COUNTS: &str = "counts";
const PROOFS: &str = "proofs";
const STATEMENTS: &str = "statements";

/// What a shard was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardKey {
    pub index: IndexKey,
    pub first: u32,
    pub count: usize,
}

/// The texts of a pair.
pub struct PairTexts {
    pub row: u32,
    pub statement: Passage,
    pub proof: Passage,
}

/// Encodes pairs as the bytes of a shard.
pub fn encode(method: &FindMethod, key: &ShardKey, pairs: &[PairTexts]) -> Result<Vec<u8>, FindError> {
    let rows: Vec<u32> = pairs.iter().map(|pair| pair.row).collect();
    let mut bytes = Vec::new();
    match method {
        FindMethod::Baseline(method) => {
            let read: Vec<[FeatureCounts; 2]> = pairs
                .par_iter()
                .map(|pair| [&pair.statement, &pair.proof].map(|passage| features::counted(*method, passage)))
                .collect();
            let (mut ends, mut hashes, mut counts) = (Vec::new(), Vec::new(), Vec::new());
            for (hash, count) in read.into_iter().flatten().flat_map(|side| {
                ends.push(ends.last().copied().unwrap_or(0u64) + side.len() as u64);
                side
            }) {
                hashes.push(hash);
                counts.push(count);
            }
            let mut writer = ContainerWriter::new();
            writer.array(ROWS, &rows);
            writer.array(ENDS, &ends);
            writer.array(HASHES, &hashes);
            writer.array(COUNTS, &counts);
            write(&writer, key, &mut bytes)?;
        }
        FindMethod::Run(model) => {
            let proofs: Vec<&Passage> = pairs.iter().map(|pair| &pair.proof).collect();
            let statements: Vec<&Passage> = pairs.iter().map(|pair| &pair.statement).collect();
            let [proofs, statements] = [model.encode(&proofs)?, model.encode(&statements)?];
            let mut writer = ContainerWriter::new();
            writer.array(ROWS, &rows);
            writer.array(PROOFS, &proofs.values);
            writer.array(STATEMENTS, &statements.values);
            write(&writer, key, &mut bytes)?;
        }
    }
    Ok(bytes)
}

/// Writing to memory does not fail; encoding the key as JSON cannot either.
fn write(writer: &ContainerWriter<'_>, key: &ShardKey, bytes: &mut Vec<u8>) -> Result<(), ContainerError> {
    Ok(writer.write(key, bytes)?)
}

/// Whether a shard is of these rows.
pub fn has_rows(shard: &Container, rows: &[u32]) -> bool {
    shard.len::<u32>(ROWS) == rows.len() as u64 && shard.array::<u32>(ROWS).is_ok_and(|found| found == rows)
}

/// Adds the pairs of a shard to a sparse index.
pub fn add_sparse(container: &Container, builder: &mut SparseBuilder) -> Result<(), ContainerError> {
    let damaged = ContainerError::Damaged("the arrays of a shard are inconsistent");
    let rows: Vec<u32> = container.array(ROWS)?;
    let ends: Vec<u64> = container.array(ENDS)?;
    let hashes: Vec<u64> = container.array(HASHES)?;
    let counts: Vec<u32> = container.array(COUNTS)?;
    let is_whole = ends.len() == 2 * rows.len()
        && ends.is_sorted()
        && ends.last().copied().unwrap_or_default() == hashes.len() as u64
        && hashes.len() == counts.len();
    if !is_whole {
        return Err(damaged);
    }
    let mut start = 0;
    for (row, ends) in rows.into_iter().zip(ends.chunks_exact(2)) {
        let mut side = |end: u64| -> FeatureCounts {
            let range = start..end as usize;
            start = end as usize;
            hashes[range.clone()].iter().copied().zip(counts[range].iter().copied()).collect()
        };
        let (statement, proof) = (side(ends[0]), side(ends[1]));
        builder.add(&PairFeatures { row, proof, statement });
    }
    Ok(())
}

/// Adds the pairs of a shard to dense vectors.
pub fn add_dense(container: &Container, vectors: &mut DenseVectors) -> Result<(), ContainerError> {
    let rows: Vec<u32> = container.array(ROWS)?;
    for (name, side) in [(PROOFS, &mut vectors.proofs), (STATEMENTS, &mut vectors.statements)] {
        let values: Vec<f32> = container.array(name)?;
        if values.len() != rows.len() * vectors.width {
            return Err(ContainerError::Damaged("a shard's vectors do not match its pairs"));
        }
        side.extend(values);
    }
    vectors.rows.extend(rows);
    Ok(())
}
