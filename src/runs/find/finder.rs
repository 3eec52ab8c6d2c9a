//! Searching a corpus: a question in, ranked candidates out.

use std::{collections::HashMap, fs};

use serde::{Deserialize, Serialize};

use super::{
    FindError, FindMethod, IndexPlace, IndexPlaces, Question,
    build::{IndexRequest, MethodIndex},
    features,
    files::open_or_build,
};
use crate::{
    base::task::Task,
    corpus::{
        Passage, leaks,
        split::{Part, Scheme},
        store::Store,
    },
    matching::index::{
        BestMatch, Candidates, CellIndex, ContainerError, IndexKey, RankedCandidate, Selection, Side,
        SparseIndex, SparseQuery,
    },
    train::trained::TrainedModel,
};

/// Which texts are searched.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SearchIn {
    #[default]
    Proofs,
    Statements,
    /// Statements and proofs, ranked together.
    Both,
    /// Pairs, by what their statement and their proof score together: a result that is known is found by its statement, and
    /// its proof comes with it.
    Pairs,
}

impl SearchIn {
    /// The sides of a pair that are searched.
    pub fn sides(self) -> Vec<leaks::Side> {
        match self {
            SearchIn::Statements => vec![leaks::Side::Statement],
            SearchIn::Proofs => vec![leaks::Side::Proof],
            SearchIn::Both | SearchIn::Pairs => vec![leaks::Side::Statement, leaks::Side::Proof],
        }
    }
}

/// The part of a split whose pairs are candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidatePart {
    pub scheme: Scheme,
    pub seed: Option<u64>,
    pub part: Part,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct FindRequest {
    /// By default proofs for a statement of the corpus, which is ranked as in an evaluation, and pairs for another one.
    pub side: Option<SearchIn>,
    /// The number of results.
    pub k: usize,
    pub selection: Selection,
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The row of the pair in the corpus.
    pub row: u32,
    pub side: Side,
    /// The number of candidates that score at least as high, itself included.
    pub rank: u32,
    pub score: f32,
    pub probability: f64,
}

/// The results of a search, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FindAnswer {
    pub results: Vec<Found>,
    /// The own proof of a statement of the corpus, if proofs are searched and it is a candidate.
    pub gold: Option<Found>,
    pub candidates: usize,
    /// What was searched.
    pub side: SearchIn,
    /// For an approximate search: what was scored.
    pub approximation: Option<Approximation>,
}

/// How much an approximate search looked at. Ranks are those among the candidates that were scored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Approximation {
    /// The number of candidates that were scored.
    pub scored: usize,
    /// The share of the ten best candidates that statements of the dev part found when the index was built.
    pub recall: f64,
}

/// A method with its index of a corpus. Several threads may search at once.
#[derive(Debug)]
pub struct Finder {
    method: FindMethod,
    index: MethodIndex,
    place: IndexPlace,
    /// The name of the index file, without its ending.
    pub(super) name: String,
    /// For approximate search.
    pub(super) cells: Option<CellIndex>,
    pub(super) cells_place: IndexPlace,
}

impl Finder {
    /// Opens the index of a method, which is built first if there is none.
    pub fn open(
        store: &Store,
        method: FindMethod,
        part: Option<CandidatePart>,
        places: &IndexPlaces,
        task: &Task<'_>,
    ) -> Result<Finder, FindError> {
        let mut name = method.file_name();
        let (candidates, rows) = match part {
            None => ("all".to_owned(), (0..store.pair_count()).collect()),
            Some(CandidatePart { scheme, seed, part }) => {
                let split = store.split(scheme, seed)?;
                let rows: Vec<u32> = split.rows(part).collect();
                let seed = split.seed.map_or_else(|| "imported".to_owned(), |seed| seed.to_string());
                name.push_str(&format!("-{scheme}-{seed}-{part}"));
                (format!("{part} of {scheme} {seed}"), rows)
            }
        };
        if rows.is_empty() {
            return Err(FindError::EmptyCorpus);
        }
        let key = IndexKey { corpus: store.fingerprint().to_string(), method: method.key(), candidates };
        let shard = method.shard();
        let request = IndexRequest { store, method: &method, key, name: name.clone(), rows: &rows, shard };
        let (index, place) = open_or_build(&request, places, task)?;
        Ok(Finder { method, index, place, name, cells: None, cells_place: IndexPlace::Memory })
    }

    pub fn method(&self) -> &FindMethod {
        &self.method
    }

    pub(super) fn index(&self) -> &MethodIndex {
        &self.index
    }

    pub fn place(&self) -> &IndexPlace {
        &self.place
    }

    /// Whether the index or its cells could not be written to a file.
    pub fn is_in_memory(&self) -> bool {
        let has_cells_in_memory = self.cells.is_some() && self.cells_place == IndexPlace::Memory;
        self.place == IndexPlace::Memory || has_cells_in_memory
    }

    /// The indexed rows of the corpus, ascending.
    pub fn rows(&self) -> &[u32] {
        self.index.rows()
    }

    /// The candidates among rows of the corpus, which are ascending.
    pub fn select(&self, rows: &[u32]) -> Selection {
        Selection::Some(self.rows().iter().map(|row| rows.binary_search(row).is_ok()).collect())
    }

    /// Searches. Files that turn out to be damaged are removed, so that the next finder builds them again.
    pub fn find(&self, question: &Question, request: &FindRequest) -> Result<FindAnswer, FindError> {
        self.search(question, request).inspect_err(|error| self.remove_damaged(error))
    }

    pub(super) fn remove_damaged(&self, error: &FindError) {
        if let FindError::Index(ContainerError::Damaged(_)) = error {
            for place in [&self.place, &self.cells_place] {
                if let IndexPlace::File(path) = place {
                    // Where it cannot be removed, the error says what to do.
                    let _ = fs::remove_file(path);
                }
            }
        }
    }

    fn search(&self, question: &Question, request: &FindRequest) -> Result<FindAnswer, FindError> {
        let side = request.side.unwrap_or_else(|| self.default_side(question));
        if let Some(cells) = &self.cells {
            return self.find_in_cells(cells, question, (side, request));
        }
        let columns = self.rows().len();
        let own = question.row.and_then(|row| self.rows().binary_search(&row).ok());
        let mut selection = request.selection.clone();
        let mut scores = Vec::new();
        let mut gold = None;
        // The statements' part of the scores of pairs.
        let mut statements = Vec::new();
        match side {
            SearchIn::Proofs => {
                self.score(&question.statement, Side::Proof, &mut scores)?;
                gold = own.map(|column| column as u32);
            }
            SearchIn::Statements => {
                self.score(&question.statement, Side::Statement, &mut scores)?;
                // A statement is trivially the nearest to itself.
                own.into_iter().for_each(|column| selection.remove(column, columns));
            }
            SearchIn::Both => {
                self.score_both(question, (&mut scores, &mut statements))?;
                let mut others = selection.clone();
                own.into_iter().for_each(|column| others.remove(column, columns));
                if let MethodIndex::Dense(_) = self.index {
                    standardize(&mut scores, &selection);
                    standardize(&mut statements, &others);
                }
                scores.append(&mut statements);
                selection = selection.followed_by(others, columns);
            }
            SearchIn::Pairs => {
                self.score_both(question, (&mut scores, &mut statements))?;
                own.into_iter().for_each(|column| selection.remove(column, columns));
                if let MethodIndex::Dense(_) = self.index {
                    standardize(&mut scores, &selection);
                    standardize(&mut statements, &selection);
                }
                scores.iter_mut().zip(&statements).for_each(|(score, statement)| *score += statement);
            }
        }
        let candidates = Candidates {
            selection: &selection,
            keep: request.k,
            temperature: self.index.temperature(),
            gold,
            population: None,
        };
        let BestMatch { best, gold, candidates } = candidates.rank(&mut scores)?;
        // The text that contributes more is the one to be shown.
        let is_by_statement = |one: &RankedCandidate| {
            statements.get(one.column as usize).is_some_and(|statement| *statement >= one.score - statement)
        };
        if candidates == 0 {
            return Err(FindError::NoCandidates);
        }
        if let (MethodIndex::Sparse(index), Some(first)) = (&self.index, best.first())
            && first.score <= 0.0
        {
            // Dice gives every feature that is shared a positive score, whatever the other candidates have.
            let is_known = !self.query(index, &question.statement)?.terms.is_empty();
            let is_everywhere = is_known && request.selection == Selection::All && self.method.is_tfidf();
            return Err(if is_everywhere {
                FindError::NothingDistinctive
            } else {
                FindError::NothingInCommon
            });
        }
        // Ties count against each other, so the best one is also the last.
        if let (MethodIndex::Dense(_), Some(first)) = (&self.index, best.first())
            && candidates > 1
            && first.rank as usize == candidates
        {
            return Err(FindError::NothingKnown);
        }
        let found = |one: RankedCandidate| {
            let shown = if is_by_statement(&one) { SearchIn::Statements } else { side };
            self.found(one, one.column as usize, shown)
        };
        let results = best.into_iter().map(found).collect();
        Ok(FindAnswer { results, gold: gold.map(found), candidates, side, approximation: None })
    }

    fn default_side(&self, question: &Question) -> SearchIn {
        match question.row.is_none() && self.cells.is_none() {
            true => SearchIn::Pairs,
            false => SearchIn::Proofs,
        }
    }

    /// The scores of a statement with all proofs and all statements.
    fn score_both(
        &self,
        question: &Question,
        (proofs, statements): (&mut Vec<f32>, &mut Vec<f32>),
    ) -> Result<(), FindError> {
        self.score(&question.statement, Side::Proof, proofs)?;
        self.score(&question.statement, Side::Statement, statements)
    }

    /// A ranked column of a search; a search in both sides has the statements behind the proofs.
    pub(super) fn found(&self, ranked: RankedCandidate, column: usize, side: SearchIn) -> Found {
        let columns = self.rows().len();
        let is_statement = side == SearchIn::Statements || column >= columns;
        Found {
            row: self.rows()[column % columns],
            side: if is_statement { Side::Statement } else { Side::Proof },
            rank: ranked.rank,
            score: ranked.score,
            probability: ranked.probability,
        }
    }

    /// The scores of a statement with the texts of a side, in the order of [`Finder::rows`].
    pub fn score(&self, statement: &Passage, side: Side, out: &mut Vec<f32>) -> Result<(), FindError> {
        match (&self.method, &self.index) {
            (FindMethod::Baseline(_), MethodIndex::Sparse(index)) => {
                let query = self.query(index, statement)?;
                Ok(index.scores(&query, side, out)?)
            }
            (FindMethod::Run(model), MethodIndex::Dense(index)) => {
                let (vector, bias) = dense_query(model, statement, side)?;
                Ok(index.scores(&vector, bias, side, out)?)
            }
            // A method and its index are opened together.
            _ => Err(FindError::EmptyCorpus),
        }
    }

    /// The weighted features of a statement that the corpus has.
    pub(super) fn query(&self, index: &SparseIndex, statement: &Passage) -> Result<SparseQuery, FindError> {
        let FindMethod::Baseline(method) = &self.method else {
            return Ok(SparseQuery::default());
        };
        let weighting = method.weighting();
        let counted = features::counted(*method, statement);
        if counted.is_empty() {
            return Err(FindError::NothingToSearch);
        }
        let mut known = Vec::new();
        let mut unknown = Vec::new();
        for (hash, count) in counted {
            match index.feature(hash)? {
                Some(feature) => known.push((feature, count)),
                None => unknown.push(count),
            }
        }
        known.sort_unstable_by_key(|(feature, _)| feature.number);
        let size = known.len() + unknown.len();
        // Features that no text of the corpus has lengthen the vector, as they would in a corpus that has them once.
        let entries: Vec<(u32, u32)> = known
            .iter()
            .map(|&(_, count)| count)
            .chain(unknown)
            .zip(0u32..)
            .map(|(count, term)| (term, count))
            .collect();
        let texts = index.text_count();
        let inverse = |term: u32| {
            let found =
                known.get(term as usize).map_or(0, |(feature, _)| feature.texts[0] + feature.texts[1]);
            weighting.inverse_frequency(found, texts)
        };
        let weights: Vec<f32> = weighting.vector(&entries, inverse).map(|(_, weight)| weight).collect();
        let terms = known.iter().map(|&(feature, _)| feature).zip(weights).collect();
        Ok(SparseQuery { terms, size })
    }

    /// The weight of each feature of a statement, for emphasis: its rarity where the index knows it, else its length.
    pub(super) fn feature_weights(&self, statement: &Passage) -> Result<HashMap<u64, f32>, FindError> {
        let mut weights = features::lengths(self.method.emphasis(), statement);
        if let (MethodIndex::Sparse(index), true) = (&self.index, self.method.indexes_emphasis()) {
            for (hash, weight) in &mut weights {
                let texts = index.feature(*hash)?.map_or(0, |feature| feature.texts[0] + feature.texts[1]);
                *weight = (index.text_count() as f32 / (texts as f32).max(1.0)).ln().max(0.0);
            }
        }
        Ok(weights)
    }
}

/// The vector whose products with those of a side, plus the bias, are the scores of a statement.
pub(super) fn dense_query(
    model: &TrainedModel,
    statement: &Passage,
    side: Side,
) -> Result<(Vec<f32>, f32), FindError> {
    let vector = model.encode(&[statement])?.values;
    Ok(match side {
        Side::Proof => {
            let bilinear = model.bilinear()?;
            (bilinear.project(&vector), bilinear.bias)
        }
        Side::Statement => {
            let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::EPSILON);
            (vector.iter().map(|value| value / length).collect(), 0.0)
        }
    })
}

/// Subtracts the mean of the candidates' scores and divides by their deviation, so that two kinds of scores can be ranked together.
fn standardize(scores: &mut [f32], selection: &Selection) {
    let chosen = || {
        scores
            .iter()
            .enumerate()
            .filter(|(column, _)| selection.contains(*column))
            .map(|(_, score)| f64::from(*score))
    };
    let count = chosen().count().max(1) as f64;
    let mean = chosen().sum::<f64>() / count;
    let deviation =
        (chosen().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt().max(f64::EPSILON);
    scores.iter_mut().for_each(|score| *score = ((f64::from(*score) - mean) / deviation) as f32);
}
