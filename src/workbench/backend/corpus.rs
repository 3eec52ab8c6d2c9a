//! Answers from the corpus: listings, pages, pairs and their sources.

use std::{collections::HashSet, sync::Arc};

use super::{
    files,
    highlight::{Language, highlight},
    services::RequestError,
};
use crate::{
    base::{task::CancelToken, workspace::Workspace},
    corpus::annotations::{Annotation, Annotations},
    corpus::origin,
    corpus::store::{Filter, HitOrder, Query, Sort, SortBy, Store, StoreError},
    symbols::{LetterSet, Level, Protected, Strangers, keeps_conventions, replace},
    workbench::app::{
        browse::{CountsQuery, PairRequest, Request, Response, SourceText},
        compare::FIRST_SEED,
        document::{Form, Role, StyledText},
        work::LoadedPair,
    },
};

/// Answers a request of Browse.
pub fn browse(
    store: &Store,
    workspace: Option<&Workspace>,
    request: Request,
    cancel: &CancelToken,
) -> Result<Response, RequestError> {
    Ok(match request {
        Request::Categories => Response::Categories(store.categories()?),
        Request::ArticleFile { article, source } => {
            let path = origin::article_file(store, &article, &source)?;
            Response::ArticleFile(path.display().to_string())
        }
        Request::Annotations => Response::Annotations(annotations(store, workspace)?),
        Request::Annotate { row, annotation } => {
            let workspace = workspace.ok_or(RequestError::NoWorkspace)?;
            if let Some(summary) = store.summaries(&[row])?.first() {
                let path = Annotations::path(workspace, &store.fingerprint());
                Annotations::set(&path, &summary.id.to_string(), annotation.clone())?;
            }
            Response::Annotated { row, annotation }
        }
        Request::Counts(CountsQuery { query, filter, among }) => {
            let mut rows = match query.is_empty() {
                true => store.rows(&filter, Sort::default())?,
                false => {
                    let page = store.search(&query, &filter, 0, usize::MAX, cancel)?;
                    page.hits.iter().map(|hit| hit.row).collect()
                }
            };
            if let Some(among) = among {
                rows.retain(|row| among.binary_search(row).is_ok());
            }
            Response::Counts(store.category_counts(&rows)?)
        }
        Request::Listing { query, filter, sort } => listing(store, &query, &filter, sort, cancel)?,
        Request::Page { listing, page, rows } => {
            Response::Page { listing, page, summaries: store.summaries(&rows)? }
        }
        Request::Pair(PairRequest::Row(row)) => Response::Pair(load(store, row)?),
        Request::Pair(PairRequest::Neighbour { row, forward }) => {
            Response::Pair(neighbour(store, row, forward)?)
        }
        Request::Articles { category, filter } => {
            Response::Articles { lines: store.articles_of(&filter)?, category }
        }
        Request::Histograms { query, filter } => {
            let found = match query.is_empty() {
                true => None,
                false => {
                    let mut rows = Arc::unwrap_or_clone(search(store, &query, cancel)?);
                    rows.sort_unstable();
                    Some(rows)
                }
            };
            Response::Histograms(store.histograms(&filter, found.as_deref())?)
        }
        Request::Source { row, form } => {
            Response::Source { row, form, source: source(store, row, form, cancel)? }
        }
        Request::Export { rows, target } => {
            Response::Exported(files::export_pairs(store, workspace, &rows, &target, cancel)?)
        }
    })
}

/// The annotations of pairs that the corpus has.
fn annotations(store: &Store, workspace: Option<&Workspace>) -> Result<Vec<(u32, Annotation)>, RequestError> {
    let Some(workspace) = workspace else { return Ok(Vec::new()) };
    let annotations = Annotations::of(store, workspace)?;
    let mut found = Vec::new();
    for (pair, annotation) in annotations.pairs {
        let id = pair.parse().ok();
        if let Some(row) = id.map(|id| store.row_of(&id)).transpose()?.flatten() {
            found.push((row, annotation));
        }
    }
    Ok(found)
}

/// The rows of the pairs that match a query, by relevance.
pub fn search(store: &Store, query: &Query, cancel: &CancelToken) -> Result<Arc<Vec<u32>>, StoreError> {
    let page = store.search(query, &Filter::default(), 0, usize::MAX, cancel)?;
    Ok(Arc::new(page.hits.iter().map(|hit| hit.row).collect()))
}

/// Corpora of up to this many pairs are sampled as soon as a pair is shown.
const IMMEDIATE: u32 = 1_000;

pub fn load(store: &Store, row: u32) -> Result<Option<Box<LoadedPair>>, StoreError> {
    let found = store.pair_at(row)?;
    let Some((article, pair)) = found else { return Ok(None) };
    // The sample of a large corpus takes longer than the first frame may.
    let strangers = (store.pair_count() <= IMMEDIATE).then(|| strangers(store));
    Ok(Some(Box::new(LoadedPair { row: Some(row), article, pair, strangers })))
}

/// A pair of which proofs at any level can be made.
pub fn load_complete(store: &Store, row: u32) -> Result<Option<Box<LoadedPair>>, StoreError> {
    let mut found = load(store, row)?;
    if let Some(pair) = &mut found {
        pair.strangers = Some(strangers(store));
    }
    Ok(found)
}

fn strangers(store: &Store) -> Arc<Strangers> {
    // Another pair that is damaged does not keep this one from being shown.
    Strangers::of(store).unwrap_or_else(|_| Strangers::built_in())
}

/// The rows whose proof still reads well when its symbols are renamed as Compare does at first; all rows if there is none.
pub fn with_plain_renaming(store: &Store, rows: Vec<u32>) -> Result<Vec<u32>, StoreError> {
    let (strangers, protected) = (strangers(store), Protected::built_in().unwrap_or_default());
    let mut plain = Vec::new();
    for &row in &rows {
        let Some((article, pair)) = store.pair_at(row)? else { continue };
        let replaced = replace(&pair, Level::FULL, FIRST_SEED, LetterSet::EMPTY, &strangers);
        if keeps_conventions(&pair.proof, &replaced, protected.letters(&article.categories)) {
            plain.push(row);
        }
    }
    Ok(if plain.is_empty() { rows } else { plain })
}

fn neighbour(store: &Store, row: u32, forward: bool) -> Result<Option<Box<LoadedPair>>, StoreError> {
    let next = if forward { row.checked_add(1) } else { row.checked_sub(1) };
    let here = load(store, row)?;
    let there = next.map_or(Ok(None), |next| load(store, next))?;
    Ok(there.filter(|pair| here.is_some_and(|here| here.article.id == pair.article.id)))
}

fn listing(
    store: &Store,
    query: &Query,
    filter: &Filter,
    sort: Sort,
    cancel: &CancelToken,
) -> Result<Response, StoreError> {
    if query.is_empty() {
        return Ok(Response::Listing { rows: Arc::new(store.rows(filter, sort)?), order: HitOrder::Row });
    }
    let page = store.search(query, filter, 0, usize::MAX, cancel)?;
    let found = page.hits.iter().map(|hit| hit.row);
    // A search is ordered by relevance, unless another order was chosen.
    let rows: Vec<u32> = match sort.by {
        SortBy::Row if sort.descending => found.rev().collect(),
        SortBy::Row => found.collect(),
        _ => {
            let found: HashSet<u32> = found.collect();
            store.rows(filter, sort)?.into_iter().filter(|row| found.contains(row)).collect()
        }
    };
    Ok(Response::Listing { rows: Arc::new(rows), order: page.order })
}

/// A pair as TeX or as its article has it, highlighted. A missing article is a response, not an error.
fn source(store: &Store, row: u32, form: Form, cancel: &CancelToken) -> Result<SourceText, RequestError> {
    if form == Form::Xhtml {
        let sides = origin::read(store, row, cancel).map(|origin| [origin.statement, origin.proof]);
        let shown = |text: String| highlight(&StyledText::plain(&text, Role::Text), Language::Xhtml, cancel);
        return Ok(sides.map(|sides| sides.map(shown)).map_err(|error| error.to_string()));
    }
    let Some((_, pair)) = store.pair_at(row)? else {
        return Ok(Err("the corpus has no such pair".to_owned()));
    };
    let shown = |side| highlight(&StyledText::of(side, form), Language::Tex, cancel);
    Ok(Ok([&pair.statement, &pair.proof].map(shown)))
}
