//! matchbook: which proof belongs to which statement.

pub mod corpus;
pub mod symbols;
