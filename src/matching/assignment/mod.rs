//! The linear assignment problem, solved exactly: one proof for each statement.
//!
//! [`lapjv`] solves dense problems and [`lapmod`] sparse ones; both use the same solver, which sees a problem
//! only as rows of costs. It holds a shortlist of each row's cheapest edges, with a lower bound of all others,
//! and reads the row again only when the bound is reached. The prices of columns only fall, so a bound
//! stays valid: the result is exact, and most of a dense matrix is read twice. Small dense problems
//! are read completely instead, which is faster (`plain.rs`), costs with many ties are matched on their
//! tight edges first (`ties.rs`), and costs in product form are sorted (`sorted.rs`).
//!
//! Internally everything is minimized. Scores are negated while they are read, which is exact.

mod answer;
mod auction;
mod augment;
pub mod certificate;
mod dense;
mod error;
pub mod feasibility;
mod graph;
pub mod lapjv;
pub mod lapmod;
mod number;
mod plain;
pub mod prune;
mod shortlist;
mod solver;
mod sorted;
mod sweep;
mod ties;

#[cfg(test)]
mod tests;

pub use answer::{Assignment, Objective};
pub use dense::Dense;
pub use error::AssignmentError;
pub use graph::Graph;
pub use number::Number;
