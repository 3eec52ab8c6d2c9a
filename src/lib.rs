//! matchbook: which proof belongs to which statement.

pub mod cli;
pub mod corpus;
pub mod demo;
pub mod exchange;
pub mod extract;
pub mod formats;
pub mod session;
pub mod symbols;
pub mod ui;
pub mod workspace;
