//! Matching collections of different size, where a statement may have no proof.
//!
//! The paper's global decoding gives every statement a proof. Here a pair is an edge with three pieces of evidence: its score,
//! how far it is ahead of the statement's best other proof, and how far ahead of the proof's best other statement. A
//! logistic regression turns them into the log-odds that the edge is right. Local decoding takes each statement's best edge if
//! its log-odds reach a threshold; global decoding maximizes the sum of log-odds over assignments in which a statement may
//! also stay unmatched at the threshold (the reject option of [`lapmod`](super::assignment::lapmod)).
//!
//! Regression and threshold are learned from [simulations] of the problem with pairs whose gold proofs are known; the
//! threshold is the one with the best accuracy there. In simulations every second known statement is a stranger; in the problem
//! there may be more or fewer, so their share is estimated from the scores, and known statements are weighted by it.

mod calibrate;
mod decode;
mod evidence;
mod logistic;
mod measure;
mod simulation;
mod strangers;

pub use calibrate::{Calibration, Fixed, KnownProblem, calibrate};
pub use decode::{Decoding, MatchedStatement, decode};
pub use evidence::Evidence;
pub use logistic::Logistic;
pub use measure::MatchMetrics;
pub use simulation::{Pools, Simulation, simulations};
