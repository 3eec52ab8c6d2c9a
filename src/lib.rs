//! matchbook: which proof belongs to which statement.

pub mod corpus;
pub mod extract;
pub mod formats;
pub mod synth;
