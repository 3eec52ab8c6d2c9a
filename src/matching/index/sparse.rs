//! A sparse index: the features of a corpus with their inverted lists.
//!
//! Features are known by 64-bit hashes, sorted, with one in 64 kept in memory; finding a feature reads one block of 64
//! records. Each record has the feature's number (its first occurrence in the corpus, which fixes the order in which
//! products are added up), in how many statements and proofs it occurs, and where its two lists begin. Among ten million
//! features two share a hash with a probability of one in 300,000.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, Serialize};

use super::{Blob, Container, ContainerError, IndexKey, Side};
use crate::matching::scores::Measure;

/// Records per block.
pub(super) const BLOCK: usize = 64;
/// Words of a record: hash, number, texts (proofs, statements), start among proofs, start among statements.
pub(super) const RECORD: usize = 5;
/// Postings that are kept in memory for the next queries.
const MOST_CACHED: usize = 16 << 20;

pub(super) const ROWS: &str = "rows";
pub(super) const RECORDS: &str = "features";
pub(super) const DIRECTORY: &str = "directory";

/// The description of a sparse index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SparseHeader {
    pub key: IndexKey,
    pub measure: Measure,
    pub temperature: f64,
}

/// Where each list begins (and the last one ends), the texts of all lists, and their weights.
pub type ProofLists = (Vec<u64>, Vec<u32>, Vec<f32>);

/// A sparse index, open for queries from several threads.
#[derive(Debug)]
pub struct SparseIndex {
    container: Container,
    header: SparseHeader,
    rows: Vec<u32>,
    directory: Vec<u64>,
    features: u64,
    /// The number of features of each text, for Dice's coefficient.
    sizes: [Vec<u32>; 2],
    cache: Mutex<Cache>,
}

/// A known feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedFeature {
    /// The order of its first occurrence.
    pub number: u32,
    /// Proofs and statements with the feature.
    pub texts: [u32; 2],
    starts: [u64; 2],
}

/// The weighted features of a query, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct SparseQuery {
    pub terms: Vec<(IndexedFeature, f32)>,
    /// The number of distinct features, known or not.
    pub size: usize,
}

#[derive(Debug, Default)]
struct Cache {
    lists: HashMap<(Side, u32), Arc<List>>,
    postings: usize,
}

#[derive(Debug, Default)]
struct List {
    columns: Vec<u32>,
    weights: Vec<f32>,
}

impl SparseIndex {
    pub fn open(blob: Blob) -> Result<SparseIndex, ContainerError> {
        let (container, header) = Container::open::<SparseHeader>(blob)?;
        let rows: Vec<u32> = container.array(ROWS)?;
        let sizes = match header.measure {
            Measure::Product => [Vec::new(), Vec::new()],
            Measure::Dice => {
                [container.array(&sizes(Side::Proof))?, container.array(&sizes(Side::Statement))?]
            }
        };
        if sizes.iter().any(|sizes| header.measure == Measure::Dice && sizes.len() != rows.len()) {
            return Err(ContainerError::Damaged("its arrays do not match"));
        }
        let directory = container.array(DIRECTORY)?;
        let features = container.len::<u64>(RECORDS) / RECORD as u64;
        if directory.len() as u64 != features.div_ceil(BLOCK as u64) {
            return Err(ContainerError::Damaged("its directory does not match its features"));
        }
        Ok(SparseIndex { container, header, rows, directory, features, sizes, cache: Mutex::default() })
    }

    pub fn key(&self) -> &IndexKey {
        &self.header.key
    }

    pub fn temperature(&self) -> f64 {
        self.header.temperature
    }

    /// The rows of the corpus that are indexed, ascending.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The number of distinct features.
    pub fn feature_count(&self) -> u64 {
        self.features
    }

    /// The texts of both sides, of which a feature's are a part.
    pub fn text_count(&self) -> usize {
        2 * self.rows.len()
    }

    /// Looks up a feature.
    pub fn feature(&self, hash: u64) -> Result<Option<IndexedFeature>, ContainerError> {
        let Some(block) = self.directory.partition_point(|&first| first <= hash).checked_sub(1) else {
            return Ok(None);
        };
        let first = (block * BLOCK) as u64;
        let count = (self.features - first).min(BLOCK as u64);
        let mut records: Vec<u64> = Vec::new();
        self.container.read(RECORDS, first * RECORD as u64, count * RECORD as u64, &mut records)?;
        let found = records.chunks_exact(RECORD).find(|record| record[0] == hash);
        Ok(found.map(|record| IndexedFeature {
            number: record[1] as u32,
            texts: [(record[2] >> 32) as u32, record[2] as u32],
            starts: [record[3], record[4]],
        }))
    }

    /// Fills `out` with the scores of a query with the texts of a side, in the order of [`SparseIndex::rows`].
    pub fn scores(&self, query: &SparseQuery, side: Side, out: &mut Vec<f32>) -> Result<(), ContainerError> {
        out.clear();
        out.resize(self.rows.len(), 0.0);
        for (feature, weight) in &query.terms {
            let list = self.list(*feature, side)?;
            for (&column, &other) in list.columns.iter().zip(&list.weights) {
                let score = out
                    .get_mut(column as usize)
                    .ok_or(ContainerError::Damaged("a list refers to a missing text"))?;
                *score += weight * other;
            }
        }
        if self.header.measure == Measure::Dice {
            for (score, &size) in out.iter_mut().zip(&self.sizes[side as usize]) {
                let sizes = (query.size + size as usize) as f32;
                *score = if sizes > 0.0 { 2.0 * *score / sizes } else { 0.0 };
            }
        }
        Ok(())
    }

    /// The lists of all proofs, concatenated in the order of the feature ids.
    pub fn proof_lists(&self) -> Result<ProofLists, ContainerError> {
        let records: Vec<u64> = self.container.array(RECORDS)?;
        let mut starts: Vec<u64> = records.chunks_exact(RECORD).map(|record| record[3]).collect();
        starts.push(self.container.len::<u32>(&columns(Side::Proof)));
        // Lists lie in the order of the numbers, so their starts ascend with them.
        starts.sort_unstable();
        Ok((
            starts,
            self.container.array(&columns(Side::Proof))?,
            self.container.array(&weights(Side::Proof))?,
        ))
    }

    fn list(&self, feature: IndexedFeature, side: Side) -> Result<Arc<List>, ContainerError> {
        let place = (side, feature.number);
        if let Some(list) = self.cache.lock().ok().and_then(|cache| cache.lists.get(&place).cloned()) {
            return Ok(list);
        }
        let (start, count) = (feature.starts[side as usize], u64::from(feature.texts[side as usize]));
        let mut list = List::default();
        self.container.read(&columns(side), start, count, &mut list.columns)?;
        self.container.read(&weights(side), start, count, &mut list.weights)?;
        let list = Arc::new(list);
        if let Ok(mut cache) = self.cache.lock()
            && cache.postings + list.columns.len() <= MOST_CACHED
        {
            cache.postings += list.columns.len();
            cache.lists.insert(place, Arc::clone(&list));
        }
        Ok(list)
    }
}

pub(super) fn columns(side: Side) -> String {
    format!("{side}.columns")
}

pub(super) fn weights(side: Side) -> String {
    format!("{side}.weights")
}

pub(super) fn sizes(side: Side) -> String {
    format!("{side}.sizes")
}
