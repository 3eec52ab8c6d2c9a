//! Reading a file with one pair: typed text with a line of dashes, or the first line of JSON Lines.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

use crate::{
    base::outside,
    corpus::formats::{Format, FormatError, Import, ImportError, Limits, Sink},
    corpus::{
        Article, Pair,
        typed::{self, TypedError},
    },
};

/// Why a file is not a pair.
#[derive(Debug, thiserror::Error)]
pub enum PairFileError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is too large to be one pair", .0.display())]
    TooLarge(PathBuf),
    #[error("{} is not text: {source}", path.display())]
    NoText { path: PathBuf, source: std::str::Utf8Error },
    #[error("{} is not a pair: {source}", path.display())]
    Typed { path: PathBuf, source: TypedError },
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("{} contains no pair", .0.display())]
    Empty(PathBuf),
}

/// No real pair is longer.
const LARGEST_PAIR: u64 = 4 << 20;

/// Reads the pair in a file, whose format follows from its name or first character.
pub fn read_pair(path: &Path) -> Result<(Article, Pair), PairFileError> {
    let failed = |source| PairFileError::Read { path: path.to_owned(), source };
    let is_json = Format::from_file_name(path).is_some_and(|named| named.format == Format::JsonLines);
    let mut bytes = Vec::new();
    outside::open(path)
        .and_then(|file| file.take(LARGEST_PAIR + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    if is_json || is_object(&bytes) {
        let mut first = First::default();
        let read = Import::new(Limits::default()).file(path, Some(Format::JsonLines), &mut first);
        return first.found(read, path);
    }
    typed_pair(&bytes, path)
}

/// Whether a file of unknown format holds JSON Lines.
fn is_object(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
}

fn typed_pair(bytes: &[u8], path: &Path) -> Result<(Article, Pair), PairFileError> {
    if bytes.len() as u64 > LARGEST_PAIR {
        return Err(PairFileError::TooLarge(path.to_owned()));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|source| PairFileError::NoText { path: path.to_owned(), source })?;
    let typed = |source| PairFileError::Typed { path: path.to_owned(), source };
    let [statement, proof] = typed::split(text).map_err(typed)?;
    typed::pair(&statement, &proof).map_err(typed)
}

/// Reads a pair in either form from a stream, such as standard input.
pub fn read_pair_from(reader: impl Read) -> Result<(Article, Pair), PairFileError> {
    let name = Path::new("standard input");
    let failed = |source| PairFileError::Read { path: name.to_owned(), source };
    let mut bytes = Vec::new();
    reader.take(LARGEST_PAIR + 1).read_to_end(&mut bytes).map_err(failed)?;
    if !is_object(&bytes) {
        return typed_pair(&bytes, name);
    }
    let mut first = First::default();
    let read = Import::new(Limits::default()).json_lines(&bytes[..], &name.display().to_string(), &mut first);
    first.found(read, name)
}

/// Keeps the first pair and stops.
#[derive(Default)]
struct First {
    article: Option<Article>,
    pair: Option<Pair>,
}

impl First {
    /// The first pair of a file of JSON Lines, or why there is none.
    fn found<R, E>(
        self,
        read: Result<R, ImportError<E>>,
        path: &Path,
    ) -> Result<(Article, Pair), PairFileError> {
        match (self.pair, read) {
            (Some(pair), _) => Ok((self.article.unwrap_or_default(), pair)),
            (None, Err(ImportError::Format(error))) => Err(error.into()),
            (None, _) => Err(PairFileError::Empty(path.to_owned())),
        }
    }
}

impl Sink for First {
    type Error = ();

    fn article(&mut self, article: Article) -> Result<(), ()> {
        self.article = Some(article);
        Ok(())
    }

    fn pair(&mut self, pair: Pair) -> Result<(), ()> {
        self.pair = Some(pair);
        Err(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        base::task::CancelToken,
        corpus::exchange::{Selection, export},
        corpus::formats::NamedFormat,
        corpus::readable,
    };

    #[test]
    fn a_pair_is_read_from_text_and_from_a_line_of_json() {
        let folder = tempfile::tempdir().unwrap();
        let typed = folder.path().join("pair.txt");
        fs::write(&typed, "Let $x^2$ be.\n---\nIt is $x$.\n").unwrap();
        let (_, pair) = read_pair(&typed).unwrap();
        assert_eq!([&pair.statement, &pair.proof].map(readable), ["Let x² be.", "It is x."]);

        let lines = folder.path().join("pairs");
        let store = crate::corpus::demo::corpus().unwrap();
        let format = NamedFormat { format: Format::JsonLines, compressed: false };
        export(
            &store,
            &lines,
            format,
            &Selection { rows: Some(&[7, 3]), ..Selection::default() },
            &CancelToken::new(),
        )
        .unwrap();
        let (article, pair) = read_pair(&lines).unwrap();
        let (known, expected) = store.pair_at(7).unwrap().unwrap();
        assert_eq!((article.id, article.categories, pair), (known.id, known.categories, expected));
    }

    #[test]
    fn what_is_no_pair_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let error = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            read_pair(&path).unwrap_err().to_string()
        };
        assert!(error("a.txt", b"only a statement").contains("line of dashes"));
        assert!(error("b.txt", b"\xff---").contains("is not text"));
        assert!(error("c.jsonl", b"").contains("contains no pair"));
        assert!(error("d.jsonl", b"{\"id\": 3}").contains("line 1"));
        assert!(read_pair(folder.path()).unwrap_err().to_string().contains("not a file"));
    }
}
