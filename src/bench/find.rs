//! Speed of searching: building and loading an index, and answering, against an exact search in another program.

use std::{fs, path::Path};

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
        index::{Blob, Candidates, DenseIndex, DenseVectors, IndexKey, Selection, Side, write_dense},
        scores::Bilinear,
    },
    runs::find::{FindMethod, FindRequest, Finder, IndexPlace, IndexPlaces, Question, SearchIn},
};

/// What to measure.
pub struct FindBench<'a> {
    pub store: &'a Store,
    /// Number of statements that are searched for.
    pub queries: usize,
    /// Width of the vectors of the dense index.
    pub width: usize,
    pub rounds: usize,
    /// Another program, which is given a folder with both indexes' vectors and prints JSON.
    pub peer: Option<Peer>,
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
const DENSE_INDEX: &str = "dense.idx";

/// Measures this program and the other one alternately.
pub fn find(bench: &FindBench<'_>, observe: &mut dyn FnMut(usize)) -> Result<FindMeasurement, BenchError> {
    let store = bench.store;
    let folder = tempfile::tempdir()?;
    let places = IndexPlaces::in_folder(folder.path());
    let pairs = store.pair_count() as usize;
    let mut measured = FindMeasurement { pairs, width: bench.width, ..FindMeasurement::default() };
    let open = |times: &mut Times| {
        let method = FindMethod::Baseline(BaselineMethod::RENAMED);
        times.measure(|| Finder::open(store, method, None, &places, &Task::unobserved()))
    };
    open(&mut measured.build)?;
    let step = (pairs / bench.queries.max(1)).max(1);
    let mut questions = Vec::new();
    for row in (0..pairs as u32).step_by(step).take(bench.queries) {
        if let Some((_, pair)) = store.pair_at(row)? {
            questions.push(Question { statement: pair.statement, row: Some(row) });
        }
    }
    measured.queries = questions.len();
    let request = FindRequest { side: SearchIn::Proofs, k: BEST, selection: Selection::All };
    fs::write(folder.path().join("pairs"), pairs.to_string())?;
    let queries = write_dense_vectors(folder.path(), pairs, bench.width, questions.len())?;
    let dense = folder.path().join(DENSE_INDEX);
    let (mut best, mut dense_best) = (Vec::new(), Vec::new());
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
        let index = measured.dense_load.measure(|| {
            let index =
                DenseIndex::open(Blob::File(fs::File::open(&dense)?)).map_err(std::io::Error::other)?;
            index.load(Side::Proof).map_err(std::io::Error::other)?;
            Ok::<_, std::io::Error>(index)
        })?;
        let mut times = Times::default();
        let mut scores = Vec::new();
        let candidates = Candidates { selection: &Selection::All, keep: BEST, temperature: 1.0, gold: None };
        dense_best.clear();
        for query in queries.chunks(bench.width) {
            let found = times.measure(|| {
                index.scores(query, 0.0, Side::Proof, &mut scores)?;
                candidates.rank(&mut scores)
            });
            let found = found.map_err(std::io::Error::other)?;
            dense_best.push(found.best.first().map_or(u32::MAX, |one| one.column));
        }
        measured.dense_search.add(times.median());
        if let Some(peer) = &bench.peer {
            let answer: PeerAnswer = peer.run([folder.path()])?;
            measured.peer_sparse.add(answer.sparse);
            measured.peer_dense.add(answer.dense);
            let agreement = |ours: &[u32], theirs: &[u32]| {
                let same = ours.iter().zip(theirs).filter(|(one, other)| one == other).count();
                same as f64 / ours.len().max(1) as f64
            };
            measured.agreement_sparse = Some(agreement(&best, &answer.sparse_best));
            measured.agreement_dense = Some(agreement(&dense_best, &answer.dense_best));
        }
    }
    measured.peak_memory = peak_memory();
    Ok(measured)
}

/// Writes random vectors as an index and as plain arrays; returns the queries, which lie near every n-th proof.
fn write_dense_vectors(
    folder: &Path,
    pairs: usize,
    width: usize,
    queries: usize,
) -> Result<Vec<f32>, BenchError> {
    let mut rng = Rng::new(1);
    let mut number = || (rng.next_u64() >> 40) as f32 / (1u64 << 24) as f32 - 0.5;
    let proofs: Vec<f32> = (0..pairs * width).map(|_| number()).collect();
    let step = (pairs / queries.max(1)).max(1);
    let wanted: Vec<f32> = proofs
        .chunks(width.max(1))
        .step_by(step)
        .take(queries)
        .flat_map(|proof| proof.iter().map(|value| 0.5 * value + number()).collect::<Vec<f32>>())
        .collect();
    fs::write(folder.join("dense.queries"), bytemuck::cast_slice::<f32, u8>(&wanted))?;
    fs::write(folder.join("dense.proofs"), bytemuck::cast_slice::<f32, u8>(&proofs))?;
    let mut weight = vec![0.0; width * width];
    weight.iter_mut().step_by(width + 1).for_each(|value| *value = 1.0);
    let vectors =
        DenseVectors { width, rows: (0..pairs as u32).collect(), statements: proofs.clone(), proofs };
    let key = IndexKey { corpus: String::new(), method: "bench".to_owned(), candidates: "all".to_owned() };
    let mut out = std::io::BufWriter::new(fs::File::create(folder.join(DENSE_INDEX))?);
    write_dense(&vectors, &Bilinear { weight, bias: 0.0 }, key, &[0], &mut out)?;
    std::io::Write::flush(&mut out)?;
    Ok(wanted)
}
