//! matchbook: which proof belongs to which statement.

pub mod app;
pub mod cli;
pub mod corpus;
pub mod demo;
pub mod exchange;
pub mod extract;
pub mod formats;
pub mod symbols;
pub mod ui;
