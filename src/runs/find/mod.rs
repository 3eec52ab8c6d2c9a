//! Find: the best pairs, proofs or statements of a corpus for a statement.
//!
//! A [`Finder`] is a corpus, a [method](FindMethod) (a baseline or a trained model) and the method's index of the corpus. The
//! index is built at the first search and kept [beside the corpus](place), or in the workspace where the folder of the
//! corpus is not writable; its key is made of the fingerprints of corpus and method, so it is never stale. Building goes
//! shard by shard, and an interrupted build continues where it stopped.
//!
//! Scores of proofs are those of an evaluation of the same candidates, bit for bit; ties are pessimistic. With a model, a
//! search may be [approximate](near): then it scores only the candidates near the statement.

mod build;
mod details;
mod error;
mod excerpt;
mod export;
mod features;
mod files;
mod finder;
mod method;
mod near;
mod place;
mod query;
mod shard;

#[cfg(test)]
mod tests;

pub use details::FoundPair;
pub use error::FindError;
pub use excerpt::Excerpt;
pub use finder::{Approximation, CandidatePart, FindAnswer, FindRequest, Finder, Found, SearchIn};
pub use method::FindMethod;
pub use place::{IndexPlace, IndexPlaces};
pub use query::{LONGEST_STATEMENT, Question};
