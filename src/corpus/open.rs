//! Opening a corpus by the name that a user types: a file, or `demo`.

use std::path::Path;

use super::{
    demo::{self, DEMO, DemoError},
    store::{Store, StoreError},
};
use crate::base::temporary;

/// Why a corpus could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Demo(#[from] DemoError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Opens a corpus file, or extracts the embedded demo: `demo` is always the latter, and `./demo` a file of that name.
pub fn open_corpus(corpus: &Path) -> Result<Store, OpenError> {
    if corpus.as_os_str() == DEMO {
        return Ok(demo::corpus()?);
    }
    // A killed writer may have left gigabytes.
    temporary::sweep(temporary::folder_of(corpus));
    Ok(Store::open(corpus)?)
}
