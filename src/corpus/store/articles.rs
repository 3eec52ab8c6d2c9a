//! The articles of a category, for a tree view.

use super::{CategoryFilter, Filter, Store, StoreError};

/// A summary of an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleSummary {
    pub id: String,
    pub title: String,
    pub pairs: u32,
}

impl Store {
    /// The articles with pairs in a category, in the order of the corpus. One pass over the small `pair` table.
    pub fn articles_of(&self, category: &CategoryFilter) -> Result<Vec<ArticleSummary>, StoreError> {
        let read = || {
            let filter = Filter { category: Some(category.clone()), ..Filter::default() };
            let conditions = filter.conditions();
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT id, title, pairs
                 FROM (SELECT article AS key, COUNT(*) AS pairs FROM pair{} GROUP BY article) AS counted
                 CROSS JOIN article USING (key) ORDER BY key",
                conditions.sql
            ))?;
            let lines = statement.query_map(conditions.parameters(), |row| {
                Ok(ArticleSummary { id: row.get(0)?, title: row.get(1)?, pairs: row.get(2)? })
            })?;
            lines.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(StoreError::database("listing the articles of", self.path()))
    }
}
