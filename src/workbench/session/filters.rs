//! Which pairs were listed, and in which order.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::corpus::{Kind, store};

/// Which pairs were listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filters {
    /// What was searched for; may be empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub search: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Kind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// The least and the most tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement_tokens: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof_tokens: Option<[u32; 2]>,
    /// The least and the largest share of mathematical tokens, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub math_share: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
}

/// How the category of a pair's article is looked at: `{ primary = "math.PR" }`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    Primary(String),
    Any(String),
    Archive(String),
}

/// The order of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sort {
    pub by: SortKey,
    pub descending: bool,
}

/// What the list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortKey {
    #[default]
    Corpus,
    StatementTokens,
    ProofTokens,
    MathShare,
}

impl Filters {
    /// The filter that the corpus understands.
    pub fn filter(&self) -> store::Filter {
        store::Filter {
            category: self.category.clone().map(Into::into),
            kinds: self.kinds.clone(),
            article: self.article.clone(),
            statement_tokens: self.statement_tokens.map(range),
            proof_tokens: self.proof_tokens.map(range),
            math_share: self.math_share.map(range),
        }
    }

    /// What to remember of a filter and a search.
    pub fn of(filter: &store::Filter, search: &str) -> Filters {
        Filters {
            search: search.to_owned(),
            kinds: filter.kinds.clone(),
            article: filter.article.clone(),
            statement_tokens: filter.statement_tokens.as_ref().map(ends),
            proof_tokens: filter.proof_tokens.as_ref().map(ends),
            math_share: filter.math_share.as_ref().map(ends),
            category: filter.category.clone().map(Into::into),
        }
    }
}

fn range<T>([start, end]: [T; 2]) -> RangeInclusive<T> {
    start..=end
}

fn ends<T: Copy>(range: &RangeInclusive<T>) -> [T; 2] {
    [*range.start(), *range.end()]
}

impl From<Category> for store::CategoryFilter {
    fn from(category: Category) -> store::CategoryFilter {
        match category {
            Category::Primary(code) => store::CategoryFilter::Primary(code),
            Category::Any(code) => store::CategoryFilter::Any(code),
            Category::Archive(archive) => store::CategoryFilter::Archive(archive),
        }
    }
}

impl From<store::CategoryFilter> for Category {
    fn from(category: store::CategoryFilter) -> Category {
        match category {
            store::CategoryFilter::Primary(code) => Category::Primary(code),
            store::CategoryFilter::Any(code) => Category::Any(code),
            store::CategoryFilter::Archive(archive) => Category::Archive(archive),
        }
    }
}

impl From<Sort> for store::Sort {
    fn from(sort: Sort) -> store::Sort {
        let by = match sort.by {
            SortKey::Corpus => store::SortBy::Row,
            SortKey::StatementTokens => store::SortBy::StatementTokens,
            SortKey::ProofTokens => store::SortBy::ProofTokens,
            SortKey::MathShare => store::SortBy::MathShare,
        };
        store::Sort { by, descending: sort.descending }
    }
}

impl From<store::Sort> for Sort {
    fn from(sort: store::Sort) -> Sort {
        let by = match sort.by {
            store::SortBy::Row => SortKey::Corpus,
            store::SortBy::StatementTokens => SortKey::StatementTokens,
            store::SortBy::ProofTokens => SortKey::ProofTokens,
            store::SortBy::MathShare => SortKey::MathShare,
        };
        Sort { by, descending: sort.descending }
    }
}
