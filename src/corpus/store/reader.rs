//! Reading articles and pairs.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    rc::Rc,
};

use rusqlite::{OptionalExtension, Row, limits::Limit, params};

use super::{
    Fingerprint, Location, PairSpans, Span, Store, StoreError,
    checksum::{self, RowSums},
    location::LONGEST_ROW,
    schema,
};
use crate::corpus::{
    Article, Dialect, Kind, Pair, PairId, Passage, demo,
    passage::Counts,
    split::{Part, Split},
};

/// The bytes of a note, at most.
const LONGEST_NOTE: i32 = 600 << 20;

/// A category and its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryCount {
    pub code: String,
    /// Articles (with pairs) that have it as their primary category, and the pairs of those.
    pub articles: u32,
    pub pairs: u32,
    /// Articles that have it among their categories, and the pairs of those.
    pub all_articles: u32,
    pub all_pairs: u32,
}

/// An article and the number of its pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleCount {
    pub article: Article,
    pub pairs: u32,
}

/// The number of articles cached while all pairs are read, for corpora with scattered pairs.
const REMEMBERED_ARTICLES: usize = 1024;

impl Store {
    pub fn path(&self) -> &Path {
        self.location.path()
    }

    /// The corpus as a user names it: its path, or `demo` for the embedded one, whose path is valid in this process only.
    pub fn name(&self) -> String {
        match self.location {
            Location::Memory(_) if demo::is_demo(self).unwrap_or(false) => demo::DEMO.to_owned(),
            _ => self.path().display().to_string(),
        }
    }

    /// The corpus file; `None` for a corpus in memory.
    pub fn file(&self) -> Option<&Path> {
        match &self.location {
            Location::File(path) | Location::Settled { path, .. } => Some(path),
            Location::Memory(_) => None,
        }
    }

    pub fn pair_count(&self) -> u32 {
        self.header.pairs
    }

    pub fn article_count(&self) -> u32 {
        self.header.articles
    }

    pub fn articles_with_pairs(&self) -> u32 {
        self.header.articles_with_pairs
    }

    pub fn fingerprint(&self) -> Fingerprint {
        self.header.fingerprint
    }

    /// The value of a key in the table `meta`.
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        let failed = StoreError::database("reading a note of", self.path());
        // The article block of a released file is longer than any pair.
        self.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_NOTE).map_err(&failed)?;
        let found = self
            .connection
            .query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0))
            .optional();
        self.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW).map_err(&failed)?;
        found.map_err(failed)
    }

    /// The pair at a row, with its article; `None` past the end.
    pub fn pair_at(&self, row: u32) -> Result<Option<(Article, Pair)>, StoreError> {
        let Some((key, mut pair)) = self.pair_with_key(row)? else { return Ok(None) };
        let article = self.article_by_key(key)?;
        pair.id.article.clone_from(&article.id);
        Ok(Some((article, pair)))
    }

    /// The pair at a row without its article's id, and the key of its article.
    pub(super) fn pair_with_key(&self, row: u32) -> Result<Option<(u32, Pair)>, StoreError> {
        let failed = StoreError::database("reading a pair of", self.path());
        let mut statement =
            self.connection.prepare_cached(&format!("{SELECT_PAIR} WHERE pair.row = ?")).map_err(&failed)?;
        let found = statement
            .query_row([row], |row| Ok((row.get(1)?, read_pair(row)?, read_spans(row, 9)?)))
            .optional()
            .map_err(&failed)?;
        let Some((key, pair, spans)) = found else {
            return if row < self.pair_count() { Err(self.missing_pair(row)) } else { Ok(None) };
        };
        self.verify_pair(row, key, &pair, spans)?;
        Ok(Some((key, pair)))
    }

    /// The statement and the proof of each of consecutive rows; rows past the end are omitted.
    pub fn passages(&self, rows: std::ops::Range<u32>) -> Result<Vec<(u32, Passage, Passage)>, StoreError> {
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            if let Some((_, pair)) = self.pair_with_key(row)? {
                found.push((row, pair.statement, pair.proof));
            }
        }
        Ok(found)
    }

    /// The rows of the pairs whose articles satisfy a condition on their ids, in order.
    pub fn rows_of_articles(&self, fits: impl Fn(&str) -> bool) -> Result<Vec<u32>, StoreError> {
        let read = || {
            let mut wanted: HashSet<u32> = HashSet::new();
            let mut statement = self.connection.prepare_cached("SELECT key, id FROM article")?;
            let mut articles = statement.query([])?;
            while let Some(article) = articles.next()? {
                if fits(article.get_ref(1)?.as_str()?) {
                    wanted.insert(article.get(0)?);
                }
            }
            let mut statement =
                self.connection.prepare_cached("SELECT row, article FROM pair ORDER BY row")?;
            let pairs = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let pairs = pairs.collect::<rusqlite::Result<Vec<(u32, u32)>>>()?;
            Ok(pairs
                .into_iter()
                .filter(|(_, article)| wanted.contains(article))
                .map(|(row, _)| row)
                .collect())
        };
        read().map_err(StoreError::database("listing pairs of", self.path()))
    }

    /// The pair with this id, with its article.
    pub fn pair(&self, id: &PairId) -> Result<Option<(Article, Pair)>, StoreError> {
        self.row_of(id)?.map_or(Ok(None), |row| self.pair_at(row))
    }

    /// The row of the pair with this id.
    pub fn row_of(&self, id: &PairId) -> Result<Option<u32>, StoreError> {
        let find = || {
            self.connection
                .prepare_cached(
                    "SELECT row FROM pair WHERE number = ? AND article = (SELECT key FROM article WHERE id = ?)",
                )?
                .query_row(params![id.number, id.article], |row| row.get(0))
                .optional()
        };
        find().map_err(StoreError::database("looking up a pair in", self.path()))
    }

    /// The ids of all pairs as text, by row.
    pub fn pair_ids(&self) -> Result<Vec<String>, StoreError> {
        let read = || {
            self.connection
                .prepare_cached(
                    "SELECT article.id || '#' || pair.number FROM pair
                     JOIN article ON article.key = pair.article ORDER BY pair.row",
                )?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<String>>>()
        };
        read().map_err(StoreError::database("listing the pairs of", self.path()))
    }

    /// The byte ranges of a pair in the article's file.
    pub fn spans(&self, row: u32) -> Result<PairSpans, StoreError> {
        let find = || {
            self.connection
                .prepare_cached(
                    "SELECT statement_start, statement_end, proof_start, proof_end FROM passage WHERE row = ?",
                )?
                .query_row([row], |row| read_spans(row, 0))
                .optional()
        };
        let found = find().map_err(StoreError::database("reading a pair of", self.path()))?;
        Ok(found.unwrap_or_default())
    }

    /// Every article in the order of adding, with the number of its pairs.
    pub fn articles(&self) -> Result<Vec<ArticleCount>, StoreError> {
        let read = || {
            let mut counts: HashMap<u32, u32> = HashMap::new();
            let mut statement =
                self.connection.prepare_cached("SELECT article, COUNT(*) FROM pair GROUP BY article")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                counts.insert(row.get(0)?, row.get(1)?);
            }
            let mut statement = self.connection.prepare_cached(&format!("{SELECT_ARTICLE} ORDER BY key"))?;
            let articles = statement.query_map([], |row| {
                let pairs = counts.get(&row.get(6)?).copied().unwrap_or_default();
                Ok(ArticleCount { article: read_article(row)?, pairs })
            })?;
            articles.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(StoreError::database("listing the articles of", self.path()))
    }

    /// The article with this id.
    pub fn article(&self, id: &str) -> Result<Option<Article>, StoreError> {
        let find = || {
            self.connection
                .prepare_cached(&format!("{SELECT_ARTICLE} WHERE id = ?"))?
                .query_row([id], read_article)
                .optional()
        };
        find().map_err(StoreError::database("reading an article of", self.path()))
    }

    /// The categories of the corpus; those with most primary articles first.
    pub fn categories(&self) -> Result<Vec<CategoryCount>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT code, articles, pairs, all_articles, all_pairs FROM category
                 ORDER BY articles DESC, pairs DESC, all_articles DESC, code",
            )?;
            let counts = statement.query_map([], |row| {
                Ok(CategoryCount {
                    code: row.get(0)?,
                    articles: row.get(1)?,
                    pairs: row.get(2)?,
                    all_articles: row.get(3)?,
                    all_pairs: row.get(4)?,
                })
            })?;
            counts.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(StoreError::database("counting the categories of", self.path()))
    }

    /// The number of these pairs in each primary category; the code of none is empty.
    pub fn category_counts(&self, rows: &[u32]) -> Result<Vec<(String, u32)>, StoreError> {
        let read = || {
            let mut codes = self.connection.prepare_cached("SELECT key, code FROM category")?;
            let codes: HashMap<u32, String> = codes
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            let mut pairs = self.connection.prepare_cached("SELECT category FROM pair ORDER BY row")?;
            let categories: Vec<Option<u32>> =
                pairs.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            let mut counts: HashMap<Option<u32>, u32> = HashMap::new();
            for row in rows {
                if let Some(category) = categories.get(*row as usize) {
                    *counts.entry(*category).or_default() += 1;
                }
            }
            let code = |key: Option<u32>| key.and_then(|key| codes.get(&key)).cloned().unwrap_or_default();
            let mut counts: Vec<(String, u32)> =
                counts.into_iter().map(|(key, count)| (code(key), count)).collect();
            counts.sort_unstable();
            Ok(counts)
        };
        read().map_err(StoreError::database("counting the categories of", self.path()))
    }

    /// Passes every pair (of a part, if one is given) to `visit`, in row order, one at a time.
    ///
    /// The first error ends the loop; `visit` returns an error to stop early.
    pub fn for_each_pair<E: From<StoreError>>(
        &self,
        part: Option<(&Split, Part)>,
        mut visit: impl FnMut(u32, &Article, &Pair) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = StoreError::database("reading the pairs of", self.path());
        let mut articles: HashMap<u32, Rc<Article>> = HashMap::new();
        let mut statement =
            self.connection.prepare_cached(&format!("{SELECT_PAIR} ORDER BY pair.row")).map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        let mut next = 0;
        while let Some(found) = rows.next().map_err(&failed)? {
            let row: u32 = found.get(0).map_err(&failed)?;
            if row != next {
                return Err(self.missing_pair(next).into());
            }
            next += 1;
            if part.is_some_and(|(split, part)| split.part(row) != Some(part)) {
                continue;
            }
            let key: u32 = found.get(1).map_err(&failed)?;
            if !articles.contains_key(&key) {
                if articles.len() >= REMEMBERED_ARTICLES {
                    articles.clear();
                }
                articles.insert(key, Rc::new(self.article_by_key(key)?));
            }
            let article = &articles[&key];
            let mut pair = read_pair(found).map_err(&failed)?;
            self.verify_pair(row, key, &pair, read_spans(found, 9).map_err(&failed)?)?;
            pair.id.article.clone_from(&article.id);
            visit(row, article, &pair)?;
        }
        match next < self.pair_count() {
            true => Err(self.missing_pair(next).into()),
            false => Ok(()),
        }
    }

    /// Passes the sizes of every statement and proof to `visit`, in row order, without reading the texts.
    pub fn for_each_size(&self, mut visit: impl FnMut(Counts, Counts)) -> Result<(), StoreError> {
        let mut read = || {
            let mut statement = self.connection.prepare_cached(
                "SELECT statement_text, statement_math, proof_text, proof_math FROM pair ORDER BY row",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let size = |column: usize| row.get::<_, u32>(column).map(|size| size as usize);
                visit(Counts { text: size(0)?, math: size(1)? }, Counts { text: size(2)?, math: size(3)? });
            }
            Ok(())
        };
        read().map_err(StoreError::database("measuring the pairs of", self.path()))
    }

    pub(super) fn article_by_key(&self, key: u32) -> Result<Article, StoreError> {
        let find = || {
            self.connection
                .prepare_cached(&format!("{SELECT_ARTICLE} WHERE key = ?"))?
                .query_row([key], read_article)
        };
        let article = find().map_err(StoreError::database("reading an article of", self.path()))?;
        let is_intact = |sums: &[RowSums; 2]| sums[0].get(key) == Some(checksum::of_article(&article));
        match self.sums()?.is_none_or(is_intact) {
            true => Ok(article),
            false => Err(self.damaged(format!("article {key} has changed since it was written"))),
        }
    }

    /// The sizes of statement and proof at a row, as lists and filters use them.
    pub(super) fn sizes_of(&self, row: u32) -> Result<Option<(Counts, Counts)>, StoreError> {
        let find = || {
            self.connection
                .prepare_cached(
                    "SELECT statement_text, statement_math, proof_text, proof_math FROM pair WHERE row = ?",
                )?
                .query_row([row], |row| {
                    let size = |column: usize| row.get::<_, u32>(column).map(|size| size as usize);
                    Ok((Counts { text: size(0)?, math: size(1)? }, Counts { text: size(2)?, math: size(3)? }))
                })
                .optional()
        };
        find().map_err(StoreError::database("measuring the pairs of", self.path()))
    }

    /// Whether the corpus has checksums; those of earlier versions have none.
    pub(super) fn has_checksums(&self) -> Result<bool, StoreError> {
        checksum::is_there(&self.connection).map_err(StoreError::database("opening", self.path()))
    }

    fn verify_pair(&self, row: u32, key: u32, pair: &Pair, spans: PairSpans) -> Result<(), StoreError> {
        let is_intact = |sums: &[RowSums; 2]| sums[1].get(row) == Some(checksum::of_pair(key, pair, spans));
        match self.sums()?.is_none_or(is_intact) {
            true => Ok(()),
            false => Err(self.damaged(format!("the pair at row {row} has changed since it was written"))),
        }
    }

    /// The checksums of articles and pairs, if the corpus has them.
    fn sums(&self) -> Result<Option<&[RowSums; 2]>, StoreError> {
        if self.sums.get().is_none() {
            let failed = StoreError::database("reading the checksums of", self.path());
            let read = |key, count: u32| -> Result<RowSums, StoreError> {
                let sums = checksum::read_rows(&self.connection, key).map_err(&failed)?.unwrap_or_default();
                match sums.len() == count as usize {
                    true => Ok(sums),
                    false => Err(self.damaged(format!("the checksums of its {key} are missing"))),
                }
            };
            let sums = match self.has_checksums()? {
                true => Some([
                    read(checksum::ARTICLES, self.header.articles)?,
                    read(checksum::PAIRS, self.header.pairs)?,
                ]),
                false => None,
            };
            let _ = self.sums.set(sums);
        }
        Ok(self.sums.get().and_then(Option::as_ref))
    }

    fn missing_pair(&self, row: u32) -> StoreError {
        self.damaged(format!("the pair at row {row} is missing"))
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.path().to_owned(), what }
    }
}

const SELECT_PAIR: &str = "
    SELECT pair.row, pair.article, pair.number, pair.kind, pair.label, pair.title,
           passage.anchor, passage.statement, passage.proof,
           passage.statement_start, passage.statement_end, passage.proof_start, passage.proof_end
    FROM pair CROSS JOIN passage ON passage.row = pair.row";

/// The pair of a row, whose article's id is still to be filled in.
fn read_pair(row: &Row<'_>) -> rusqlite::Result<Pair> {
    Ok(Pair {
        id: PairId { article: String::new(), number: row.get(2)? },
        kind: row.get_ref(3)?.as_str()?.parse::<Kind>().unwrap_or_default(),
        label: row.get(4)?,
        title: row.get(5)?,
        anchor: row.get(6)?,
        statement: Passage::from_encoded(row.get(7)?),
        proof: Passage::from_encoded(row.get(8)?),
    })
}

/// The byte ranges of a pair in its file, from four columns.
fn read_spans(row: &Row<'_>, first: usize) -> rusqlite::Result<PairSpans> {
    let span = |start: Option<u32>, end: Option<u32>| start.zip(end).map(|(start, end)| Span { start, end });
    Ok(PairSpans {
        statement: span(row.get(first)?, row.get(first + 1)?),
        proof: span(row.get(first + 2)?, row.get(first + 3)?),
    })
}

const SELECT_ARTICLE: &str = "SELECT id, title, categories, file, source, dialect, key FROM article";

fn read_article(row: &Row<'_>) -> rusqlite::Result<Article> {
    Ok(Article {
        id: row.get(0)?,
        title: row.get(1)?,
        categories: schema::split_categories(row.get_ref(2)?.as_str()?),
        file: row.get(3)?,
        source: row.get(4)?,
        dialect: row.get_ref(5)?.as_str()?.parse::<Dialect>().unwrap_or_default(),
    })
}
