//! Importing files of pairs into a corpus.

use std::{collections::HashMap, path::Path};

use super::header_key;
use crate::{
    base::task::CancelToken,
    corpus::formats::{
        Collection, Format, Import, ImportError, Limits, MatchHeader, ReleasedName, ReleasedPart, Report,
        Sink,
    },
    corpus::{
        Article, Pair,
        split::{Part, Scheme},
        store::{ArticleKey, PairSpans, StoreError, StoreWriter},
    },
};

/// Why the import failed.
#[derive(Debug, thiserror::Error)]
pub enum ImportFailed {
    #[error(transparent)]
    File(#[from] ImportError<StoreError>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reads files of pairs into one corpus.
pub struct Importer {
    import: Import,
    corpus: CorpusSink,
}

impl Importer {
    pub fn new(writer: StoreWriter) -> Importer {
        let corpus = CorpusSink {
            writer,
            articles: HashMap::new(),
            origin: None,
            parts: Vec::new(),
            scheme: Origin::Unknown,
            cancel: CancelToken::new(),
        };
        Importer { import: Import::new(Limits::default()), corpus }
    }

    /// Stops reading, with an error, once the token is cancelled.
    pub fn cancelled_by(mut self, cancel: CancelToken) -> Importer {
        self.import.cancel = cancel.clone();
        self.corpus.cancel = cancel;
        self
    }

    /// Adds a file. Its name may identify it as a part of a split.
    pub fn file(&mut self, path: &Path, format: Option<Format>) -> Result<Report, ImportFailed> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.corpus.begin(ReleasedName::parse(&name));
        let read = self.import.file(path, format, &mut self.corpus);
        // A file may have no pair for gigabytes, so the reader notices it too.
        if read.is_err() && self.import.cancel.is_cancelled() {
            return Err(StoreError::Stopped.into());
        }
        Ok(read?)
    }

    /// Returns the writer, to be finished.
    pub fn finish(self) -> Result<StoreWriter, ImportFailed> {
        let CorpusSink { mut writer, parts, scheme, .. } = self.corpus;
        if let Origin::One(scheme) = scheme {
            writer.set_parts(scheme, parts);
        }
        Ok(writer)
    }
}

/// The split that the files make together, according to their names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Unknown,
    /// All files so far are parts of one split.
    One(Scheme),
    /// Some file is not a part, or belongs to another split.
    Mixture,
}

struct CorpusSink {
    writer: StoreWriter,
    articles: HashMap<String, ArticleKey>,
    /// The current file.
    origin: Option<(Scheme, Part)>,
    /// The part of every pair so far.
    parts: Vec<Part>,
    scheme: Origin,
    cancel: CancelToken,
}

impl CorpusSink {
    fn begin(&mut self, name: Option<ReleasedName>) {
        self.origin = name.map(|name| {
            let scheme = match name.collection {
                Collection::Mixed => Scheme::Mixed,
                // The paper's experiment on probability keeps articles apart.
                Collection::Unmixed | Collection::Probability => Scheme::Unmixed,
            };
            let part = match name.part {
                ReleasedPart::Train => Part::Train,
                ReleasedPart::Dev => Part::Dev,
                ReleasedPart::Test => Part::Test,
            };
            (scheme, part)
        });
        self.scheme = match (self.scheme, self.origin) {
            (Origin::Unknown, Some((scheme, _))) => Origin::One(scheme),
            (Origin::One(known), Some((scheme, _))) if known == scheme => Origin::One(known),
            _ => Origin::Mixture,
        };
    }
}

impl Sink for CorpusSink {
    type Error = StoreError;

    fn header(&mut self, header: MatchHeader) -> Result<(), StoreError> {
        // Encoding cannot fail: a header consists of strings and numbers.
        let encoded = serde_json::to_string(&header).unwrap_or_default();
        self.writer.set_meta(&header_key(self.origin), &encoded)
    }

    fn article(&mut self, article: Article) -> Result<(), StoreError> {
        // The first file's metadata of an article wins.
        if !self.articles.contains_key(&article.id) {
            let key = self.writer.add_article(&article)?;
            self.articles.insert(article.id, key);
        }
        Ok(())
    }

    fn pair(&mut self, pair: Pair) -> Result<(), StoreError> {
        if self.cancel.is_cancelled() {
            return Err(StoreError::Stopped);
        }
        let key = match self.articles.get(&pair.id.article) {
            Some(&key) => key,
            None => {
                let article = Article { id: pair.id.article.clone(), ..Article::default() };
                let key = self.writer.add_article(&article)?;
                self.articles.insert(article.id, key);
                key
            }
        };
        self.parts.push(self.origin.map_or(Part::Train, |(_, part)| part));
        self.writer.add_pair(key, &pair, PairSpans::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between pairs there may be gigabytes of nothing, in which the token counts too.
    #[test]
    fn a_file_without_pairs_is_stopped_as_well() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in [("a.jsonl", "\n\n\n"), ("a.csv", "theory,proof,meta\n"), ("a.match", "0\n\n")]
        {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            let cancel = CancelToken::new();
            let mut importer = Importer::new(StoreWriter::in_memory().unwrap()).cancelled_by(cancel.clone());
            cancel.cancel();
            let error = importer.file(&path, None).unwrap_err();
            assert!(matches!(error, ImportFailed::Store(StoreError::Stopped)), "{name}: {error}");
        }
    }
}
