//! Errors of corpus files, with suggestions for what to do.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{base::task::Cancelled, corpus::split::Scheme};

/// Why a corpus could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(transparent)]
    Cancelled(#[from] Cancelled),

    #[error("cannot open the corpus {}: there is no such file", path.display())]
    Missing { path: PathBuf },

    #[error("{} is not a corpus: {found}; create one with `matchbook extract` or `matchbook import`", path.display())]
    NotACorpus { path: PathBuf, found: &'static str },

    #[error("cannot write a corpus to {}: it already exists and {found}; choose another name, or remove it first", path.display())]
    Occupied { path: PathBuf, found: &'static str },

    #[error(
        "{} is an unfinished corpus: the program that wrote it was stopped; build it again and remove this file",
        path.display()
    )]
    Unfinished { path: PathBuf },

    #[error(
        "the corpus {} is truncated: {found} of {expected} bytes are present; copy it again or rebuild it",
        path.display()
    )]
    CutShort { path: PathBuf, found: u64, expected: u64 },

    #[error(
        "the corpus {} has format {found}, written by a newer matchbook; this one reads up to format {known}: \
         update matchbook",
        path.display()
    )]
    Newer { path: PathBuf, found: u32, known: u32 },

    #[error("the article `{id}` is already in the corpus {}", path.display())]
    DuplicateArticle { path: PathBuf, id: String },

    #[error("the pair `{id}` is already in the corpus {}", path.display())]
    DuplicatePair { path: PathBuf, id: String },

    #[error("the pair `{pair}` was added to the article `{article}`, to which it does not belong")]
    WrongArticle { pair: String, article: String },

    #[error("a {scheme} split assigns parts to {given} pairs, but the corpus {} has {pairs}", path.display())]
    WrongParts { path: PathBuf, scheme: Scheme, given: usize, pairs: usize },

    #[error("the corpus {} is damaged: {what}; copy it again or rebuild it", path.display())]
    Damaged { path: PathBuf, what: String },

    #[error("`demo` is the name of the embedded corpus; choose another name, or write ./demo")]
    Reserved,

    #[error("no pair was found, so the corpus {} was not replaced; to replace it with an empty one, remove it first", path.display())]
    NoPairs { path: PathBuf },

    #[error("the corpus {} has been replaced by another one since it was opened; open it again", path.display())]
    Replaced { path: PathBuf },

    #[error("stopped before it finished; nothing was written")]
    Stopped,

    #[error("while {doing} the corpus {}: {source}", path.display())]
    Database { doing: &'static str, path: PathBuf, source: rusqlite::Error },

    #[error("while {doing} {}: {source}", path.display())]
    File { doing: &'static str, path: PathBuf, source: io::Error },
}

impl StoreError {
    /// An adapter for `map_err` on SQLite's errors.
    pub(super) fn database<'a>(
        doing: &'static str,
        path: &'a Path,
    ) -> impl Fn(rusqlite::Error) -> StoreError + use<'a> {
        move |source| match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase) => {
                StoreError::Damaged { path: path.to_owned(), what: source.to_string() }
            }
            Some(rusqlite::ErrorCode::OperationInterrupted) => StoreError::Stopped,
            _ => StoreError::Database { doing, path: path.to_owned(), source },
        }
    }

    /// An adapter for `map_err` on I/O errors.
    pub(super) fn file<'a>(
        doing: &'static str,
        path: &'a Path,
    ) -> impl Fn(io::Error) -> StoreError + use<'a> {
        move |source| StoreError::File { doing, path: path.to_owned(), source }
    }
}
