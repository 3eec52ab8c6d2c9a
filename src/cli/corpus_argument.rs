//! The CORPUS of a command: a corpus file, or `demo` for the embedded one.

use std::path::Path;

use crate::corpus::{open_corpus, store::Store};

/// Opens a corpus.
pub fn open(corpus: &Path) -> anyhow::Result<Store> {
    Ok(open_corpus(corpus)?)
}
