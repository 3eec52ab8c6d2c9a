//! One side of a collection: statements, or proofs, from a corpus or a file of any format.
//!
//! Beside files of whole pairs, JSON Lines may have one side only: `{"id": "a", "statement": "Let $x > 0$ ..."}`, or `text`
//! instead of the side's name. Strings are typed text, with formulas between dollars.

use std::{
    collections::{HashMap, hash_map::Entry},
    io::{BufRead, Read},
    path::Path,
};

use serde::Deserialize;

use super::{ImportFailed, Importer};
use crate::{
    base::{outside, task::CancelToken},
    corpus::{
        OpenError, Passage,
        demo::DEMO,
        formats::{Format, FormatError, Limits, PassageField, open_input_until},
        open_corpus,
        split::{Part, Split},
        store::{Store, StoreError, StoreWriter},
        typed,
    },
};

/// Named texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    pub ids: Vec<String>,
    pub texts: Vec<Passage>,
}

/// The side of the pairs that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionSide {
    Statements,
    Proofs,
}

/// Why a collection cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CollectionError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Import(#[from] ImportFailed),
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("line {line} of {file}: {problem}")]
    Line { file: String, line: u64, problem: String },
}

/// A line of JSON; other fields are ignored.
#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    statement: Option<PassageField>,
    #[serde(default)]
    proof: Option<PassageField>,
    #[serde(default)]
    text: Option<PassageField>,
}

impl Collection {
    /// Reads a corpus, or a file of JSON Lines, CSV, Parquet or MATcH text.
    pub fn read(
        path: &Path,
        side: CollectionSide,
        cancel: &CancelToken,
    ) -> Result<Collection, CollectionError> {
        if is_corpus(path) {
            return Ok(Collection::of_store(&open_corpus(path)?, side, None)?);
        }
        if Format::of(path)? == Format::JsonLines {
            return read_lines(path, side, cancel);
        }
        let mut importer = Importer::new(StoreWriter::in_memory()?).cancelled_by(cancel.clone());
        importer.file(path, None)?;
        let store = importer.finish()?.into_store()?;
        Ok(Collection::of_store(&store, side, None)?)
    }

    /// A side of a corpus, or of a part of it.
    pub fn of_store(
        store: &Store,
        side: CollectionSide,
        part: Option<(&Split, Part)>,
    ) -> Result<Collection, StoreError> {
        let mut collection = Collection::default();
        store.for_each_pair(part, |_, _, pair| {
            collection.ids.push(pair.id.to_string());
            collection.texts.push(match side {
                CollectionSide::Statements => pair.statement.clone(),
                CollectionSide::Proofs => pair.proof.clone(),
            });
            Ok::<(), StoreError>(())
        })?;
        Ok(collection)
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Keeps the texts at these positions, which are ascending.
    pub fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        let mut place = 0..;
        self.ids.retain(|_| place.next().is_some_and(&is_kept));
        let mut place = 0..;
        self.texts.retain(|_| place.next().is_some_and(&is_kept));
    }
}

/// Whether a path is a corpus rather than a file of pairs: it is the demo, or begins as an SQLite database does.
pub fn is_corpus(path: &Path) -> bool {
    if !path.exists() {
        return path.as_os_str() == DEMO || Format::from_file_name(path).is_none();
    }
    let mut start = [0; 16];
    let read = outside::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"SQLite format 3\0"
}

/// Some editors write it at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn read_lines(
    path: &Path,
    side: CollectionSide,
    cancel: &CancelToken,
) -> Result<Collection, CollectionError> {
    let file = path.display().to_string();
    let mut input = open_input_until(path, cancel)?;
    let (longest, mut number, mut collection) = (Limits::default().line as u64, 0, Collection::default());
    let mut lines: HashMap<String, u64> = HashMap::new();
    loop {
        number += 1;
        let failed = |problem: String| CollectionError::Line { file: file.clone(), line: number, problem };
        let mut line = Vec::new();
        let read = (&mut input).take(longest).read_until(b'\n', &mut line);
        if read.map_err(|error| failed(error.to_string()))? == 0 {
            return Ok(collection);
        }
        if line.len() as u64 == longest {
            return Err(failed(format!("it is longer than {longest} bytes")));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let json = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| number == 1).unwrap_or(&line);
        let found: Line = serde_json::from_slice(json).map_err(|error| failed(error.to_string()))?;
        let (of_side, name) = match side {
            CollectionSide::Statements => (found.statement, "statement"),
            CollectionSide::Proofs => (found.proof, "proof"),
        };
        let field = of_side.or(found.text);
        let field = field.ok_or_else(|| failed(format!("it has neither `{name}` nor `text`")))?;
        let id = found.id.unwrap_or_else(|| number.to_string());
        match lines.entry(id.clone()) {
            Entry::Occupied(earlier) => {
                return Err(failed(format!("its id `{id}` is already used on line {}", earlier.get())));
            }
            Entry::Vacant(_) if id.trim().is_empty() => return Err(failed("its id is empty".to_owned())),
            Entry::Vacant(free) => free.insert(number),
        };
        collection.ids.push(id);
        collection.texts.push(match field.plain() {
            Some(text) => typed::passage(text),
            None => field.passage,
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::corpus::readable;

    #[test]
    fn one_sided_lines_are_typed_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.jsonl");
        let lines = "{\"id\":\"a\",\"statement\":\"Let $x^2$.\"}\n\n{\"text\":\"So\"}\n{\"id\":\"p#1\",\
                     \"statement\":{\"runs\":[[\"math\",\"x\"]]},\"proof\":\"\"}\n";
        fs::write(&path, lines).unwrap();
        let read = |side| Collection::read(&path, side, &CancelToken::new());
        let found = read(CollectionSide::Statements).unwrap();
        assert_eq!(found.ids, ["a", "3", "p#1"]);
        assert_eq!(found.texts.iter().map(readable).collect::<Vec<_>>(), ["Let x².", "So", "x"]);
        let error = read(CollectionSide::Proofs).unwrap_err().to_string();
        assert!(error.starts_with("line 1 of") && error.contains("neither `proof` nor `text`"), "{error}");
    }

    #[test]
    fn ids_are_distinct_and_not_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.jsonl");
        let read = |lines: &str| {
            fs::write(&path, lines).unwrap();
            let found = Collection::read(&path, CollectionSide::Statements, &CancelToken::new());
            found.map(|found| found.ids).map_err(|error| error.to_string())
        };
        assert_eq!(read("\u{feff}{\"id\":\"a\",\"text\":\"x\"}\n{\"text\":\"y\"}").unwrap(), ["a", "2"]);
        let repeated = read("{\"id\":\"2\",\"text\":\"x\"}\n{\"text\":\"y\"}").unwrap_err();
        assert!(
            repeated.starts_with("line 2 of") && repeated.ends_with("its id `2` is already used on line 1")
        );
        assert!(read("{\"id\":\" \",\"text\":\"x\"}").unwrap_err().ends_with("its id is empty"));
    }

    #[test]
    fn the_demo_and_missing_files_are_told_apart() {
        let demo = Collection::read(Path::new(DEMO), CollectionSide::Proofs, &CancelToken::new()).unwrap();
        assert!(demo.len() > 100);
        let missing =
            Collection::read(Path::new("/nowhere/a.corpus"), CollectionSide::Proofs, &CancelToken::new());
        assert!(missing.unwrap_err().to_string().contains("/nowhere/a.corpus"));
    }
}
