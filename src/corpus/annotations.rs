//! Labels and notes about pairs, kept in the workspace in one file for each corpus.
//!
//! The corpus itself never changes: the file is named by its fingerprint, and pairs are named by their ids, so annotations
//! are found again when the same articles are extracted elsewhere.

use std::{
    collections::BTreeMap,
    fmt, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::store::{Fingerprint, Store};
use crate::base::{lock::FolderLock, outside, temporary::folder_of, workspace::Workspace};

/// What a user noted about a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Annotation {
    /// A word to filter by; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// The annotations of a corpus, by the ids of the pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Annotations {
    pub pairs: BTreeMap<String, Annotation>,
}

/// Why annotations cannot be read or saved.
#[derive(Debug, thiserror::Error)]
pub enum AnnotationError {
    #[error("cannot {doing} the annotations in {}: {cause}", path.display())]
    File { doing: &'static str, path: PathBuf, cause: io::Error },
    #[error("{} is not an annotations file: {problem}; move it away to start over", path.display())]
    Content { path: PathBuf, problem: String },
}

impl Annotation {
    /// Reads a line as it is typed: `#label note`, either of which may be missing.
    pub fn parse(line: &str) -> Annotation {
        let line = line.trim();
        let (label, note) = match line.strip_prefix('#') {
            Some(rest) => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
            None => ("", line),
        };
        Annotation { label: label.to_owned(), note: note.trim().to_owned() }
    }

    pub fn is_empty(&self) -> bool {
        self.label.is_empty() && self.note.is_empty()
    }
}

impl fmt::Display for Annotation {
    /// The line that [`Annotation::parse`] reads.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.label.is_empty(), self.note.is_empty()) {
            (true, _) => out.write_str(&self.note),
            (false, true) => write!(out, "#{}", self.label),
            (false, false) => write!(out, "#{} {}", self.label, self.note),
        }
    }
}

impl Annotations {
    /// The file of a corpus.
    pub fn path(workspace: &Workspace, corpus: &Fingerprint) -> PathBuf {
        workspace.root().join("annotations").join(format!("{}.toml", corpus.short()))
    }

    /// Those of a corpus.
    pub fn of(store: &Store, workspace: &Workspace) -> Result<Annotations, AnnotationError> {
        Annotations::read(&Annotations::path(workspace, &store.fingerprint()))
    }

    /// Reads a file; there are none if it does not exist.
    pub fn read(path: &Path) -> Result<Annotations, AnnotationError> {
        let text = match outside::read_text(path, outside::ANNOTATIONS) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Annotations::default()),
            Err(cause) => return Err(AnnotationError::File { doing: "read", path: path.to_owned(), cause }),
        };
        let problem = |error: toml::de::Error| AnnotationError::Content {
            path: path.to_owned(),
            problem: error.message().to_owned(),
        };
        toml::from_str(&text).map_err(problem)
    }

    /// Changes the annotation of one pair in a file; an empty one is removed.
    pub fn set(path: &Path, pair: &str, annotation: Annotation) -> Result<(), AnnotationError> {
        let failed = |cause| AnnotationError::File { doing: "save", path: path.to_owned(), cause };
        let folder = folder_of(path);
        std::fs::create_dir_all(folder).map_err(failed)?;
        let _lock = FolderLock::take(folder).map_err(failed)?;
        let mut annotations = Annotations::read(path)?;
        match annotation.is_empty() {
            true => drop(annotations.pairs.remove(pair)),
            false => drop(annotations.pairs.insert(pair.to_owned(), annotation)),
        }
        let text = toml::to_string(&annotations).map_err(|error| failed(io::Error::other(error)))?;
        outside::replace(path, outside::ANNOTATIONS, text.as_bytes()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_label_and_a_note() {
        for (line, label, note) in [
            ("#wrong uses another lemma", "wrong", "uses another lemma"),
            ("#nice", "nice", ""),
            ("a note # only", "", "a note # only"),
            ("", "", ""),
        ] {
            let annotation = Annotation::parse(line);
            assert_eq!((annotation.label.as_str(), annotation.note.as_str()), (label, note));
            assert_eq!(annotation.to_string(), line);
        }
    }

    #[test]
    fn what_is_kept_is_found_again_and_a_strange_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("annotations/a.toml");
        assert_eq!(Annotations::read(&path).unwrap(), Annotations::default());
        Annotations::set(&path, "demo.15#1", Annotation::parse("#a b")).unwrap();
        Annotations::set(&path, "demo.15#2", Annotation::parse("c \"quoted\"")).unwrap();
        Annotations::set(&path, "demo.15#1", Annotation::default()).unwrap();
        let read = Annotations::read(&path).unwrap();
        assert_eq!(read.pairs.keys().collect::<Vec<_>>(), ["demo.15#2"]);
        std::fs::write(&path, "pairs = 3").unwrap();
        assert!(Annotations::set(&path, "demo.15#1", Annotation::parse("x")).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "pairs = 3");
    }

    #[test]
    #[cfg(unix)]
    fn of_changes_at_once_none_is_lost_and_what_could_not_be_read_again_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("annotations/a.toml");
        std::thread::scope(|scope| {
            for user in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for pair in 0..10 {
                        Annotations::set(path, &format!("demo.{user}#{pair}"), Annotation::parse("#a"))
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(Annotations::read(&path).unwrap().pairs.len(), 40);
        let long =
            Annotation { note: "x".repeat(outside::ANNOTATIONS.largest as usize), ..Annotation::default() };
        let error = Annotations::set(&path, "demo.1#1", long).unwrap_err().to_string();
        assert!(error.contains("an annotations file can have"), "{error}");
        assert_eq!(Annotations::read(&path).unwrap().pairs.len(), 40);
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_never_ends_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let error = Annotations::read(&path).unwrap_err().to_string();
        assert!(error.contains("a pipe or a device"), "{error}");
        Annotations::set(&path, "demo.15#1", Annotation::parse("x")).unwrap_err();
    }
}
