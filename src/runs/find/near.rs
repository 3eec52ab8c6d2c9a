//! Approximate search in the vectors of a model, for corpora with millions of pairs.
//!
//! The cells of a dense index are a file of their own beside it, made from the vectors of the index. Their key is that of
//! the index: they are never stale either.

use std::io::{self, Write};

use super::{
    Approximation, FindAnswer, FindError, FindMethod, FindRequest, Finder, IndexPlace, IndexPlaces, Question,
    SearchIn,
    build::{self, MethodIndex},
    files::{IndexFile, open_or_build},
    finder::dense_query,
};
use crate::{
    base::task::Task,
    corpus::store::Store,
    matching::{
        index::{
            BestMatch, Blob, CELLS_VERSION, CalibrationQuery, Candidates, CellIndex, CellsError, DenseIndex,
            IndexKey, Population, RankedCandidate, Scratch, Selection, Side, Unscored, Visited, is_of,
            write_cells,
        },
        scores::Bilinear,
    },
};

impl Finder {
    /// Searches approximately from now on. The cells are built first if there are none.
    pub fn approximate(
        mut self,
        store: &Store,
        places: &IndexPlaces,
        task: &Task<'_>,
    ) -> Result<Finder, FindError> {
        let opened = self.open_cells(store, places, task);
        let (cells, place) = opened.inspect_err(|error| self.remove_damaged(error))?;
        (self.cells, self.cells_place) = (Some(cells), place);
        Ok(self)
    }

    fn open_cells(
        &self,
        store: &Store,
        places: &IndexPlaces,
        task: &Task<'_>,
    ) -> Result<(CellIndex, IndexPlace), FindError> {
        let (FindMethod::Run(model), MethodIndex::Dense(index)) = (self.method(), self.index()) else {
            return Err(FindError::NotDense);
        };
        let IndexKey { corpus, method, candidates } = index.key().clone();
        let key =
            IndexKey { corpus, method: format!("{method}, cells of version {CELLS_VERSION}"), candidates };
        let name = format!("{}-cells", self.name);
        open_or_build(
            &CellsFile { store, finder: self, index, bilinear: model.bilinear()?, key, name },
            places,
            task,
        )
    }

    pub(super) fn find_in_cells(
        &self,
        cells: &CellIndex,
        question: &Question,
        (side, request): (SearchIn, &FindRequest),
    ) -> Result<FindAnswer, FindError> {
        let FindMethod::Run(model) = self.method() else { return Err(FindError::NotDense) };
        let columns = self.rows().len();
        let own = question.row.and_then(|row| self.rows().binary_search(&row).ok()).map(|own| own as u32);
        let sides: &[Side] = match side {
            SearchIn::Pairs => return Err(FindError::PairsInCells),
            SearchIn::Proofs => &[Side::Proof],
            SearchIn::Statements => &[Side::Statement],
            SearchIn::Both => &Side::ALL,
        };
        let (mut scores, mut found_at, mut population) = (Vec::new(), Vec::new(), Population::default());
        let mut recall: f64 = 1.0;
        for &side in sides {
            let (vector, bias) = dense_query(model, &question.statement, side)?;
            // A statement is trivially the nearest to itself.
            let without = own.filter(|_| side == Side::Statement);
            let visited = cells.search(&vector, bias, side, &request.selection, without)?;
            let (mean, deviation) = moments(&visited);
            // Scores of two kinds are ranked together in standard deviations.
            let (offset, center, unit) = match (sides.len(), side) {
                (1, _) => (0, 0.0, 1.0),
                (_, Side::Proof) => (0, mean, deviation.max(f64::EPSILON)),
                (_, Side::Statement) => (columns as u32, mean, deviation.max(f64::EPSILON)),
            };
            population.deviation = deviation / unit;
            scores.extend(visited.scores.iter().map(|&score| ((f64::from(score) - center) / unit) as f32));
            found_at.extend(visited.columns.iter().map(|&column| column + offset));
            let within = visited.variance.sqrt() / unit;
            population.unscored.extend(visited.rest.iter().map(|&(count, score)| Unscored {
                count,
                mean: (f64::from(score) - center) / unit,
                deviation: within,
            }));
            recall = recall.min(cells.recall(side));
        }
        let candidates = candidates(&request.selection, columns, sides, own);
        if candidates == 0 {
            return Err(FindError::NoCandidates);
        }
        let gold = own.filter(|_| side == SearchIn::Proofs);
        let gold = gold.and_then(|own| found_at.iter().position(|&column| column == own));
        let ranked = Candidates {
            selection: &Selection::All,
            keep: request.k,
            temperature: self.index().temperature(),
            gold: gold.map(|place| place as u32),
            population: Some(&population),
        };
        let BestMatch { best, gold, candidates: scored } = ranked.rank(&mut scores)?;
        let found = |one: RankedCandidate| self.found(one, found_at[one.column as usize] as usize, side);
        Ok(FindAnswer {
            results: best.into_iter().map(found).collect(),
            gold: gold.map(found),
            candidates,
            side,
            approximation: Some(Approximation { scored, recall }),
        })
    }
}

/// The file of the cells of an index.
struct CellsFile<'a> {
    store: &'a Store,
    finder: &'a Finder,
    index: &'a DenseIndex,
    bilinear: Bilinear,
    key: IndexKey,
    name: String,
}

impl IndexFile for CellsFile<'_> {
    type Index = CellIndex;

    fn name(&self) -> &str {
        &self.name
    }

    fn open(&self, blob: Blob) -> Option<CellIndex> {
        if !is_of(&blob, self.index.rows().len(), self.index.width()) {
            return None;
        }
        CellIndex::open(blob).ok().filter(|cells| *cells.key() == self.key)
    }

    fn write(
        &self,
        scratch: &Scratch,
        task: &Task<'_>,
        out: &mut dyn Write,
    ) -> Result<io::Result<()>, FindError> {
        let calibration = build::calibration(self.store, self.finder.method(), self.index.rows())?;
        let queries = queries(self.index, &self.bilinear, &calibration)?;
        Ok(write_cells(self.index, &queries, self.key.clone(), scratch, task, out)?)
    }
}

/// The mean and the standard deviation of the scores of all candidates, visited or not.
fn moments(visited: &Visited) -> (f64, f64) {
    let rest = || visited.rest.iter().map(|&(count, score)| (f64::from(count), f64::from(score)));
    let scores = || visited.scores.iter().map(|&score| f64::from(score));
    let unvisited: f64 = rest().map(|(count, _)| count).sum();
    let count = (visited.scores.len() as f64 + unvisited).max(1.0);
    let mean = (scores().sum::<f64>() + rest().map(|(count, score)| count * score).sum::<f64>()) / count;
    let squares = scores().map(|score| (score - mean).powi(2)).sum::<f64>()
        + rest().map(|(count, score)| count * (score - mean).powi(2)).sum::<f64>()
        + unvisited * visited.variance;
    (mean, (squares / count).sqrt())
}

/// The number of candidates on some sides.
fn candidates(selection: &Selection, columns: usize, sides: &[Side], own: Option<u32>) -> usize {
    let chosen = match selection {
        Selection::All => columns,
        Selection::Some(flags) => flags.iter().filter(|&&flag| flag).count(),
    };
    let is_left_out =
        own.is_some_and(|own| selection.contains(own as usize)) && sides.contains(&Side::Statement);
    chosen * sides.len() - usize::from(is_left_out)
}

/// The statements of some columns as queries of both sides.
fn queries(
    index: &DenseIndex,
    bilinear: &Bilinear,
    columns: &[u32],
) -> Result<[Vec<CalibrationQuery>; 2], FindError> {
    let width = index.width();
    let statements = index.vectors(Side::Statement)?;
    let vectors: Vec<f32> =
        columns.iter().flat_map(|&column| &statements[column as usize * width..][..width]).copied().collect();
    let projected = bilinear.project(&vectors);
    let of = |vectors: &[f32], is_own_left_out: bool| {
        let query = |(vector, &column): (&[f32], &u32)| CalibrationQuery {
            vector: vector.to_vec(),
            without: is_own_left_out.then_some(column),
        };
        vectors.chunks_exact(width.max(1)).zip(columns).map(query).collect()
    };
    Ok([of(&projected, false), of(&vectors, true)])
}

impl From<CellsError> for FindError {
    fn from(error: CellsError) -> FindError {
        match error {
            CellsError::Index(error) => error.into(),
            CellsError::Scratch(error) => error.into(),
            CellsError::Cancelled(error) => error.into(),
        }
    }
}
