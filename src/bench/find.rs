//! Speed of searching: building and loading an index, and answering, against an exact search in another program; and the
//! recall of approximate search.

use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    error::BenchError,
    peer::Peer,
    timing::{Times, peak_memory},
};
use crate::{
    base::{rng::Rng, task::Task},
    corpus::store::Store,
    matching::{
        baseline::BaselineMethod,
        index::{
            Blob, CalibrationQuery, Candidates, CellIndex, ContainerError, DenseIndex, DenseVectors,
            IndexKey, RankedCandidate, Selection, Side, write_cells, write_dense,
        },
        scores::Bilinear,
    },
    runs::find::{FindMethod, FindRequest, Finder, IndexPlace, IndexPlaces, Question, SearchIn},
    train::trained::TrainedModel,
};

/// What to measure.
pub struct FindBench<'a> {
    pub store: &'a Store,
    /// Number of statements that are searched for.
    pub queries: usize,
    /// The vectors of the dense index.
    pub vectors: BenchVectors,
    pub rounds: usize,
    /// Another program, which is given a folder with both indexes' vectors and prints JSON.
    pub peer: Option<Peer>,
}

/// Where the vectors of the dense index come from.
pub enum BenchVectors {
    /// Random vectors of this width.
    Random(usize),
    /// A trained model.
    Run(Box<TrainedModel>),
}

/// Measurements, in seconds.
#[derive(Debug, Default, Serialize)]
pub struct FindMeasurement {
    pub pairs: usize,
    pub queries: usize,
    pub width: usize,
    pub features: u64,
    pub index_bytes: u64,
    /// The sparse index: built once, opened in every round.
    pub build: Times,
    pub open: Times,
    /// A search by text: the median over the statements, in every round.
    pub search: Times,
    /// The slowest search of all.
    pub slowest: f64,
    /// The dense index: read into memory, and the median search.
    pub dense_load: Times,
    pub dense_search: Times,
    /// The vectors of a model: encoded once.
    pub encode: Times,
    /// Cells of the dense index: built once, and the median search.
    pub cells_build: Times,
    pub cells_search: Times,
    /// The share of the ten best candidates that approximate search finds, and of all candidates that it scores.
    pub cells_recall: f64,
    pub cells_scored: f64,
    /// The other program's median searches.
    pub peer_sparse: Times,
    pub peer_dense: Times,
    /// The share of searches in which both programs found the same best proof.
    pub agreement_sparse: Option<f64>,
    pub agreement_dense: Option<f64>,
    pub peak_memory: Option<u64>,
}

#[derive(Deserialize)]
struct PeerAnswer {
    sparse: f64,
    dense: f64,
    sparse_best: Vec<u32>,
    dense_best: Vec<u32>,
}

const BEST: usize = 10;
/// Statements that choose how many cells an approximate search visits.
const CALIBRATION: usize = 200;
const DENSE_INDEX: &str = "dense.idx";

/// Measures this program and the other one alternately.
pub fn find(bench: FindBench<'_>, observe: &mut dyn FnMut(usize)) -> Result<FindMeasurement, BenchError> {
    let store = bench.store;
    let folder = tempfile::tempdir()?;
    let places = IndexPlaces::in_folder(folder.path());
    let pairs = store.pair_count() as usize;
    let mut measured = FindMeasurement { pairs, ..FindMeasurement::default() };
    let open = |times: &mut Times| {
        let method = FindMethod::Baseline(BaselineMethod::RENAMED);
        times.measure(|| Finder::open(store, method, None, &places, &Task::unobserved()))
    };
    open(&mut measured.build)?;
    let rows = spread(pairs, bench.queries, 0);
    let mut questions = Vec::new();
    for &row in &rows {
        if let Some((_, pair)) = store.pair_at(row)? {
            questions.push(Question { statement: pair.statement, row: Some(row) });
        }
    }
    measured.queries = questions.len();
    let request = FindRequest { side: SearchIn::Proofs, k: BEST, selection: Selection::All };
    fs::write(folder.path().join("pairs"), pairs.to_string())?;
    // Other statements than those that are searched for choose how many cells are visited.
    let other_rows = spread(pairs, CALIBRATION.min(pairs), 1);
    let dense = match bench.vectors {
        BenchVectors::Random(width) => random_vectors(folder.path(), pairs, width, [&rows, &other_rows])?,
        BenchVectors::Run(model) => {
            let bilinear = model.bilinear().map_err(std::io::Error::other)?;
            let finder = measured.encode.measure(|| {
                Finder::open(store, FindMethod::Run(model), None, &places, &Task::unobserved())
            })?;
            let IndexPlace::File(path) = finder.place().clone() else {
                return Err(std::io::Error::other("the index of the run was not written").into());
            };
            model_vectors(path, &bilinear, [&rows, &other_rows])?
        }
    };
    measured.width = dense.width;
    let index = open_dense(&dense.index)?;
    write_vectors(
        folder.path(),
        &index.vectors(Side::Proof).map_err(std::io::Error::other)?,
        &dense.queries,
    )?;
    let cells = measured.cells_build.measure(|| build_cells(&index, &dense, folder.path()))?;
    drop(index);
    let mut best = Vec::new();
    for round in 0..bench.rounds {
        observe(round);
        let finder = open(&mut measured.open)?;
        let mut times = Times::default();
        best.clear();
        for question in &questions {
            let answer = times.measure(|| finder.find(question, &request))?;
            best.push(answer.results.first().map_or(u32::MAX, |found| found.row));
        }
        measured.search.add(times.median());
        measured.slowest = measured.slowest.max(times.worst());
        if round == 0 {
            if let IndexPlace::File(path) = finder.place() {
                measured.index_bytes = fs::metadata(path)?.len();
            }
            measured.features = finder.export_proofs(folder.path(), &questions)?;
        }
        drop(finder);
        let index = measured.dense_load.measure(|| {
            let index = open_dense(&dense.index)?;
            index.load(Side::Proof).map_err(std::io::Error::other)?;
            Ok::<_, std::io::Error>(index)
        })?;
        let mut times = Times::default();
        let mut scores = Vec::new();
        let mut dense_best: Vec<Vec<u32>> = Vec::new();
        let ranked = |scores: &mut [f32]| {
            let candidates = Candidates {
                selection: &Selection::All,
                keep: BEST,
                temperature: 1.0,
                gold: None,
                population: None,
            };
            candidates.rank(scores)
        };
        for query in dense.queries.chunks(dense.width) {
            let found = times.measure(|| {
                index.scores(query, 0.0, Side::Proof, &mut scores)?;
                ranked(&mut scores)
            });
            let found = found.map_err(std::io::Error::other)?;
            dense_best.push(found.best.iter().map(|one| one.column).collect());
        }
        measured.dense_search.add(times.median());
        let mut times = Times::default();
        let (mut found_best, mut scored) = (0, 0);
        for (query, wanted) in dense.queries.chunks(dense.width).zip(&dense_best) {
            let (columns, found) = times
                .measure(|| {
                    let mut visited = cells.search(query, 0.0, Side::Proof, &|_| true)?;
                    let found = ranked(&mut visited.scores)?;
                    Ok((visited.columns, found))
                })
                .map_err(|error: ContainerError| std::io::Error::other(error))?;
            scored += columns.len();
            let is_wanted = |one: &&RankedCandidate| wanted.contains(&columns[one.column as usize]);
            found_best += found.best.iter().filter(is_wanted).count();
        }
        measured.cells_search.add(times.median());
        let all: usize = dense_best.iter().map(Vec::len).sum();
        measured.cells_recall = found_best as f64 / all.max(1) as f64;
        measured.cells_scored = scored as f64 / (pairs * dense_best.len()).max(1) as f64;
        if let Some(peer) = &bench.peer {
            drop(index);
            let answer: PeerAnswer = peer.run([folder.path()])?;
            measured.peer_sparse.add(answer.sparse);
            measured.peer_dense.add(answer.dense);
            let agreement = |ours: &[u32], theirs: &[u32]| {
                let same = ours.iter().zip(theirs).filter(|(one, other)| one == other).count();
                same as f64 / ours.len().max(1) as f64
            };
            let first: Vec<u32> =
                dense_best.iter().map(|best| best.first().copied().unwrap_or(u32::MAX)).collect();
            measured.agreement_sparse = Some(agreement(&best, &answer.sparse_best));
            measured.agreement_dense = Some(agreement(&first, &answer.dense_best));
        }
    }
    measured.peak_memory = peak_memory();
    Ok(measured)
}

/// Evenly spaced rows; those with another offset are others where there are enough.
fn spread(pairs: usize, count: usize, offset: usize) -> Vec<u32> {
    let step = (pairs / count.max(1)).max(1);
    (0..pairs as u32).skip(offset.min(step - 1)).step_by(step).take(count).collect()
}

/// A dense index with vectors to search for.
struct DenseBench {
    index: PathBuf,
    width: usize,
    queries: Vec<f32>,
    calibration: Vec<f32>,
}

fn open_dense(path: &Path) -> std::io::Result<DenseIndex> {
    DenseIndex::open(Blob::File(fs::File::open(path)?)).map_err(std::io::Error::other)
}

fn build_cells(index: &DenseIndex, dense: &DenseBench, folder: &Path) -> std::io::Result<CellIndex> {
    let query = |vector: &[f32]| CalibrationQuery { vector: vector.to_vec(), without: None };
    let queries: Vec<CalibrationQuery> = dense.calibration.chunks(dense.width.max(1)).map(query).collect();
    let path = folder.join("cells.idx");
    let mut out = BufWriter::new(fs::File::create(&path)?);
    let key = index.key().clone();
    write_cells(index, &[queries, Vec::new()], key, &Task::unobserved(), &mut out)
        .map_err(std::io::Error::other)??;
    out.flush()?;
    CellIndex::open(Blob::File(fs::File::open(path)?)).map_err(std::io::Error::other)
}

/// The vectors as plain arrays, for the other program.
fn write_vectors(folder: &Path, proofs: &[f32], queries: &[f32]) -> std::io::Result<()> {
    fs::write(folder.join("dense.queries"), bytemuck::cast_slice::<f32, u8>(queries))?;
    fs::write(folder.join("dense.proofs"), bytemuck::cast_slice::<f32, u8>(proofs))
}

/// The index of a model, whose statements are searched for.
fn model_vectors(index: PathBuf, bilinear: &Bilinear, rows: [&[u32]; 2]) -> Result<DenseBench, BenchError> {
    let opened = open_dense(&index)?;
    let width = opened.width();
    let statements = opened.vectors(Side::Statement).map_err(std::io::Error::other)?;
    let [queries, calibration] = rows.map(|rows| {
        let chosen: Vec<f32> =
            rows.iter().flat_map(|&row| &statements[row as usize * width..][..width]).copied().collect();
        bilinear.project(&chosen)
    });
    Ok(DenseBench { index, width, queries, calibration })
}

/// Writes random vectors as an index. The queries lie near some of the proofs.
fn random_vectors(
    folder: &Path,
    pairs: usize,
    width: usize,
    rows: [&[u32]; 2],
) -> Result<DenseBench, BenchError> {
    let mut rng = Rng::new(1);
    let mut number = || (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32 - 0.5;
    let proofs: Vec<f32> = (0..pairs * width).map(|_| number()).collect();
    let [queries, calibration] = rows.map(|rows| {
        let near = rows.iter().flat_map(|&row| &proofs[row as usize * width..][..width]);
        near.map(|value| 0.5 * value + number()).collect::<Vec<f32>>()
    });
    let mut weight = vec![0.0; width * width];
    weight.iter_mut().step_by(width + 1).for_each(|value| *value = 1.0);
    let vectors =
        DenseVectors { width, rows: (0..pairs as u32).collect(), statements: proofs.clone(), proofs };
    let key = IndexKey { corpus: String::new(), method: "bench".to_owned(), candidates: "all".to_owned() };
    let index = folder.join(DENSE_INDEX);
    let mut out = BufWriter::new(fs::File::create(&index)?);
    write_dense(&vectors, &Bilinear { weight, bias: 0.0 }, key, &[0], &mut out)?;
    out.flush()?;
    Ok(DenseBench { index, width, queries, calibration })
}
