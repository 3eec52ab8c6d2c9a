//! Matching: everything between a score for each pair and an answer.
//!
//! ```text
//! corpus, level -> baseline -> scores -> ranking -> decoders -> metrics -> evaluation
//!                                           |           |
//!                                       contention  assignment -> explanation
//! ```
//!
//! A [score source](scores::ScoreSource) knows the score of any statement with any proof and fills blocks of rows;
//! nobody ever holds the whole matrix, which for a dev part of the paper's size would be 1.3 GB. [`ranking`] goes
//! over it once and keeps what decoding needs: the exact rank of the gold proof and the k best proofs of each
//! statement. Local decoding reads them as they are; [`decoders`] correct them under the constraint that a
//! proof belongs to one statement. [`evaluation`] is the whole way from a corpus to a file that can be reopened.
//!
//! Ties count against us everywhere: a gold proof that another one equals is not found.

pub mod assignment;
pub mod baseline;
pub mod decoders;
pub mod evaluation;
pub mod explanation;
pub mod metrics;
pub mod rank_files;
pub mod ranking;
pub mod scores;
