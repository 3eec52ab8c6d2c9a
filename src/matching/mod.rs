//! Matching: from scores of pairs to ranks, assignments and metrics.
//!
//! ```text
//! corpus, level -> baseline -> scores -> ranking -> decoders -> metrics -> evaluation
//!                                           |           |
//!                                       contention  assignment -> explanation
//! ```
//!
//! A [score source](scores::ScoreSource) computes the score of any statement with any proof, in blocks of rows;
//! the whole matrix, 1.3 GB for a dev part of the paper's size, is never in memory. [`ranking`] makes one pass over
//! it and keeps what decoding needs: the exact rank of the gold proof and the k best proofs of each
//! statement. Local decoding uses them directly; the other [`decoders`] apply the constraint that a
//! proof belongs to one statement. [`evaluation`] goes from a corpus to a file that can be reopened.
//!
//! Ties count as errors everywhere: a gold proof with the same score as another one is not found.

pub mod assignment;
pub mod baseline;
pub(crate) mod confidence;
pub(crate) mod decoders;
pub mod evaluation;
pub(crate) mod explanation;
pub(crate) mod index;
pub(crate) mod metrics;
pub(crate) mod rank_files;
pub(crate) mod ranking;
pub mod scores;
