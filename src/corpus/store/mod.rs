//! The corpus file: articles, pairs, an index of their words, splits, in one SQLite database.
//!
//! A corpus is written once, by a [`StoreWriter`], and read ever after. Pairs keep the order in which
//! they were added; the place of a pair is its *row*, counted from 0, and whatever shows many pairs
//! (lists, searches, splits) speaks in rows and asks for the pairs it needs. Everything that a large
//! corpus would make slow is counted when the corpus is written, so opening one takes a millisecond
//! whatever its size.
//!
//! A [`Store`] may be sent to another thread but not shared; [`Store::reopen`] gives each its own.

mod articles;
mod category_tally;
mod error;
mod filter;
mod fingerprint;
mod histogram;
mod insert;
mod location;
mod open;
mod query;
mod reader;
mod schema;
mod search;
mod splits;
mod summary;
pub(in crate::corpus) mod temporary;
mod words;
mod writer;

#[cfg(test)]
mod tests;

pub use articles::ArticleLine;
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

use location::Location;

/// A corpus, open for reading.
pub struct Store {
    connection: rusqlite::Connection,
    location: Location,
    header: Header,
}

/// Stops whatever another thread is asking a corpus at the moment; questions asked later are not concerned.
pub struct Interrupter(rusqlite::InterruptHandle);

impl Interrupter {
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

impl Store {
    /// What stops a question to this corpus from another thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.connection.get_interrupt_handle())
    }
}

/// What was counted when the corpus was written.
struct Header {
    pairs: u32,
    articles: u32,
    articles_with_pairs: u32,
    fingerprint: Fingerprint,
}
