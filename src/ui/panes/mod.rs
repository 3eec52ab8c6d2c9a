//! How each pane looks.

pub mod browse;
pub mod compare;
mod ranges;
mod symbols;
