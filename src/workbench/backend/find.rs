//! Searches for the Find pane. Indexes stay open while the workbench is.

use std::sync::{Arc, Mutex};

use crate::{
    base::{task::Task, workspace::Workspace},
    corpus::store::{Store, StoreError},
    matching::index::Selection,
    runs::{
        find::{FindError, FindMethod, FindRequest, Finder, Found, FoundPair, IndexPlaces, Question},
        trained::{self, OpenModelError},
    },
    train::{device::Device, trained::TrainedModelError},
    workbench::app::find::{FindQuery, FindResults, FoundTexts, Subject},
};

/// Searches the corpus, and keeps the indexes that it has opened.
#[derive(Default)]
pub struct Searches {
    workspace: Option<Workspace>,
    device: Device,
    /// The most recently used finders, by corpus and method.
    finders: Mutex<Vec<(String, Arc<Finder>)>>,
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Open(#[from] OpenModelError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Model(#[from] TrainedModelError),
}

/// Number of indexes kept open.
const FINDERS: usize = 4;

impl Searches {
    pub fn new(workspace: Option<Workspace>, device: Device) -> Searches {
        Searches { workspace, device, ..Searches::default() }
    }

    /// The best `k` results of a query, with excerpts of at most `width` characters. What has nothing in common with the statement is
    /// left out.
    pub fn find(
        &self,
        store: &Store,
        query: &FindQuery,
        (k, width): (usize, usize),
        task: &Task<'_>,
    ) -> Result<FindResults, SearchError> {
        let Some(question) = question(store, query)? else { return Ok(FindResults::default()) };
        let finder = self.finder(store, query, task)?;
        let request = FindRequest { side: query.side, k, selection: Selection::All };
        let answer = finder.find(&question, &request)?;
        let emphasis = finder.emphasis(&question.statement)?;
        let mut pairs = Vec::with_capacity(answer.results.len());
        let is_shown = |found: &&Found| !query.is_baseline() || found.score > 0.0;
        for found in answer.results.iter().filter(is_shown) {
            pairs.extend(FoundPair::read(store, found, &emphasis, width)?);
        }
        Ok(FindResults {
            statement: crate::corpus::readable(&question.statement),
            pairs,
            candidates: answer.candidates,
            own_rank: answer.gold.map(|own| own.rank),
        })
    }

    /// The texts of a result.
    pub fn texts(
        &self,
        store: &Store,
        query: &FindQuery,
        row: u32,
    ) -> Result<Option<Box<FoundTexts>>, SearchError> {
        let Some((article, pair)) = store.pair_at(row)? else { return Ok(None) };
        let Some(question) = question(store, query)? else { return Ok(None) };
        let finder = self.finder(store, query, &Task::unobserved())?;
        let emphasis = finder.emphasis(&question.statement)?;
        let hits = |passage| emphasis.excerpt(passage, usize::MAX).emphasis;
        let title = format!("{}  {} {}  {}", pair.id, pair.kind, pair.label, article.primary());
        Ok(Some(Box::new(FoundTexts {
            row,
            title: title.trim_end().to_owned(),
            article: article.title,
            statement_hits: hits(&pair.statement),
            proof_hits: hits(&pair.proof),
            statement: pair.statement,
            proof: pair.proof,
        })))
    }

    fn finder(&self, store: &Store, query: &FindQuery, task: &Task<'_>) -> Result<Arc<Finder>, SearchError> {
        let key = format!("{} {}", store.fingerprint(), query.method);
        let known = |known: &Vec<(String, Arc<Finder>)>| {
            known.iter().find(|(other, _)| *other == key).map(|(_, finder)| Arc::clone(finder))
        };
        if let Some(finder) = self.finders.lock().ok().and_then(|all| known(&all)) {
            return Ok(finder);
        }
        let method = match query.baseline() {
            Some(method) => FindMethod::Baseline(method),
            None => FindMethod::Run(Box::new(
                trained::open(self.workspace.as_ref(), &query.method)?.on(&self.device)?,
            )),
        };
        let places = IndexPlaces::of(store, self.workspace.as_ref());
        let finder = Arc::new(Finder::open(store, method, None, &places, task)?);
        if let Ok(mut finders) = self.finders.lock() {
            finders.retain(|(other, _)| *other != key);
            finders.insert(0, (key, Arc::clone(&finder)));
            finders.truncate(FINDERS);
        }
        Ok(finder)
    }
}

fn question(store: &Store, query: &FindQuery) -> Result<Option<Question>, SearchError> {
    match &query.subject {
        None => Ok(None),
        Some(Subject::Typed(text)) => Ok(Some(Question::typed(text)?)),
        Some(Subject::Row(row)) => {
            let pair = store.pair_at(*row)?;
            Ok(pair.map(|(_, pair)| Question { statement: pair.statement, row: Some(*row) }))
        }
    }
}
