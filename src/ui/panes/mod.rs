//! How each pane looks.

pub mod browse;
