//! Helpers for every other module: random streams, cancellation and progress, files (read from outside, guarded, written
//! atomically), process ids, the workspace, settings as tables, number formats, shell quoting, and writers for HTML, SVG, LaTeX,
//! Markdown and CSV.

pub(crate) mod atomic;
pub(crate) mod csv;
pub(crate) mod fields;
pub(crate) mod font;
pub(crate) mod guide;
pub(crate) mod latex;
pub(crate) mod lock;
pub(crate) mod markdown;
pub(crate) mod markup;
pub(crate) mod memory;
pub(crate) mod numbers;
pub(crate) mod output_guard;
pub(crate) mod outside;
pub(crate) mod printable;
pub(crate) mod process;
pub mod rng;
pub(crate) mod shell;
pub mod task;
pub(crate) mod temporary;
pub(crate) mod text_table;
pub(crate) mod toml_u64;
pub mod workspace;
