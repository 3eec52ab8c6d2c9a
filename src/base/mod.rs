//! Helpers for every other module: random streams, cancellation and progress, atomic files, the workspace, settings as
//! tables, number formats, shell quoting, and writers for HTML, SVG, LaTeX, Markdown and CSV.

pub mod atomic;
pub mod csv;
pub mod fields;
pub mod font;
pub mod latex;
pub mod markdown;
pub mod markup;
pub mod numbers;
pub mod rng;
pub mod shell;
pub mod task;
pub mod text_table;
pub mod toml_u64;
pub mod workspace;
