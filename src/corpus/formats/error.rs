//! Errors of files of pairs.

use std::io;

use crate::base::printable::quoted;

/// Maximum length of a message in characters: it may quote the file, which may consist of one line.
const LONGEST_PROBLEM: usize = 600;

/// A file that cannot be read or written as pairs.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    #[error("cannot open {file}: {source}")]
    Open { file: String, source: io::Error },
    #[error("cannot read {file} at line {line}: {source}; the file may be truncated or damaged")]
    Read { file: String, line: u64, source: io::Error },
    #[error(
        "cannot read {file}: line {line} is not UTF-8 (byte offset {offset}); \
         convert it first, for example with `iconv -f LATIN1 -t UTF-8`"
    )]
    NotUtf8 { file: String, line: u64, offset: u64 },
    #[error(
        "cannot read {file}: line {line} is longer than the limit of {limit} bytes; raise the limit if it is genuine"
    )]
    TooLong { file: String, line: u64, limit: usize },
    #[error("cannot read {file}: line {line}: {}", quoted(problem, LONGEST_PROBLEM))]
    Malformed { file: String, line: u64, problem: String },
    #[error("cannot read {file}: {}", quoted(problem, LONGEST_PROBLEM))]
    Unreadable { file: String, problem: String },
    #[error(
        "cannot tell the format of {file} from its name or content; specify match, jsonl, parquet or csv"
    )]
    UnknownFormat { file: String },
    #[error("cannot write {file}: {source}")]
    Write { file: String, source: io::Error },
}

/// Why reading pairs into a [`Sink`](super::Sink) stopped: the file, or the sink.
#[derive(Debug, thiserror::Error)]
pub enum ImportError<E> {
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("cannot store what was read: {0}")]
    Sink(E),
}
