//! The CORPUS of a command: a corpus file, or `demo` for the embedded one.

use std::path::Path;

use crate::corpus::{
    demo::{self, DEMO},
    store::Store,
};

/// Opens a corpus.
pub fn open(corpus: &Path) -> anyhow::Result<Store> {
    if corpus.as_os_str() == DEMO && !corpus.exists() {
        return Ok(demo::corpus()?);
    }
    Ok(Store::open(corpus)?)
}
