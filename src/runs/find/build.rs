//! The index of a method, and how it is built.

use std::io::{self, Write};

use super::{
    FindError, FindMethod,
    files::IndexFile,
    shard::{self, PairTexts, ShardKey},
};
use crate::{
    base::task::Task,
    corpus::{split::Part, store::Store},
    matching::index::{
        Blob, Container, ContainerError, DenseIndex, DenseVectors, IndexKey, Scratch, SparseBuilder,
        SparseIndex, is_of, write_dense,
    },
};

/// The index of a method.
#[derive(Debug)]
pub enum MethodIndex {
    Sparse(SparseIndex),
    Dense(DenseIndex),
}

/// What an index is made of.
pub struct IndexRequest<'a> {
    pub store: &'a Store,
    pub method: &'a FindMethod,
    pub key: IndexKey,
    /// The name of the file, without its ending.
    pub name: String,
    /// The candidates, ascending.
    pub rows: &'a [u32],
    /// The number of pairs that are read, encoded and kept as one shard.
    pub shard: usize,
}

/// Scores that calibrate probabilities, at most.
const CALIBRATION_SCORES: usize = 20_000_000;
const CALIBRATION_STATEMENTS: std::ops::RangeInclusive<usize> = 16..=256;

/// The progress of building.
const READING: &str = "indexing";

impl MethodIndex {
    fn open(method: &FindMethod, blob: Blob) -> Result<MethodIndex, ContainerError> {
        match method {
            FindMethod::Baseline(_) => SparseIndex::open(blob).map(MethodIndex::Sparse),
            FindMethod::Run(_) => DenseIndex::open(blob).map(MethodIndex::Dense),
        }
    }

    pub fn key(&self) -> &IndexKey {
        match self {
            MethodIndex::Sparse(index) => index.key(),
            MethodIndex::Dense(index) => index.key(),
        }
    }

    /// The indexed rows of the corpus, ascending.
    pub fn rows(&self) -> &[u32] {
        match self {
            MethodIndex::Sparse(index) => index.rows(),
            MethodIndex::Dense(index) => index.rows(),
        }
    }

    pub fn temperature(&self) -> f64 {
        match self {
            MethodIndex::Sparse(index) => index.temperature(),
            MethodIndex::Dense(index) => index.temperature(),
        }
    }
}

impl IndexFile for IndexRequest<'_> {
    type Index = MethodIndex;

    fn name(&self) -> &str {
        &self.name
    }

    fn open(&self, blob: Blob) -> Option<MethodIndex> {
        let width = match self.method {
            FindMethod::Baseline(_) => 0,
            FindMethod::Run(model) => model.weights.shape().width,
        };
        if !is_of(&blob, self.rows.len(), width) {
            return None;
        }
        let index = MethodIndex::open(self.method, blob).ok()?;
        (*index.key() == self.key && index.rows() == self.rows).then_some(index)
    }

    /// Joins the shards and writes the index.
    fn write(
        &self,
        scratch: &Scratch,
        task: &Task<'_>,
        out: &mut dyn Write,
    ) -> Result<io::Result<()>, FindError> {
        let shards = self.shards(scratch, task)?;
        let calibration = calibration(self.store, self.method, self.rows)?;
        let join = |add: &mut dyn FnMut(&Container) -> Result<(), ContainerError>| {
            for (number, shard) in shards.iter().enumerate() {
                task.check()?;
                task.step("joining", number, shards.len());
                add(shard)?;
            }
            Ok::<(), FindError>(())
        };
        match self.method {
            FindMethod::Baseline(method) => {
                let mut builder = SparseBuilder::new(method.weighting());
                join(&mut |container| shard::add_sparse(container, &mut builder))?;
                Ok(builder.write(self.key.clone(), &calibration, out))
            }
            FindMethod::Run(model) => {
                let width = model.weights.shape().width;
                let mut vectors = DenseVectors { width, ..DenseVectors::default() };
                join(&mut |container| shard::add_dense(container, &mut vectors))?;
                Ok(write_dense(&vectors, &model.bilinear()?, self.key.clone(), &calibration, out))
            }
        }
    }
}

impl IndexRequest<'_> {
    /// The shards of the index, some of which an earlier attempt may have made.
    fn shards(&self, scratch: &Scratch, task: &Task<'_>) -> Result<Vec<Container>, FindError> {
        let size = self.shard.max(1);
        let mut shards = Vec::new();
        for (number, rows) in self.rows.chunks(size).enumerate() {
            task.check()?;
            task.step(READING, number * size, self.rows.len());
            let key = ShardKey {
                index: self.key.clone(),
                first: rows.first().copied().unwrap_or_default(),
                count: rows.len(),
            };
            let encode = || shard::encode(self.method, &key, &self.texts(rows)?);
            let has_rows = |shard: &Container| shard::has_rows(shard, rows);
            shards.push(scratch.part(&format!("{number:06}"), &key, has_rows, encode)?);
        }
        task.step(READING, self.rows.len(), self.rows.len());
        Ok(shards)
    }

    fn texts(&self, rows: &[u32]) -> Result<Vec<PairTexts>, FindError> {
        let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
        let found = self.store.passages(first..last + 1)?;
        let texts = found.into_iter().filter(|(row, ..)| rows.binary_search(row).is_ok());
        Ok(texts.map(|(row, statement, proof)| PairTexts { row, statement, proof }).collect())
    }
}

/// Evenly spaced positions of dev pairs among the candidates, or of all pairs if there are few.
pub(super) fn calibration(store: &Store, method: &FindMethod, rows: &[u32]) -> Result<Vec<u32>, FindError> {
    let (scheme, seed) = method.calibration_split();
    let split = store.split(scheme, seed)?;
    let is_dev = |row: u32| split.part(row) == Some(Part::Dev);
    let mut positions: Vec<u32> =
        (0u32..).zip(rows).filter(|(_, row)| is_dev(**row)).map(|(at, _)| at).collect();
    let (least, most) = (*CALIBRATION_STATEMENTS.start(), *CALIBRATION_STATEMENTS.end());
    if positions.len() < least {
        positions = (0..rows.len() as u32).collect();
    }
    let wanted = (CALIBRATION_SCORES / rows.len().max(1)).clamp(least, most);
    let step = positions.len().div_ceil(wanted).max(1);
    Ok(positions.into_iter().step_by(step).collect())
}
