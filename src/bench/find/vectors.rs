//! Searches in the vectors of a dense index, exactly and approximately.

use std::{
    fs,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{BEST, Compared, FindMeasurement};
use crate::{
    base::{rng::Rng, task::Task},
    bench::{error::BenchError, timing::Times},
    corpus::store::Store,
    matching::{
        index::{
            BestMatch, Blob, CalibrationQuery, Candidates, CellIndex, ContainerError, DenseIndex,
            DenseVectors, IndexKey, Scratch, Selection, Side, write_cells, write_dense,
        },
        scores::Bilinear,
    },
    runs::find::{FindMethod, Finder, IndexPlace, IndexPlaces},
    train::trained::TrainedModel,
};

const DENSE_INDEX: &str = "dense.idx";
const CELLS: &str = "cells.idx";

/// A dense index with vectors to search for.
pub struct VectorBench {
    index: PathBuf,
    cells: PathBuf,
    width: usize,
    queries: Vec<f32>,
    calibration: Vec<f32>,
    /// The best proofs of each query, and the score of the last of them.
    best: Vec<Vec<u32>>,
    least: Vec<f32>,
}

impl VectorBench {
    /// Writes random vectors as an index. The queries lie near some of the proofs.
    pub fn random(
        folder: &Path,
        pairs: usize,
        width: usize,
        rows: [&[u32]; 2],
    ) -> Result<VectorBench, BenchError> {
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
        let key =
            IndexKey { corpus: String::new(), method: "bench".to_owned(), candidates: "all".to_owned() };
        let index = folder.join(DENSE_INDEX);
        let mut out = BufWriter::new(fs::File::create(&index)?);
        write_dense(&vectors, &Bilinear { weight, bias: 0.0 }, key, &[0], &mut out)?;
        out.flush()?;
        Ok(VectorBench::new(index, width, queries, calibration))
    }

    /// The index of a model, whose statements are searched for.
    pub fn of_model(
        store: &Store,
        model: Box<TrainedModel>,
        places: &IndexPlaces,
        rows: [&[u32]; 2],
        measured: &mut FindMeasurement,
    ) -> Result<VectorBench, BenchError> {
        let bilinear = model.bilinear().map_err(std::io::Error::other)?;
        let finder = measured
            .encode
            .measure(|| Finder::open(store, FindMethod::Run(model), None, places, &Task::unobserved()))?;
        let IndexPlace::File(index) = finder.place().clone() else {
            return Err(std::io::Error::other("the index of the run was not written").into());
        };
        let opened = open(&index)?;
        let width = opened.width();
        let statements = opened.vectors(Side::Statement).map_err(std::io::Error::other)?;
        let [queries, calibration] = rows.map(|rows| {
            let chosen: Vec<f32> =
                rows.iter().flat_map(|&row| &statements[row as usize * width..][..width]).copied().collect();
            bilinear.project(&chosen)
        });
        Ok(VectorBench::new(index, width, queries, calibration))
    }

    fn new(index: PathBuf, width: usize, queries: Vec<f32>, calibration: Vec<f32>) -> VectorBench {
        let cells = index.with_file_name(CELLS);
        VectorBench { index, cells, width, queries, calibration, best: Vec::new(), least: Vec::new() }
    }

    /// Builds the cells, and writes the vectors as plain arrays for other programs.
    pub fn build(&mut self, folder: &Path, measured: &mut FindMeasurement) -> Result<(), BenchError> {
        measured.width = self.width;
        let index = open(&self.index)?;
        let query = |vector: &[f32]| CalibrationQuery { vector: vector.to_vec(), without: None };
        let queries: Vec<CalibrationQuery> = self.calibration.chunks(self.width.max(1)).map(query).collect();
        measured.cells_build.measure(|| {
            let mut out = BufWriter::new(fs::File::create(&self.cells)?);
            let key = index.key().clone();
            write_cells(
                &index,
                &[queries, Vec::new()],
                key,
                &Scratch::in_memory(),
                &Task::unobserved(),
                &mut out,
            )
            .map_err(std::io::Error::other)??;
            out.flush()
        })?;
        measured.cells_bytes = fs::metadata(&self.cells)?.len();
        let proofs = index.vectors(Side::Proof).map_err(std::io::Error::other)?;
        fs::write(folder.join("dense.queries"), bytemuck::cast_slice::<f32, u8>(&self.queries))?;
        fs::write(folder.join("dense.proofs"), bytemuck::cast_slice::<f32, u8>(&proofs))?;
        Ok(())
    }

    pub fn round(&mut self, measured: &mut FindMeasurement) -> Result<(), BenchError> {
        let index = measured.dense_load.measure(|| {
            let index = open(&self.index)?;
            index.load(Side::Proof).map_err(std::io::Error::other)?;
            Ok::<_, std::io::Error>(index)
        })?;
        let mut times = Times::default();
        let mut scores = Vec::new();
        self.best.clear();
        self.least.clear();
        for query in self.queries.chunks(self.width) {
            let found = times.measure(|| {
                index.scores(query, 0.0, Side::Proof, &mut scores)?;
                ranked(&mut scores)
            });
            let found = found.map_err(std::io::Error::other)?;
            self.least.push(found.best.last().map_or(f32::INFINITY, |one| one.score));
            self.best.push(found.best.iter().map(|one| one.column).collect());
        }
        measured.dense_search.add(times.median());
        drop(index);
        let cells = measured.cells_open.measure(|| {
            CellIndex::open(Blob::File(fs::File::open(&self.cells)?)).map_err(std::io::Error::other)
        })?;
        let mut times = Times::default();
        let (mut found_best, mut scored) = (0, 0);
        for (query, &least) in self.queries.chunks(self.width).zip(&self.least) {
            let found = times
                .measure(|| {
                    let mut visited = cells.search(query, 0.0, Side::Proof, &Selection::All, None)?;
                    ranked(&mut visited.scores)
                })
                .map_err(std::io::Error::other)?;
            scored += found.candidates;
            // One that scores as high as the tenth is as good.
            found_best += found.best.iter().filter(|one| one.score >= least).count();
        }
        measured.cells_search.add(times.median());
        let all: usize = self.best.iter().map(Vec::len).sum();
        measured.cells_recall = found_best as f64 / all.max(1) as f64;
        measured.cells_scored = scored as f64 / (measured.pairs * self.best.len()).max(1) as f64;
        Ok(())
    }

    /// Writes the best proofs of each query, for programs that measure their recall.
    pub fn write_best(&self, folder: &Path) -> std::io::Result<()> {
        let best = self.best.concat();
        fs::write(folder.join("dense.best"), bytemuck::cast_slice::<u32, u8>(&best))
    }

    pub fn compare(&self, theirs: &[Vec<u32>]) -> Result<Compared, BenchError> {
        let index = open(&self.index)?;
        let (mut compared, mut scores) = (Compared::default(), Vec::new());
        for (number, (query, best)) in self.queries.chunks(self.width).zip(&self.best).enumerate() {
            index.scores(query, 0.0, Side::Proof, &mut scores).map_err(std::io::Error::other)?;
            compared.add(best, theirs.get(number).map_or(&[][..], Vec::as_slice), &scores);
        }
        Ok(compared)
    }
}

fn open(path: &Path) -> std::io::Result<DenseIndex> {
    DenseIndex::open(Blob::File(fs::File::open(path)?)).map_err(std::io::Error::other)
}

fn ranked(scores: &mut [f32]) -> Result<BestMatch, ContainerError> {
    let candidates =
        Candidates { selection: &Selection::All, keep: BEST, temperature: 1.0, gold: None, population: None };
    candidates.rank(scores)
}
