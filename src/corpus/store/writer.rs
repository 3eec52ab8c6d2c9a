//! Writing a corpus, atomically: the result is a complete corpus or none.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::{
    Store, StoreError,
    amend::CorpusLock,
    category_tally::CategoryTally,
    checksum::{self, RowSums},
    fingerprint::{Fingerprint, FingerprintMaker},
    insert::{Words, insert_pair, insert_passages, insert_words},
    journal,
    location::Location,
    open::check_replaceable,
    schema, splits,
};
use crate::{
    base::{atomic::behind_links, temporary::TemporaryFile},
    corpus::{
        Article, Pair,
        demo::DEMO,
        split::{Part, Scheme, Split},
    },
};

/// Writes one corpus. If dropped before [`StoreWriter::finish`], nothing is left.
pub struct StoreWriter {
    // Fields are dropped in this order, so the file is closed before it is removed.
    connection: Connection,
    temporary: Option<TemporaryFile>,
    location: Location,
    articles: Vec<WrittenArticle>,
    categories: CategoryTally,
    pairs: u32,
    fingerprint: FingerprintMaker,
    /// The checksums of the articles and of the pairs.
    sums: [RowSums; 2],
    given_parts: Vec<(Scheme, Vec<Part>)>,
    /// Buffers for the words of a pair.
    words: [Vec<u8>; 3],
}

/// An article of the corpus that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArticleKey(pub(super) u32);

/// The byte range of a passage in its source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// The byte ranges of statement and proof in the article's file, if known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairSpans {
    pub statement: Option<Span>,
    pub proof: Option<Span>,
}

struct WrittenArticle {
    id: String,
    /// Keys of its categories, the primary one first.
    categories: Box<[u32]>,
    pairs: u32,
}

impl StoreWriter {
    /// Starts a corpus that replaces the file at `path` when it is finished, not before.
    pub fn create(path: &Path) -> Result<StoreWriter, StoreError> {
        if path.as_os_str() == DEMO {
            return Err(StoreError::Reserved);
        }
        let path = &behind_links(path);
        check_replaceable(path)?;
        let temporary = TemporaryFile::beside(path).map_err(StoreError::file("creating the corpus", path))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(temporary.path(), flags)
            .map_err(StoreError::database("creating", path))?;
        StoreWriter::start(connection, Some(temporary), Location::File(path.to_owned()))
    }

    /// Starts a corpus in memory; [`StoreWriter::into_store`] finishes it.
    pub fn in_memory() -> Result<StoreWriter, StoreError> {
        let location = Location::new_memory();
        let connection =
            location.connect_writable().map_err(StoreError::database("creating", location.path()))?;
        StoreWriter::start(connection, None, location)
    }

    fn start(
        connection: Connection,
        temporary: Option<TemporaryFile>,
        location: Location,
    ) -> Result<StoreWriter, StoreError> {
        schema::create(&connection)
            .and_then(|()| connection.execute_batch("BEGIN"))
            .map_err(StoreError::database("creating", location.path()))?;
        Ok(StoreWriter {
            connection,
            temporary,
            location,
            articles: Vec::new(),
            categories: CategoryTally::default(),
            pairs: 0,
            fingerprint: FingerprintMaker::default(),
            sums: Default::default(),
            given_parts: Vec::new(),
            words: Default::default(),
        })
    }

    /// Adds an article, whose id must be new to the corpus.
    pub fn add_article(&mut self, article: &Article) -> Result<ArticleKey, StoreError> {
        let path = self.location.path();
        let failed = |source: rusqlite::Error| match is_conflict(&source) {
            true => StoreError::DuplicateArticle { path: path.to_owned(), id: article.id.clone() },
            false => StoreError::database("adding an article to", path)(source),
        };
        let key = self.articles.len() as u32;
        self.connection
            .prepare_cached("INSERT INTO article VALUES (?, ?, ?, ?, ?, ?, ?)")
            .and_then(|mut statement| {
                let categories = schema::join_categories(&article.categories);
                let dialect = article.dialect.name();
                let Article { id, title, file, source, .. } = article;
                statement.execute(params![key, id, title, categories, file, source, dialect])
            })
            .map_err(failed)?;
        let mut categories: Vec<u32> = Vec::with_capacity(article.categories.len());
        for code in article.categories.iter().filter(|code| !code.is_empty()) {
            let category = self.categories.key(code);
            if !categories.contains(&category) {
                categories.push(category);
                self.connection
                    .prepare_cached("INSERT INTO article_category VALUES (?, ?)")
                    .and_then(|mut statement| statement.execute(params![category, key]))
                    .map_err(failed)?;
            }
        }
        self.fingerprint.add_article(article);
        self.sums[0].push(checksum::of_article(article));
        self.articles.push(WrittenArticle {
            id: article.id.clone(),
            categories: categories.into(),
            pairs: 0,
        });
        Ok(ArticleKey(key))
    }

    /// The key of an article that was added before, for files with scattered pairs.
    pub fn article_key(&self, id: &str) -> Result<Option<ArticleKey>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT key FROM article WHERE id = ?")
            .map_err(StoreError::database("looking up an article in", self.location.path()))?;
        match statement.query_row([id], |row| row.get(0)) {
            Ok(key) => Ok(Some(ArticleKey(key))),
            Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
            Err(source) => {
                Err(StoreError::database("looking up an article in", self.location.path())(source))
            }
        }
    }

    /// Appends a pair. Its id must be new and belong to the article.
    pub fn add_pair(&mut self, article: ArticleKey, pair: &Pair, spans: PairSpans) -> Result<(), StoreError> {
        let written =
            self.articles.get_mut(article.0 as usize).filter(|written| written.id == pair.id.article);
        let Some(written) = written else {
            let article =
                self.articles.get(article.0 as usize).map_or(String::new(), |known| known.id.clone());
            return Err(StoreError::WrongArticle { pair: pair.id.to_string(), article });
        };
        let words = Words::of(pair, &mut self.words);
        insert_pair(&self.connection, self.pairs, article, written.categories.first(), pair, &words)
            .and_then(|()| insert_passages(&self.connection, self.pairs, pair, spans))
            .and_then(|()| insert_words(&self.connection, self.pairs, &words))
            .map_err(|source| match is_conflict(&source) {
                true => StoreError::DuplicatePair {
                    path: self.location.path().to_owned(),
                    id: pair.id.to_string(),
                },
                false => StoreError::database("adding a pair to", self.location.path())(source),
            })?;
        self.categories.count_pair(&written.categories, written.pairs == 0);
        self.fingerprint.add_pair(article.0, pair);
        self.sums[1].push(checksum::of_pair(article.0, pair, spans));
        written.pairs += 1;
        self.pairs += 1;
        Ok(())
    }

    /// The number of pairs so far.
    pub fn pair_count(&self) -> u32 {
        self.pairs
    }

    /// Sets a value of the table `meta`, for facts beside the content, such as the number of articles read.
    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.connection
            .execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])
            .map(drop)
            .map_err(StoreError::database("adding a note to", self.location.path()))
    }

    /// Sets the parts of imported files, one for each pair in the order of adding. They are the default split of the
    /// scheme.
    pub fn set_parts(&mut self, scheme: Scheme, parts: Vec<Part>) {
        self.given_parts.retain(|(given, _)| *given != scheme);
        self.given_parts.push((scheme, parts));
    }

    /// Completes the corpus, syncs it to disk and renames it to its final name.
    pub fn finish(mut self) -> Result<Fingerprint, StoreError> {
        // A wrong folder or file must not replace a good corpus.
        if let Location::File(path) = &self.location
            && self.pairs == 0
            && Store::open(path).is_ok_and(|replaced| replaced.pair_count() > 0)
        {
            return Err(StoreError::NoPairs { path: path.clone() });
        }
        let fingerprint = self.complete()?;
        let StoreWriter { connection, temporary, location, .. } = self;
        connection.close().map_err(|(_, source)| StoreError::database("closing", location.path())(source))?;
        if let (Some(temporary), Location::File(path)) = (temporary, &location) {
            let failed = StoreError::file("finishing the corpus", path);
            // No split is added to the old corpus while the new one takes its place. Without a lock, as for a file that
            // cannot be written, the new corpus still takes precedence.
            let lock = CorpusLock::take(path);
            journal::clear(path).map_err(&failed)?;
            temporary.persist(path).map_err(&failed)?;
            drop(lock);
        }
        Ok(fingerprint)
    }

    /// Completes the corpus and opens it.
    pub fn into_store(mut self) -> Result<Store, StoreError> {
        if let Location::File(path) = &self.location {
            let path = path.clone();
            self.finish()?;
            return Store::open(&path);
        }
        self.complete()?;
        // From now on there may be other connections.
        self.connection
            .pragma_update(None, "locking_mode", "NORMAL")
            .map_err(StoreError::database("finishing", self.location.path()))?;
        Store::from_connection(self.connection, self.location)
    }

    fn complete(&mut self) -> Result<Fingerprint, StoreError> {
        let fingerprint = std::mem::take(&mut self.fingerprint).finish();
        self.write_splits()?;
        let with_pairs = self.articles.iter().filter(|article| article.pairs > 0).count();
        let write = || {
            self.categories.write(&self.connection)?;
            self.connection.execute_batch("COMMIT")?;
            let articles = self.articles.len() as u32;
            let header =
                checksum::of_header(self.pairs, articles, with_pairs as u32, &fingerprint.to_string());
            checksum::write_rows(&self.connection, checksum::ARTICLES, &self.sums[0])?;
            checksum::write_rows(&self.connection, checksum::PAIRS, &self.sums[1])?;
            checksum::write(&self.connection, checksum::HEADER, header)?;
            checksum::write(
                &self.connection,
                checksum::CATEGORIES,
                checksum::of_categories(&self.connection)?,
            )?;
            // After the commit, which writes the last words.
            checksum::write(&self.connection, checksum::INDEX, checksum::of_index(&self.connection)?)?;
            // The header comes last: a corpus with a header is complete.
            self.connection.execute(
                "INSERT INTO header VALUES (?, ?, ?, ?)",
                params![self.pairs, self.articles.len() as i64, with_pairs as i64, fingerprint.to_string()],
            )
        };
        write().map_err(StoreError::database("finishing", self.location.path()))?;
        Ok(fingerprint)
    }

    #[cfg(test)]
    pub(super) fn limit_pages(&self, pages: u32) -> rusqlite::Result<()> {
        self.connection.pragma_update(None, "max_page_count", pages)
    }

    fn write_splits(&self) -> Result<(), StoreError> {
        let path = self.location.path();
        let failed = StoreError::database("splitting", path);
        let names = splits::PairNames::read(&self.connection).map_err(&failed)?;
        for scheme in Scheme::ALL {
            let given = self.given_parts.iter().find(|(given, _)| *given == scheme);
            let split = match given {
                None => Split::deal(scheme, 0, names.iter()),
                Some((_, parts)) if parts.len() == self.pairs as usize => {
                    Split { scheme, seed: None, parts: parts.clone() }
                }
                Some((_, parts)) => {
                    let (given, pairs) = (parts.len(), self.pairs as usize);
                    return Err(StoreError::WrongParts { path: path.to_owned(), scheme, given, pairs });
                }
            };
            splits::write(&self.connection, &split).map_err(&failed)?;
        }
        Ok(())
    }
}

fn is_conflict(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation)
}
