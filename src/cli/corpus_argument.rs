//! The CORPUS of a command: a corpus file, or `demo` for the embedded one.

use std::path::Path;

use crate::{corpus::demo, corpus::store::Store};

/// The name of the embedded demo corpus, unless there is a file of that name.
pub const DEMO: &str = "demo";

/// Opens a corpus.
pub fn open(corpus: &Path) -> anyhow::Result<Store> {
    if corpus.as_os_str() == DEMO && !corpus.exists() {
        return Ok(demo::corpus()?);
    }
    Ok(Store::open(corpus)?)
}
