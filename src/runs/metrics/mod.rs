//! `metrics.jsonl`: one line per step and per evaluation, appended while a run trains.
//!
//! A line counts once it has its line break, so a reader never sees half of one, and a truncated file is a valid
//! prefix. Lines are read in three ways: all of them ([`Tail`], which then follows the file at
//! the cost of what is new), the last few from the end ([`last_rows`], for a list of runs), and as a [`Summary`] of
//! a few hundred buckets that the writer stores beside the file (for the curves of hundreds of long runs, which are opened
//! without reading gigabytes of lines).

mod bucket;
pub mod names;
mod row;
mod stored;
mod summary;
mod tail;
#[cfg(test)]
mod tests;
mod writer;

use std::path::Path;

pub use bucket::Bucket;
pub use row::MetricsRow;
pub(super) use row::Number;
pub use summary::{Series, Summary};
pub use tail::{Tail, Tailed};
pub use writer::MetricsWriter;

use super::{RunError, log};

/// The last rows of a metrics file, read from its end.
pub fn last_rows(path: &Path, count: usize) -> Result<Vec<MetricsRow<'static>>, RunError> {
    let lines = log::last_lines(path, count)?;
    Ok(lines
        .iter()
        .filter_map(|line| Some(serde_json::from_str::<MetricsRow<'_>>(line).ok()?.into_owned()))
        .collect())
}
