//! Searches for the Find pane. Indexes stay open while the workbench is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    base::{printable, task::Task, workspace::Workspace},
    corpus::{
        Passage,
        leaks::{self, DuplicateError, DuplicateRequest, NEARLY_THE_SAME, find_duplicates},
        readable,
        store::{Store, StoreError},
    },
    matching::index::{Selection, Side},
    runs::{
        find::{
            Excerpt, FindError, FindMethod, FindRequest, Finder, Found, FoundPair, IndexPlaces, Question,
            SearchIn,
        },
        trained::{self, OpenModelError},
    },
    symbols::renamed_shingles,
    train::{device::Device, trained::TrainedModelError},
    workbench::app::find::{FindQuery, FindResults, FoundTexts, Subject},
};

/// Searches the corpus, and keeps the indexes that it has opened.
#[derive(Default)]
pub struct Searches {
    workspace: Option<Workspace>,
    device: Device,
    /// The most recently opened finders.
    finders: Mutex<Vec<OpenFinder>>,
}

/// A finder with what identifies it.
struct OpenFinder {
    /// The corpus and the method.
    key: String,
    /// The mark of the run's model, if there is one.
    mark: Option<String>,
    finder: Arc<Finder>,
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
    #[error(transparent)]
    Duplicates(#[from] DuplicateError),
    #[error("no text is a near-duplicate of an earlier one")]
    NoDuplicates,
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
        if query.subject == Some(Subject::Duplicates) {
            return duplicates(store, query.side(), (k, width), task);
        }
        let Some(question) = question(store, query)? else { return Ok(FindResults::default()) };
        let finder = self.finder(store, query, task)?;
        let request = FindRequest { side: Some(query.side()), k, selection: Selection::All };
        let answer = finder.find(&question, &request).inspect_err(|error| {
            if let FindError::Index(_) = error {
                self.forget(&finder);
            }
        })?;
        let emphasis = finder.emphasis(&question.statement)?;
        let mut pairs = Vec::with_capacity(answer.results.len());
        let is_shown = |found: &&Found| !query.is_baseline() || found.score > 0.0;
        for found in answer.results.iter().filter(is_shown) {
            pairs.extend(FoundPair::read(store, found, |passage| emphasis.excerpt(passage, width))?);
        }
        Ok(FindResults {
            statement: readable(&question.statement),
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
        let [statement_hits, proof_hits] = match question(store, query)? {
            None => [Vec::new(), Vec::new()],
            Some(question) => {
                let finder = self.finder(store, query, &Task::unobserved())?;
                let emphasis = finder.emphasis(&question.statement)?;
                [&pair.statement, &pair.proof].map(|passage| emphasis.excerpt(passage, usize::MAX).emphasis)
            }
        };
        let title = format!("{}  {} {}  {}", pair.id, pair.kind, pair.label, article.primary());
        Ok(Some(Box::new(FoundTexts {
            row,
            title: title.trim_end().to_owned(),
            article: article.title,
            statement_hits,
            proof_hits,
            statement: pair.statement,
            proof: pair.proof,
        })))
    }

    /// A finder whose index turned out to be damaged is opened again by the next search.
    fn forget(&self, finder: &Arc<Finder>) {
        self.finders().retain(|other| !Arc::ptr_eq(finder, &other.finder));
    }

    fn finders(&self) -> MutexGuard<'_, Vec<OpenFinder>> {
        self.finders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finder(&self, store: &Store, query: &FindQuery, task: &Task<'_>) -> Result<Arc<Finder>, SearchError> {
        let key = format!("{} {}", store.fingerprint(), query.method);
        let baseline = query.baseline();
        // While a run trains, its best model changes.
        let mark = match baseline {
            Some(_) => None,
            None => trained::mark(self.workspace.as_ref(), &query.method),
        };
        let is_wanted = |known: &&OpenFinder| known.key == key && known.mark == mark;
        if let Some(known) = self.finders().iter().find(is_wanted) {
            return Ok(Arc::clone(&known.finder));
        }
        let method = match baseline {
            Some(method) => FindMethod::Baseline(method),
            None => FindMethod::Run(Box::new(
                trained::open(self.workspace.as_ref(), &query.method)?.on(&self.device)?,
            )),
        };
        let places = IndexPlaces::of(store, self.workspace.as_ref());
        let finder = Arc::new(Finder::open(store, method, None, &places, task)?);
        let mut finders = self.finders();
        finders.retain(|other| other.key != key);
        finders.insert(0, OpenFinder { key, mark, finder: Arc::clone(&finder) });
        finders.truncate(FINDERS);
        Ok(finder)
    }
}

/// The first `k` texts that are nearly the same as an earlier one up to renaming, the most similar first.
fn duplicates(
    store: &Store,
    side: SearchIn,
    (k, width): (usize, usize),
    task: &Task<'_>,
) -> Result<FindResults, SearchError> {
    let request =
        DuplicateRequest { sides: side.sides(), least: NEARLY_THE_SAME, shingler: renamed_shingles };
    let mut found = find_duplicates(store, &request, task)?;
    if found.is_empty() {
        return Err(SearchError::NoDuplicates);
    }
    found.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    let ids = store.pair_ids()?;
    let mut pairs = Vec::new();
    for (one, rank) in found.iter().zip(1..).take(k) {
        let twin = ids.get(one.twin as usize).map_or("", String::as_str);
        let excerpt = |passage: &Passage| Excerpt {
            text: printable::line(&format!("≈ {twin}: {}", readable(passage))).chars().take(width).collect(),
            emphasis: Vec::new(),
        };
        let side = match one.side {
            leaks::Side::Statement => Side::Statement,
            leaks::Side::Proof => Side::Proof,
        };
        let (score, probability) = (one.similarity as f32, one.similarity);
        pairs.extend(FoundPair::read(
            store,
            &Found { row: one.row, side, rank, score, probability },
            excerpt,
        )?);
    }
    let statement = "near-duplicates up to renaming".to_owned();
    Ok(FindResults { statement, pairs, candidates: found.len(), own_rank: None })
}

fn question(store: &Store, query: &FindQuery) -> Result<Option<Question>, SearchError> {
    match &query.subject {
        None | Some(Subject::Duplicates) => Ok(None),
        Some(Subject::Typed(text)) => Ok(Some(Question::typed(text)?)),
        Some(Subject::Row(row)) => {
            let pair = store.pair_at(*row)?;
            Ok(pair.map(|(_, pair)| Question { statement: pair.statement, row: Some(*row) }))
        }
    }
}
