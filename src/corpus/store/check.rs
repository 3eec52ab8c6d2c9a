//! `stats --check`: every row of a corpus against its checksum, and SQLite's own check of the structure.

use super::{Fingerprint, Store, StoreError, checksum, fingerprint::FingerprintMaker};
use crate::{base::task::CancelToken, corpus::split::Scheme};

/// What a check found. The corpus is intact if there are no problems.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct CorpusCheck {
    pub articles: u32,
    pub pairs: u32,
    pub splits: u32,
    /// Whether the corpus has checksums. Without them, only the fingerprint of the whole is compared.
    pub has_checksums: bool,
    /// The first problems.
    pub problems: Vec<String>,
}

/// How many problems are listed.
const LISTED: usize = 20;

impl Store {
    /// Reads everything and compares it with what was written.
    pub fn check_integrity(&self, cancel: &CancelToken) -> Result<CorpusCheck, StoreError> {
        let mut check = CorpusCheck { has_checksums: self.has_checksums()?, ..CorpusCheck::default() };
        // Damaged pages come first: reading the rows may fail on them.
        check.problems = self.structure_problems()?;
        let read = self.check_rows(&mut check, cancel);
        match read {
            Err(StoreError::Stopped) => return Err(StoreError::Stopped),
            Err(error) => check.note(error.to_string()),
            Ok(()) => {}
        }
        Ok(check)
    }

    fn check_rows(&self, check: &mut CorpusCheck, cancel: &CancelToken) -> Result<(), StoreError> {
        let mut fingerprint = FingerprintMaker::default();
        let mut keys = Vec::new();
        for key in 0..self.article_count() {
            match self.article_by_key(key) {
                Ok(article) => {
                    fingerprint.add_article(&article);
                    keys.push(article.id);
                }
                Err(error) => check.note(error.to_string()),
            }
            check.articles += 1;
        }
        for row in 0..self.pair_count() {
            if cancel.is_cancelled() {
                return Err(StoreError::Stopped);
            }
            match self.pair_with_key(row) {
                Ok(Some((key, pair))) => {
                    fingerprint.add_pair(key, &pair);
                    let counts = (pair.statement.counts(), pair.proof.counts());
                    if self.sizes_of(row)? != Some(counts) {
                        check.note(format!("the sizes of row {row} do not match its texts"));
                    }
                }
                Ok(None) => check.note(format!("there is no pair at row {row}")),
                Err(error) => check.note(error.to_string()),
            }
            check.pairs += 1;
        }
        for (scheme, seed) in self.stored_splits()? {
            if let Err(error) = self.split(scheme, seed) {
                check.note(error.to_string());
            }
            check.splits += 1;
        }
        for scheme in Scheme::ALL {
            if let Err(error) = self.split(scheme, None) {
                check.note(error.to_string());
            }
        }
        self.check_tables(check, fingerprint.finish())
    }

    fn check_tables(&self, check: &mut CorpusCheck, found: Fingerprint) -> Result<(), StoreError> {
        if !check.has_checksums {
            // Empty categories are in the fingerprint and are not kept, so that a difference is a sign, not a proof.
            if found != self.fingerprint() {
                check.note(format!(
                    "its content has the fingerprint {}, not {}",
                    found.short(),
                    self.fingerprint().short()
                ));
            }
            return Ok(());
        }
        let failed = StoreError::database("checking", self.path());
        let connection = &self.connection;
        let categories = checksum::of_categories(connection).map_err(&failed)?;
        if checksum::read(connection, checksum::CATEGORIES).map_err(&failed)? != Some(categories) {
            check.note("its category counts have changed since they were written".to_owned());
        }
        let index = checksum::of_index(connection).map_err(&failed)?;
        if checksum::read(connection, checksum::INDEX).map_err(&failed)? != Some(index) {
            check.note("its word index has changed since it was written".to_owned());
        }
        Ok(())
    }

    /// What SQLite finds wrong with the pages.
    fn structure_problems(&self) -> Result<Vec<String>, StoreError> {
        let failed = StoreError::database("checking", self.path());
        let mut statement =
            self.connection.prepare(&format!("PRAGMA integrity_check({LISTED})")).map_err(&failed)?;
        let found: rusqlite::Result<Vec<String>> =
            statement.query_map([], |row| row.get(0)).and_then(Iterator::collect);
        // A database that is too damaged to be checked is damaged.
        let found = found.unwrap_or_else(|error| vec![error.to_string()]);
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }
}

impl CorpusCheck {
    fn note(&mut self, problem: String) {
        if self.problems.len() < LISTED {
            self.problems.push(problem);
        }
    }
}
