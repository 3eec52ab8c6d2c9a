//! Opening an index, and building it when there is none.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{
    FindError, FindMethod, IndexPlace, IndexPlaces,
    shard::{self, PairTexts, ShardKey},
};
use crate::{
    base::{atomic, outside, task::Task},
    corpus::{split::Part, store::Store},
    matching::index::{
        Blob, Container, ContainerError, DenseIndex, DenseVectors, IndexKey, SparseBuilder, SparseIndex,
        is_of, write_dense,
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
    /// Opens the index if one of the places has it, else builds it.
    pub fn open_or_build(
        request: &IndexRequest<'_>,
        places: &IndexPlaces,
        task: &Task<'_>,
    ) -> Result<(MethodIndex, IndexPlace), FindError> {
        if let Some((index, place)) = request.find(places) {
            if let IndexPlace::File(path) = &place {
                // A process that was killed after the last step but one leaves its shards.
                let _ = fs::remove_dir_all(scratch_of(path));
            }
            return Ok((index, place));
        }
        for path in places.writable(&request.name) {
            let error = match request.build_file(&path, task) {
                Ok(built) => return Ok(built),
                Err(error) => error,
            };
            task.check()?;
            // Another process may have built it meanwhile, and removed the shards that both were using.
            if let Some(found) = request.find(places) {
                return Ok(found);
            }
            // A full disk, or a file of another kind in the way: the next place may have room.
            if !matches!(error, FindError::Write { .. }) {
                return Err(error);
            }
            let _ = fs::remove_dir_all(scratch_of(&path));
        }
        let shards = request.shards(None, task)?;
        let mut bytes = Vec::new();
        request.write(&shards, task, &mut bytes)??;
        Ok((MethodIndex::open(request.method, Blob::Memory(bytes))?, IndexPlace::Memory))
    }

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

impl IndexRequest<'_> {
    /// The index, if one of the places has it.
    fn find(&self, places: &IndexPlaces) -> Option<(MethodIndex, IndexPlace)> {
        places.files(&self.name).find_map(|path| {
            let file = outside::open(&path).ok()?;
            Some((self.open(Blob::File(file))?, IndexPlace::File(path)))
        })
    }

    /// Opens an index if it is whole and was built from the same corpus and method.
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

    fn build_file(&self, path: &Path, task: &Task<'_>) -> Result<(MethodIndex, IndexPlace), FindError> {
        let failed = |source| FindError::Write { path: path.to_owned(), source };
        let scratch = scratch_of(path);
        fs::create_dir_all(&scratch).map_err(failed)?;
        let shards = self.shards(Some(&scratch), task)?;
        let mut stopped = None;
        let written = atomic::replace_with(path, |out| {
            let mut out = BufWriter::with_capacity(1 << 20, out);
            match self.write(&shards, task, &mut out) {
                Ok(written) => written.and_then(|()| out.flush()),
                Err(error) => {
                    stopped = Some(error);
                    Err(io::Error::other("stopped"))
                }
            }
        });
        if let Some(error) = stopped {
            return Err(error);
        }
        written.map_err(failed)?;
        drop(shards);
        // What remains is overwritten or ignored by the next build.
        let _ = fs::remove_dir_all(&scratch);
        let file = outside::open(path).map_err(failed)?;
        Ok((MethodIndex::open(self.method, Blob::File(file))?, IndexPlace::File(path.to_owned())))
    }

    /// The shards of the index, of which a folder may have some from an earlier attempt.
    fn shards(&self, folder: Option<&Path>, task: &Task<'_>) -> Result<Vec<Container>, FindError> {
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
            let path = folder.map(|folder| folder.join(format!("{number:06}")));
            let kept = path.as_ref().and_then(|path| outside::open(path).ok()).map(Blob::File);
            if let Some(shard) =
                kept.and_then(|blob| shard::open(blob, &key, rows)).filter(Container::is_whole)
            {
                shards.push(shard);
                continue;
            }
            let bytes = shard::encode(self.method, &key, &self.texts(rows)?)?;
            let blob = match path {
                None => Blob::Memory(bytes),
                Some(path) => {
                    let failed = |source| FindError::Write { path: path.clone(), source };
                    atomic::replace(&path, &bytes).map_err(failed)?;
                    Blob::File(outside::open(&path).map_err(failed)?)
                }
            };
            let made = shard::open(blob, &key, rows);
            shards
                .push(made.ok_or(ContainerError::Damaged("a shard was changed while it was being written"))?);
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

    /// Joins the shards and writes the index. The inner error is that of `out`.
    fn write(
        &self,
        shards: &[Container],
        task: &Task<'_>,
        out: &mut dyn Write,
    ) -> Result<io::Result<()>, FindError> {
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

/// The folder of the shards of an index that is being built.
fn scratch_of(index: &Path) -> PathBuf {
    index.with_extension("building")
}

impl From<io::Error> for FindError {
    fn from(error: io::Error) -> FindError {
        FindError::Index(error.into())
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
