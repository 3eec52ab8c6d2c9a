//! Full-text search.
//!
//! Hits are ordered by relevance (BM25) as long as there are at most 10,000 of them. Beyond that, the
//! query is a word like "the": ranking 200,000 hits takes a tenth of a second and is useless, so they are in the order
//! of the corpus; see [`SearchPage::order`].

use std::collections::HashSet;

use rusqlite::Connection;

use super::{Filter, Query, Sort, Store, StoreError};
use crate::base::task::CancelToken;

/// More hits than this are not ranked.
const MOST_WEIGHED: usize = 10_000;

/// A page of search results.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPage {
    pub hits: Vec<SearchHit>,
    /// The total number of hits.
    pub total: usize,
    pub order: HitOrder,
}

/// A search result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchHit {
    pub row: u32,
    /// Higher is more relevant; 0 if hits are not ranked.
    pub score: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitOrder {
    Relevance,
    Row,
}

impl Store {
    /// Searches the pairs that match the filter; returns `limit` hits from `offset` on. Fails once the token is
    /// cancelled.
    pub fn search(
        &self,
        query: &Query,
        filter: &Filter,
        offset: usize,
        limit: usize,
        cancel: &CancelToken,
    ) -> Result<SearchPage, StoreError> {
        cancel.check()?;
        let failed = StoreError::database("searching", self.path());
        let mut rows = self.matches(query, cancel).map_err(&failed)?;
        let in_text = rows.len();
        let titled = self.title_matches(query, cancel).map_err(&failed)?;
        rows.extend(&titled);
        rows.sort_unstable();
        rows.dedup();
        let wanted = match filter.is_everything() || rows.is_empty() {
            true => None,
            false => Some(self.rows(filter, Sort::default())?),
        };
        let fits = |row: &u32| wanted.as_ref().is_none_or(|wanted| wanted.binary_search(row).is_ok());
        let weighed = !query.required().is_empty() && in_text <= MOST_WEIGHED;
        rows.retain(fits);
        let page = |row| SearchHit { row, score: 0.0 };
        let hits: Vec<SearchHit> = match weighed {
            true => {
                let mut hits = weigh(&self.connection, query).map_err(failed)?;
                let known: HashSet<u32> = hits.iter().map(|hit| hit.row).collect();
                hits.extend(titled.into_iter().filter(|row| !known.contains(row)).map(page));
                let is_wanted = |hit: &SearchHit| rows.binary_search(&hit.row).is_ok();
                hits.into_iter().filter(is_wanted).skip(offset).take(limit).collect()
            }
            false => rows.iter().skip(offset).take(limit).copied().map(page).collect(),
        };
        let order = if weighed { HitOrder::Relevance } else { HitOrder::Row };
        Ok(SearchPage { hits, total: rows.len(), order })
    }

    /// The rows of the pairs whose text and data match, in order.
    fn matches(&self, query: &Query, cancel: &CancelToken) -> rusqlite::Result<Vec<u32>> {
        let mut rows = self.word_matches(query)?;
        for condition in query.conditions() {
            condition.retain(&self.connection, &mut rows, cancel)?;
        }
        Ok(rows)
    }

    /// The rows of articles whose titles match, in order.
    fn title_matches(&self, query: &Query, cancel: &CancelToken) -> rusqlite::Result<Vec<u32>> {
        let mut articles = self.connection.prepare_cached("SELECT key, title FROM article")?;
        let mut found = articles.query([])?;
        let mut pairs = self.connection.prepare_cached("SELECT row FROM pair WHERE article = ?")?;
        let mut rows = Vec::new();
        while let Some(article) = found.next()? {
            let title: String = article.get(1)?;
            if query.is_title(&title) {
                let key: u32 = article.get(0)?;
                for row in pairs.query_map([key], |row| row.get(0))? {
                    rows.push(row?);
                }
            }
        }
        rows.sort_unstable();
        for condition in query.conditions() {
            condition.retain(&self.connection, &mut rows, cancel)?;
        }
        Ok(rows)
    }

    /// The rows of the pairs that have the required words and not the excluded ones, in order.
    fn word_matches(&self, query: &Query) -> rusqlite::Result<Vec<u32>> {
        let (required, excluded) = (query.required(), query.excluded());
        match (required.is_empty(), excluded.is_empty()) {
            (true, true) if query.conditions().is_empty() => Ok(Vec::new()),
            (true, true) => Ok((0..self.pair_count()).collect()),
            (false, _) => match_rows(&self.connection, &expression(query)),
            // FTS5 has no expression for "everything but", so the rest is what remains.
            (true, false) => {
                let excluded = match_rows(&self.connection, &excluded)?;
                Ok((0..self.pair_count()).filter(|row| excluded.binary_search(row).is_err()).collect())
            }
        }
    }
}

fn expression(query: &Query) -> String {
    let (required, excluded) = (query.required(), query.excluded());
    if excluded.is_empty() { required } else { format!("({required}) NOT ({excluded})") }
}

fn match_rows(connection: &Connection, expression: &str) -> rusqlite::Result<Vec<u32>> {
    connection
        .prepare_cached("SELECT rowid FROM word WHERE word MATCH ? ORDER BY rowid")?
        .query_map([expression], |row| row.get(0))?
        .collect()
}

/// All hits, the most relevant first. A word in a title weighs more than one in a statement, and that more
/// than one in a proof.
fn weigh(connection: &Connection, query: &Query) -> rusqlite::Result<Vec<SearchHit>> {
    let mut hits: Vec<SearchHit> = connection
        .prepare_cached("SELECT rowid, -bm25(word, 2.0, 1.0, 4.0) FROM word WHERE word MATCH ?")?
        .query_map([expression(query)], |row| Ok(SearchHit { row: row.get(0)?, score: row.get(1)? }))?
        .collect::<rusqlite::Result<_>>()?;
    hits.sort_unstable_by(|hit, other| other.score.total_cmp(&hit.score).then(hit.row.cmp(&other.row)));
    Ok(hits)
}
