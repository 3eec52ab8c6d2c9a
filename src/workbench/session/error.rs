//! Errors of session files, and notices about those that could be opened only in part.

use std::{fmt, io, path::PathBuf};

/// Why a session could not be loaded or saved.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("`{0}` is not a valid session name; use letters, digits, spaces, hyphens and underscores")]
    Name(String),
    #[error("there is no session `{0}`")]
    NoSession(String),
    #[error("cannot read the session {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot save the session {}: {source}; the session saved before is unchanged", path.display())]
    Save { path: PathBuf, source: io::Error },
    #[error(
        "the session {} cannot be used ({why}) and cannot be renamed either: {source}; \
         move it away, or save under another name", path.display()
    )]
    SetAside { path: PathBuf, why: String, source: io::Error },
    #[error("cannot serialize the session: {0}")]
    Encode(String),
}

/// Something the user should know about a session that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It could not be read and now has another name.
    Broken { path: PathBuf, aside: PathBuf, why: String },
    /// A later version wrote it; it now has another name.
    Newer { path: PathBuf, aside: PathBuf, version: u32 },
    /// Some of it could not be understood; the file as it was is kept under another name.
    Partly { path: PathBuf, aside: PathBuf, left_out: Vec<String> },
}

impl fmt::Display for Notice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Broken { path, aside, why } => write!(
                out,
                "the session {} could not be read ({why}); it is kept as {}",
                path.display(),
                aside.display()
            ),
            Notice::Newer { path, aside, version } => write!(
                out,
                "the session {} was written by a newer matchbook (version {version}; this one reads version {}); it is kept as {}",
                path.display(),
                super::VERSION,
                aside.display()
            ),
            Notice::Partly { path, aside, left_out } => write!(
                out,
                "the session {} was opened without {}; the original is kept as {}",
                path.display(),
                left_out.join(", "),
                aside.display()
            ),
        }
    }
}
