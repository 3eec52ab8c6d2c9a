//! The rows of the category tree.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::corpus::store::CategoryFilter;

/// What a row of the tree selects.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeChoice {
    #[default]
    Everything,
    Archive(String),
    /// The empty code selects articles without a category.
    Category(String),
    Article {
        category: String,
        id: String,
    },
}

impl TreeChoice {
    pub fn filter(&self) -> Option<CategoryFilter> {
        match self {
            TreeChoice::Everything | TreeChoice::Article { .. } => None,
            TreeChoice::Archive(code) => Some(CategoryFilter::Archive(code.clone())),
            TreeChoice::Category(code) => Some(CategoryFilter::Primary(code.clone())),
        }
    }

    /// The id of the article, if it is one.
    pub fn article(&self) -> Option<&str> {
        match self {
            TreeChoice::Article { id, .. } => Some(id),
            _ => None,
        }
    }

    /// What to call it in a title.
    pub fn name(&self) -> &str {
        match self {
            TreeChoice::Everything => "all categories",
            TreeChoice::Category(code) if code.is_empty() => WITHOUT_CATEGORY,
            TreeChoice::Archive(code) | TreeChoice::Category(code) => code,
            TreeChoice::Article { id, .. } => id,
        }
    }
}

pub const WITHOUT_CATEGORY: &str = "no category";

/// A line of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow {
    pub sort: TreeRowKind,
    pub depth: u16,
    /// Whether it is open, if it can be.
    pub is_open: Option<bool>,
    /// The code of an archive or a category, the id of an article.
    pub code: Arc<str>,
    /// The category of an article; of any other line, its own code.
    pub category: Arc<str>,
    pub name: Arc<str>,
    pub pairs: u32,
}

/// What sort of line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeRowKind {
    Everything,
    Archive,
    Category,
    Article,
}

impl TreeRow {
    pub fn choice(&self) -> TreeChoice {
        match self.sort {
            TreeRowKind::Everything => TreeChoice::Everything,
            TreeRowKind::Archive => TreeChoice::Archive(self.code.to_string()),
            TreeRowKind::Category => TreeChoice::Category(self.category.to_string()),
            TreeRowKind::Article => {
                TreeChoice::Article { category: self.category.to_string(), id: self.code.to_string() }
            }
        }
    }

    /// Whether the row is this choice.
    pub fn is(&self, choice: &TreeChoice) -> bool {
        match choice {
            TreeChoice::Everything => self.sort == TreeRowKind::Everything,
            TreeChoice::Archive(code) => self.sort == TreeRowKind::Archive && *self.code == **code,
            TreeChoice::Category(code) => self.sort == TreeRowKind::Category && *self.category == **code,
            TreeChoice::Article { category, id } => {
                self.sort == TreeRowKind::Article && *self.code == **id && *self.category == **category
            }
        }
    }
}

/// A line that cannot be opened.
pub fn row(sort: TreeRowKind, depth: u16, code: &str, name: &str, pairs: u32) -> TreeRow {
    let code: Arc<str> = code.into();
    TreeRow { sort, depth, is_open: None, category: Arc::clone(&code), code, name: name.into(), pairs }
}
