//! The corpus file: articles, pairs, an index of their words, splits, in one SQLite database.
//!
//! A corpus is written once, by a [`StoreWriter`], and then only read; what is added later, such as a split, is added to
//! a copy that replaces it. Pairs keep the order in which they were added; the
//! index of a pair is its *row*, from 0. Lists, searches and splits use rows and fetch the pairs they need. All counts
//! are computed when the corpus is written, so opening one takes a millisecond regardless of its size.
//!
//! A [`Store`] is `Send` but not `Sync`; [`Store::reopen`] opens another connection.

mod amend;
mod articles;
mod category_tally;
mod check;
mod checksum;
mod condition;
mod error;
mod filter;
mod fingerprint;
mod formula_pattern;
mod histogram;
mod insert;
mod journal;
mod location;
mod open;
mod query;
mod reader;
mod schema;
mod search;
mod splits;
mod summary;
mod words;
mod writer;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_kills;

pub use articles::ArticleSummary;
pub use check::CorpusCheck;
pub use error::StoreError;
pub use filter::{CategoryFilter, Filter, Sort, SortBy};
pub use fingerprint::{Fingerprint, FingerprintError};
pub use histogram::{Histograms, SHARE_STEP, TOKEN_STEP};
pub use query::{Query, SearchField};
pub use reader::{ArticleCount, CategoryCount};
pub(in crate::corpus) use schema::{ARTICLES, ARTICLES_READ};
pub use search::{HitOrder, SearchHit, SearchPage};
pub use summary::PairSummary;
pub use writer::{ArticleKey, PairSpans, Span, StoreWriter};

use std::sync::Arc;

use location::Location;

/// A corpus, open for reading.
pub struct Store {
    connection: rusqlite::Connection,
    location: Location,
    header: Header,
    /// The checksums of articles and of pairs, read when the first row is; none in corpora of earlier versions.
    sums: std::cell::OnceCell<Option<[checksum::RowSums; 2]>>,
    derived: std::cell::OnceCell<Arc<dyn std::any::Any + Send + Sync>>,
}

/// Interrupts the query that another thread is running on a corpus; later queries are not affected.
pub struct InterruptHandle(rusqlite::InterruptHandle);

impl InterruptHandle {
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

impl Store {
    /// What another module derives from the corpus, computed when it is first asked for. There is room for one type.
    pub fn derived<T, E>(&self, derive: impl FnOnce(&Store) -> Result<Arc<T>, E>) -> Result<Arc<T>, E>
    where
        T: std::any::Any + Send + Sync,
    {
        if let Some(known) = self.derived.get().and_then(|known| known.clone().downcast().ok()) {
            return Ok(known);
        }
        let made = derive(self)?;
        let _ = self.derived.set(made.clone());
        Ok(made)
    }

    /// A handle to interrupt a query on this corpus from another thread.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        InterruptHandle(self.connection.get_interrupt_handle())
    }
}

/// The counts from when the corpus was written.
struct Header {
    pairs: u32,
    articles: u32,
    articles_with_pairs: u32,
    fingerprint: Fingerprint,
}
