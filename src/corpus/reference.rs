//! A reference to a corpus, as kept by runs.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The path of a corpus, with the fingerprint of its content at the time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusReference {
    /// A corpus file, or `demo` for the embedded one.
    pub path: PathBuf,
    pub fingerprint: String,
}

impl CorpusReference {
    /// The name of the file without its folders, or `demo`.
    pub fn short_name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }
}
