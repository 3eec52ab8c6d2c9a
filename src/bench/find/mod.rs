//! Speed of searching: building and loading an index, and answering, against an exact search in another program; and the
//! recall of approximate search.
//!
//! | file | measures |
//! |---|---|
//! | `text.rs` | a sparse index, searched up to renaming |
//! | `vectors.rs` | a dense index and its cells |
//! | `agreement.rs` | whether the other program found the same |

mod agreement;
mod text;
mod vectors;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use agreement::Agreement;
use agreement::Compared;
use text::TextBench;
use vectors::VectorBench;

use super::{
    error::BenchError,
    peer::Peer,
    timing::{Times, peak_memory},
};
use crate::{corpus::store::Store, runs::find::IndexPlaces, train::trained::TrainedModel};

/// What to measure.
pub struct FindBench<'a> {
    pub store: &'a Store,
    /// Number of statements that are searched for.
    pub queries: usize,
    /// Whether the search by text is measured.
    pub text: bool,
    /// The vectors of the dense index.
    pub vectors: BenchVectors,
    pub rounds: usize,
    /// Another program, which is given a folder with both indexes' vectors and prints JSON.
    pub peer: Option<Peer>,
    /// Where indexes and vectors are kept; otherwise they are removed at the end.
    pub keep: Option<PathBuf>,
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
    pub slowest: Option<f64>,
    /// The dense index: read into memory, and the median search.
    pub dense_load: Times,
    pub dense_search: Times,
    /// The vectors of a model: encoded once.
    pub encode: Times,
    /// Cells of the dense index: built once, opened in every round, and the median search.
    pub cells_build: Times,
    pub cells_open: Times,
    pub cells_search: Times,
    pub cells_bytes: u64,
    /// The share of the ten best candidates that approximate search finds, and of all candidates that it scores.
    pub cells_recall: f64,
    pub cells_scored: f64,
    /// The other program's median searches.
    pub peer_sparse: Times,
    pub peer_dense: Times,
    pub agreement_sparse: Option<Agreement>,
    pub agreement_dense: Option<Agreement>,
    pub peak_memory: Option<u64>,
}

#[derive(Deserialize)]
struct PeerAnswer {
    sparse: Option<f64>,
    dense: f64,
    #[serde(default)]
    sparse_best: Vec<Vec<u32>>,
    dense_best: Vec<Vec<u32>>,
}

const BEST: usize = 10;
/// Statements that choose how many cells an approximate search visits.
const CALIBRATION: usize = 200;

/// Measures this program and the other one alternately.
pub fn find(bench: FindBench<'_>, observe: &mut dyn FnMut(usize)) -> Result<FindMeasurement, BenchError> {
    let temporary = tempfile::tempdir()?;
    let folder: &Path = bench.keep.as_deref().unwrap_or(temporary.path());
    fs::create_dir_all(folder)?;
    let places = IndexPlaces::in_folder(folder);
    let pairs = bench.store.pair_count() as usize;
    fs::write(folder.join("pairs"), pairs.to_string())?;
    let mut measured = FindMeasurement { pairs, ..FindMeasurement::default() };
    let rows = spread(pairs, bench.queries, 0);
    // Other statements than those that are searched for choose how many cells are visited.
    let other_rows = spread(pairs, CALIBRATION.min(pairs), 1);
    measured.queries = rows.len();
    let mut text = match bench.text {
        true => Some(TextBench::new(bench.store, &rows, &places, &mut measured)?),
        false => None,
    };
    if let Some(text) = &text {
        measured.features = text.export(folder)?;
    }
    let mut vectors = match bench.vectors {
        BenchVectors::Random(width) => VectorBench::random(folder, pairs, width, [&rows, &other_rows])?,
        BenchVectors::Run(model) => {
            VectorBench::of_model(bench.store, model, &places, [&rows, &other_rows], &mut measured)?
        }
    };
    vectors.build(folder, &mut measured)?;
    for round in 0..bench.rounds {
        observe(round);
        if let Some(text) = &mut text {
            text.round(&mut measured)?;
        }
        vectors.round(&mut measured)?;
        if round == 0 {
            vectors.write_best(folder)?;
        }
        let Some(peer) = &bench.peer else { continue };
        let answer: PeerAnswer = peer.run([folder])?;
        measured.peer_dense.add(answer.dense);
        let mut compared = vec![("dense", vectors.compare(&answer.dense_best)?)];
        measured.agreement_dense = compared.first().map(|(_, one)| one.agreement());
        if let (Some(text), Some(seconds)) = (&text, answer.sparse) {
            measured.peer_sparse.add(seconds);
            let one = text.compare(&answer.sparse_best)?;
            measured.agreement_sparse = Some(one.agreement());
            compared.push(("sparse", one));
        }
        if let Some((which, one)) = compared.iter().find(|(_, one)| !one.is_same()) {
            return Err(peer.failed(format!("{which} search: {}", one.disagreement())));
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
