//! Sessions: what the workbench remembers, as files.
//!
//! A session is a TOML file that a person can read and write. It says which corpus was open, what was
//! looked at and how, and nothing of terminals. The types here are those of the file and change only with its
//! version; the workbench has its own and turns one into the other, so that a change inside never makes
//! an old file unreadable.
//!
//! Nothing is ever lost to a bad file: one that cannot be read, or that a later version wrote, is set
//! aside under another name; one with a wrong value keeps all the others; sections that are not known here
//! are carried along.

mod as_text;
mod compare;
mod error;
mod file;
mod filters;
mod library;
mod salvage;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use compare::{Column, Compare, LevelName};
pub use error::{Notice, SessionError};
pub use file::Loaded;
pub use filters::{Category, Filters, Sort, SortKey};
pub use library::{LAST, ListedSession, SessionSource, Sessions};

use crate::corpus::{PairId, demo::DEMO, store::Fingerprint};

/// The version of the format that is written.
pub const VERSION: u32 = 1;

/// What was open, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    pub version: u32,
    /// A line for the list of sessions; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    pub pane: Pane,
    /// The part of the pane that has the keyboard, by the pane's own name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// The chosen pair.
    #[serde(with = "as_text::option", skip_serializing_if = "Option::is_none")]
    pub cursor: Option<PairId>,
    pub form: Form,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// The names of the runs that are open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
    #[serde(with = "as_text::list", skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<PairId>,
    pub corpus: CorpusReference,
    pub filters: Filters,
    pub sort: Sort,
    pub compare: Compare,
    /// The shares of the parts of a split, by the split's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub layout: BTreeMap<String, Vec<f64>>,
    /// Whatever else the file has: sections of panes that are not known here.
    #[serde(flatten)]
    pub more: toml::Table,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            version: VERSION,
            about: String::new(),
            pane: Pane::default(),
            focus: None,
            cursor: None,
            form: Form::default(),
            theme: None,
            runs: Vec::new(),
            marked: Vec::new(),
            corpus: CorpusReference::default(),
            filters: Filters::default(),
            sort: Sort::default(),
            compare: Compare::default(),
            layout: BTreeMap::new(),
            more: toml::Table::new(),
        }
    }
}

/// The panes of the workbench.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pane {
    #[default]
    Browse,
    Compare,
    Train,
    Curves,
    Assignments,
    Importance,
    Studies,
    Log,
}

/// How formulas are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    #[default]
    Readable,
    Linear,
    Tex,
    Xhtml,
}

/// Which corpus was open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CorpusReference {
    /// A corpus file, or `demo` for the embedded one.
    pub path: String,
    /// What it held then, so that another corpus of the same name is noticed.
    #[serde(with = "as_text::option", skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

impl CorpusReference {
    /// A corpus file. The path is made absolute, since the next start may be from elsewhere.
    pub fn file(path: &Path, fingerprint: Fingerprint) -> CorpusReference {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        CorpusReference { path: path.to_string_lossy().into_owned(), fingerprint: Some(fingerprint) }
    }

    /// What a corpus is called on the command line, where `demo` is the embedded one.
    pub fn named(name: &str, fingerprint: Fingerprint) -> CorpusReference {
        match name {
            DEMO => CorpusReference { path: DEMO.to_owned(), fingerprint: Some(fingerprint) },
            path => CorpusReference::file(Path::new(path), fingerprint),
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

impl Default for CorpusReference {
    fn default() -> CorpusReference {
        CorpusReference { path: DEMO.to_owned(), fingerprint: None }
    }
}
