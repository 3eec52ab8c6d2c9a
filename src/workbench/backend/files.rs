//! The files that panes read and write.

use std::path::{Path, PathBuf};

use crate::{
    base::{
        numbers::counted,
        output_guard::{OutputError, OutputGuard},
        task::CancelToken,
        workspace::Workspace,
    },
    corpus::annotations::{AnnotationError, Annotations},
    corpus::exchange::{ExportError, PairFileError, Selection, export, read_pair},
    corpus::formats::Format,
    corpus::store::Store,
    workbench::app::{
        prompt::{ExportTarget, Exported},
        work::LoadedPair,
    },
};

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(
        "cannot tell the format from the name {0}; use the extension .jsonl, .jsonl.zst, .parquet, .csv or .match"
    )]
    NoFormat(String),
    #[error(transparent)]
    Annotations(#[from] AnnotationError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Output(#[from] OutputError),
    #[error(transparent)]
    Pair(#[from] PairFileError),
}

/// Writes an export. `format` reads the format from the path; `write` returns a sentence that says what was written.
/// Format and file are checked first, so that a wrong name is reported before the question whether to replace a file: no
/// export replaces a corpus, the open one or another.
pub(super) fn write_export<F, E: From<OutputError>>(
    target: &ExportTarget,
    format: impl FnOnce(&Path) -> Result<F, E>,
    write: impl FnOnce(&Path, F) -> Result<String, E>,
) -> Result<Exported, E> {
    let path = expand_home(&target.path);
    let format = format(&path)?;
    OutputGuard::new().writes("the file", &path)?;
    if path.exists() && !target.replace {
        return Ok(Exported::Exists);
    }
    write(&path, format).map(Exported::Written)
}

/// Writes pairs to a file, in JSON Lines with their labels and notes.
pub fn export_pairs(
    store: &Store,
    workspace: Option<&Workspace>,
    rows: &[u32],
    target: &ExportTarget,
    cancel: &CancelToken,
) -> Result<Exported, FileError> {
    let format =
        |path: &Path| Format::from_file_name(path).ok_or_else(|| FileError::NoFormat(target.path.clone()));
    write_export(target, format, |path, format| {
        let annotations = workspace
            .filter(|_| format.format == Format::JsonLines)
            .map(|workspace| Annotations::of(store, workspace))
            .transpose()?;
        let annotations = annotations.as_ref();
        let selection = Selection { rows: Some(rows), annotations, ..Selection::default() };
        let report = export(store, path, format, &selection, cancel)?;
        let mut message = format!("{} written to {}", counted(report.pairs, "pair"), path.display());
        if let Some(warning) = report.warnings.to_string().lines().next() {
            message.push_str(&format!(" ({warning})"));
        }
        Ok(message)
    })
}

/// Reads a file that holds one pair.
pub fn read_pair_file(name: &str) -> Result<LoadedPair, FileError> {
    let (article, pair) = read_pair(&expand_home(name))?;
    Ok(LoadedPair::typed(article, pair))
}

/// Replaces `~/` at the beginning by the home directory, as a shell does.
pub fn expand_home(name: &str) -> PathBuf {
    match (name.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(name),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::corpus::{demo, store::StoreWriter};

    #[test]
    fn an_export_never_replaces_a_corpus() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.jsonl");
        StoreWriter::create(&path).unwrap().finish().unwrap();
        let before = fs::read(&path).unwrap();
        let target = ExportTarget { path: path.display().to_string(), replace: true };
        let error =
            export_pairs(&demo::corpus().unwrap(), None, &[0], &target, &CancelToken::new()).unwrap_err();
        assert!(matches!(error, FileError::Output(_)), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}
