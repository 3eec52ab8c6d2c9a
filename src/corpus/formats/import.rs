//! Reading files of pairs into one corpus.
//!
//! The files of a corpus belong together: the released parts of a mixed split have pairs of the same articles, so
//! numbering continues from file to file and an article is announced once.

use std::{
    collections::{BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    io::BufRead,
    path::Path,
};

use super::{
    Format, Sink, csv,
    error::{FormatError, ImportError},
    input, jsonl, match_text, parquet,
    warning::{Report, Warning, Warnings},
};
use crate::{
    base::{outside, task::CancelToken},
    corpus::{Article, PairId},
};

/// Limits on memory; a file beyond them is rejected as hostile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one line, or of one row of a CSV file.
    pub line: usize,
    /// Bytes of one pair.
    pub pair: usize,
    /// Bytes of the article block of a released file.
    pub header: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { line: 16 << 20, pair: 64 << 20, header: 256 << 20 }
    }
}

/// State shared by the files of one corpus.
#[derive(Debug, Default)]
pub struct Import {
    pub limits: Limits,
    /// Reading fails once it is cancelled.
    pub cancel: CancelToken,
    articles: HashMap<String, Known>,
}

/// The state of an article.
#[derive(Debug, Default)]
struct Known {
    numbers: BTreeSet<u32>,
    fingerprint: Option<u64>,
}

impl Import {
    pub fn new(limits: Limits) -> Import {
        Import { limits, ..Import::default() }
    }

    /// Reads a file in the given format, or in the detected one.
    pub fn file<S: Sink>(
        &mut self,
        path: &Path,
        format: Option<Format>,
        sink: &mut S,
    ) -> Result<Report, ImportError<S::Error>> {
        let file = path.display().to_string();
        let format = match format {
            Some(format) => format,
            None => Format::of(path)?,
        };
        match format {
            Format::Match => match_text::read(input::open_until(path, &self.cancel)?, &file, self, sink),
            Format::JsonLines => jsonl::read(input::open_until(path, &self.cancel)?, &file, self, sink),
            Format::Csv => csv::read(input::open_until(path, &self.cancel)?, &file, self, sink),
            Format::Parquet => {
                let opened =
                    outside::open(path).map_err(|source| FormatError::Open { file: file.clone(), source })?;
                parquet::read(opened, &file, self, sink)
            }
        }
    }

    /// Reads JSON Lines from any reader; `name` is used in error messages.
    pub fn json_lines<S: Sink>(
        &mut self,
        input: impl BufRead,
        name: &str,
        sink: &mut S,
    ) -> Result<Report, ImportError<S::Error>> {
        jsonl::read(input, name, self, sink)
    }

    /// The name of the next pair of an article, for formats that do not name their pairs.
    pub(super) fn next_name(&mut self, article: &str) -> PairId {
        if !self.articles.contains_key(article) {
            self.articles.insert(article.to_owned(), Known::default());
        }
        let number = self.articles.get_mut(article).map_or(1, |known| {
            let number = known.numbers.last().map_or(1, |last| last.saturating_add(1));
            known.numbers.insert(number);
            number
        });
        PairId { article: article.to_owned(), number }
    }

    /// Returns the pair's name in the file, or the next free name if it is taken: pairs are never merged.
    pub(super) fn take_name(&mut self, name: PairId, place: u64, warnings: &mut Warnings) -> PairId {
        if self.articles.entry(name.article.clone()).or_default().numbers.insert(name.number) {
            return name;
        }
        warnings.note(Warning::SameName, place);
        self.next_name(&name.article)
    }

    /// Whether an article must be passed to the sink: it is new, or has more metadata than before.
    pub(super) fn is_news(&mut self, article: &Article) -> bool {
        let known = self.articles.entry(article.id.clone()).or_default();
        let is_bare = article.title.is_empty() && article.categories.is_empty();
        let fingerprint = fingerprint(article);
        let is_news = match known.fingerprint {
            None => true,
            Some(before) => !is_bare && before != fingerprint,
        };
        if is_news {
            known.fingerprint = Some(fingerprint);
        }
        is_news
    }
}

fn fingerprint(article: &Article) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&article.title, &article.categories, &article.file, article.dialect).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_and_never_collide() {
        let (mut import, mut warnings) = (Import::default(), Warnings::default());
        assert_eq!(import.next_name("a").to_string(), "a#1");
        assert_eq!(import.next_name("a").to_string(), "a#2");
        assert_eq!(import.next_name("b").to_string(), "b#1");
        let taken = PairId { article: "a".to_owned(), number: 2 };
        assert_eq!(import.take_name(taken, 7, &mut warnings).to_string(), "a#3");
        assert_eq!(warnings.count(Warning::SameName), 1);
    }

    #[test]
    fn an_article_is_news_once_or_when_more_is_known() {
        let mut import = Import::default();
        let bare = Article { id: "a".to_owned(), ..Article::default() };
        let full = Article { title: "On a".to_owned(), ..bare.clone() };
        assert!(import.is_news(&bare));
        assert!(!import.is_news(&bare));
        assert!(import.is_news(&full));
        assert!(!import.is_news(&full));
        assert!(!import.is_news(&bare));
    }
}
