//! Counts the categories of a corpus while it is written.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use crate::corpus::categories;

/// The categories so far and their counts.
#[derive(Default)]
pub struct CategoryTally {
    keys: HashMap<String, u32>,
    counts: Vec<CategoryCounts>,
}

#[derive(Clone, Copy, Default)]
struct CategoryCounts {
    articles: u32,
    pairs: u32,
    all_articles: u32,
    all_pairs: u32,
}

impl CategoryTally {
    /// Returns the key of a category, a new one for a new category.
    pub fn key(&mut self, code: &str) -> u32 {
        if let Some(&key) = self.keys.get(code) {
            return key;
        }
        let key = self.counts.len() as u32;
        self.keys.insert(code.to_owned(), key);
        self.counts.push(CategoryCounts::default());
        key
    }

    /// Counts an article with its first pair, so articles without pairs are not counted.
    pub fn count_pair(&mut self, categories: &[u32], is_first: bool) {
        for (place, &key) in categories.iter().enumerate() {
            let counts = &mut self.counts[key as usize];
            counts.all_pairs += 1;
            counts.all_articles += u32::from(is_first);
            if place == 0 {
                counts.pairs += 1;
                counts.articles += u32::from(is_first);
            }
        }
    }

    pub fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut statement = connection.prepare("INSERT INTO category VALUES (?, ?, ?, ?, ?, ?, ?)")?;
        // In order, so that equal corpora are equal files.
        let mut keys: Vec<(&String, u32)> = self.keys.iter().map(|(code, &key)| (code, key)).collect();
        keys.sort_unstable_by_key(|(_, key)| *key);
        for (code, key) in keys {
            let CategoryCounts { articles, pairs, all_articles, all_pairs } = self.counts[key as usize];
            let archive = categories::archive(code);
            statement.execute(params![key, code, archive, articles, pairs, all_articles, all_pairs])?;
        }
        Ok(())
    }
}
