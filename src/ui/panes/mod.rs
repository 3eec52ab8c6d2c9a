//! How each pane looks.

pub mod assignments;
pub mod browse;
pub mod compare;
mod ranges;
mod symbols;
