//! The files that workers read and write for the panes.

use std::path::PathBuf;

use crate::{
    base::{numbers::plural, task::CancelToken},
    corpus::exchange::{ExportError, PairFileError, Selection, export, read_pair},
    corpus::formats::Format,
    corpus::store::Store,
    workbench::app::work::{Exported, LoadedPair},
};

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(
        "cannot tell a format from the name {0}; let it end in .jsonl, .jsonl.zst, .parquet, .csv or .match"
    )]
    NoFormat(String),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Pair(#[from] PairFileError),
}

/// Writes pairs to a file in the format that its name tells.
pub fn export_rows(
    store: &Store,
    rows: &[u32],
    name: &str,
    replace: bool,
    cancel: &CancelToken,
) -> Result<Exported, FileError> {
    let path = expanded(name);
    let format = Format::from_file_name(&path).ok_or_else(|| FileError::NoFormat(name.to_owned()))?;
    if path.exists() && !replace {
        return Ok(Exported::Exists);
    }
    let selection = Selection { rows: Some(rows), ..Selection::default() };
    let report = export(store, &path, format, &selection, cancel)?;
    let mut words =
        format!("{} {} written to {}", report.pairs, plural(report.pairs, "pair"), path.display());
    if let Some(warning) = report.warnings.to_string().lines().next() {
        words.push_str(&format!(" ({warning})"));
    }
    Ok(Exported::Written(words))
}

/// A pair of the user's own.
pub fn own_pair(name: &str) -> Result<LoadedPair, FileError> {
    let (article, pair) = read_pair(&expanded(name))?;
    Ok(LoadedPair { row: None, article, pair })
}

/// `~/` is the home directory, as a shell would have it.
pub(super) fn expanded(name: &str) -> PathBuf {
    match (name.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(name),
    }
}
