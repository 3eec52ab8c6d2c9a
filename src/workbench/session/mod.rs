//! Session files: the state of the workbench on disk.
//!
//! A session is a TOML file that a person can read and write. It holds a snapshot of the workbench
//! ([`AppSnapshot`]), with pairs named by their ids, and the corpus it belongs to. The snapshot types of
//! `workbench::app` are the format of the file; there is no other set of types.
//!
//! A bad file never loses anything: one that cannot be read, or that a later version wrote, is renamed; one with a
//! wrong value keeps all the others; unknown sections are carried along.

mod error;
mod file;
mod library;
mod salvage;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use error::{Notice, SessionError};
pub use file::Loaded;
pub use library::{LAST, SessionSource, Sessions};

use crate::{
    corpus::{PairId, demo::DEMO, store::Fingerprint},
    workbench::app::AppSnapshot,
};

/// The version of the format that is written.
pub const VERSION: u32 = 1;

/// A session file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    pub version: u32,
    /// A line for the list of sessions; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    pub corpus: SessionCorpus,
    #[serde(flatten)]
    pub workbench: AppSnapshot<PairId>,
    /// Sections and keys that this version does not know.
    #[serde(flatten)]
    pub more: toml::Table,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            version: VERSION,
            about: String::new(),
            corpus: SessionCorpus::default(),
            workbench: AppSnapshot::default(),
            more: toml::Table::new(),
        }
    }
}

/// Which corpus was open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionCorpus {
    /// A corpus file, or `demo` for the embedded one.
    pub path: String,
    /// What it held then, so that another corpus of the same name is noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

impl SessionCorpus {
    /// A corpus file. The path is made absolute, since the next start may be from elsewhere.
    pub fn file(path: &Path, fingerprint: Fingerprint) -> SessionCorpus {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        SessionCorpus { path: path.to_string_lossy().into_owned(), fingerprint: Some(fingerprint) }
    }

    /// What a corpus is called on the command line, where `demo` is the embedded one.
    pub fn named(name: &str, fingerprint: Fingerprint) -> SessionCorpus {
        match name {
            DEMO => SessionCorpus { path: DEMO.to_owned(), fingerprint: Some(fingerprint) },
            path => SessionCorpus::file(Path::new(path), fingerprint),
        }
    }

    /// The file, unless it is the embedded corpus.
    pub fn path(&self) -> Option<PathBuf> {
        (self.path != DEMO).then(|| PathBuf::from(&self.path))
    }

    /// Whether this is the corpus that was open. A session without a fingerprint takes any.
    pub fn agrees_with(&self, fingerprint: Fingerprint) -> bool {
        self.fingerprint.is_none_or(|then| then == fingerprint)
    }
}

impl Default for SessionCorpus {
    fn default() -> SessionCorpus {
        SessionCorpus { path: DEMO.to_owned(), fingerprint: None }
    }
}
