//! One proof for each statement: the linear assignment problem, exactly.
//!
//! Dense problems are [`lapjv`], sparse ones [`lapmod`]; both are the same solver, which sees a problem
//! only as rows of costs. It holds a short list of each row's cheapest edges, with a bound below all others,
//! and goes back to the row only when the bound is reached. The prices of columns only ever fall, so a bound
//! never has to be taken back: the answer is exact, and most of a dense matrix is read twice. Small dense problems
//! are read whole instead, which is quicker (`plain.rs`).
//!
//! Everything inside minimises. Scores are negated while they are read, which rounds nothing.

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
mod sweep;

#[cfg(test)]
mod tests;

pub use answer::{Assignment, Objective};
pub use dense::Dense;
pub use error::AssignmentError;
pub use graph::Graph;
pub use number::Number;
