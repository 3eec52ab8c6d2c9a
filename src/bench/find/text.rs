//! Searches by text in a sparse index.

use std::{fs, path::Path};

use super::{BEST, Compared, FindMeasurement};
use crate::{
    base::task::Task,
    bench::{error::BenchError, timing::Times},
    corpus::store::Store,
    matching::{
        baseline::BaselineMethod,
        index::{Selection, Side},
    },
    runs::find::{FindError, FindMethod, FindRequest, Finder, IndexPlace, IndexPlaces, Question, SearchIn},
};

pub struct TextBench<'a> {
    store: &'a Store,
    places: &'a IndexPlaces,
    questions: Vec<Question>,
    /// The best proofs of each question in the last round.
    best: Vec<Vec<u32>>,
}

impl<'a> TextBench<'a> {
    /// Builds the index.
    pub fn new(
        store: &'a Store,
        rows: &[u32],
        places: &'a IndexPlaces,
        measured: &mut FindMeasurement,
    ) -> Result<TextBench<'a>, BenchError> {
        let mut questions = Vec::new();
        for &row in rows {
            if let Some((_, pair)) = store.pair_at(row)? {
                questions.push(Question { statement: pair.statement, row: Some(row) });
            }
        }
        let bench = TextBench { store, places, questions, best: Vec::new() };
        let finder = measured.build.measure(|| bench.open())?;
        if let IndexPlace::File(path) = finder.place() {
            measured.index_bytes = fs::metadata(path)?.len();
        }
        Ok(bench)
    }

    fn open(&self) -> Result<Finder, FindError> {
        let method = FindMethod::Baseline(BaselineMethod::RENAMED);
        Finder::open(self.store, method, None, self.places, &Task::unobserved())
    }

    /// Writes the vectors for the other program; returns the number of features.
    pub fn export(&self, folder: &Path) -> Result<u64, BenchError> {
        Ok(self.open()?.export_proofs(folder, &self.questions)?)
    }

    pub fn round(&mut self, measured: &mut FindMeasurement) -> Result<(), BenchError> {
        let finder = measured.open.measure(|| self.open())?;
        let request = FindRequest { side: Some(SearchIn::Proofs), k: BEST, selection: Selection::All };
        let mut times = Times::default();
        self.best.clear();
        for question in &self.questions {
            let answer = times.measure(|| finder.find(question, &request))?;
            self.best.push(answer.results.iter().map(|found| found.row).collect());
        }
        measured.search.add(times.median());
        measured.slowest = Some(measured.slowest.unwrap_or_default().max(times.worst()));
        Ok(())
    }

    pub fn compare(&self, theirs: &[Vec<u32>]) -> Result<Compared, BenchError> {
        let finder = self.open()?;
        let (mut compared, mut scores) = (Compared::default(), Vec::new());
        for (number, (question, best)) in self.questions.iter().zip(&self.best).enumerate() {
            finder.score(&question.statement, Side::Proof, &mut scores)?;
            // Every pair is a candidate, so rows are columns.
            compared.add(best, theirs.get(number).map_or(&[][..], Vec::as_slice), &scores);
        }
        Ok(compared)
    }
}
