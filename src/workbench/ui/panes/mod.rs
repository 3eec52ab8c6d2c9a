//! How each pane looks.

pub mod assignments;
pub mod browse;
pub mod compare;
pub mod curves;
pub mod importance;
pub mod log;
mod ranges;
pub mod studies;
mod symbols;
pub mod training;
