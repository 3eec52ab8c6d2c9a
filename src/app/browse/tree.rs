//! The categories of the corpus as a tree: everything, archives, categories.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    app::{action::ActionId, overlay::moved},
    corpus::{
        categories,
        store::{CategoryCount, CategoryFilter},
    },
};

/// What a line of the tree stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TreeChoice {
    #[default]
    Everything,
    Archive(String),
    Category(String),
}

impl TreeChoice {
    pub fn filter(&self) -> Option<CategoryFilter> {
        match self {
            TreeChoice::Everything => None,
            TreeChoice::Archive(code) => Some(CategoryFilter::Archive(code.clone())),
            TreeChoice::Category(code) => Some(CategoryFilter::Primary(code.clone())),
        }
    }

    /// What to call it in a title.
    pub fn name(&self) -> &str {
        match self {
            TreeChoice::Everything => "all categories",
            TreeChoice::Archive(code) | TreeChoice::Category(code) => code,
        }
    }
}

/// A line of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow {
    pub choice: TreeChoice,
    pub depth: u16,
    /// Whether it is open, if it can be.
    pub is_open: Option<bool>,
    pub code: String,
    pub name: &'static str,
    pub pairs: u32,
}

/// The tree and the place in it.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pairs: u32,
    archives: Vec<Archive>,
    open: BTreeSet<String>,
    rows: Vec<TreeRow>,
    cursor: usize,
    offset: usize,
    /// Cursor and height that the offset was last made to fit.
    fitted: (usize, usize),
    /// To be chosen as soon as the categories are known.
    awaited: Option<TreeChoice>,
}

#[derive(Clone, Debug)]
struct Archive {
    code: String,
    pairs: u32,
    categories: Vec<(String, u32)>,
}

/// A corpus of at most this many categories starts with all archives open.
const OPEN_AT_FIRST: usize = 40;

impl Tree {
    pub fn new(pairs: u32) -> Tree {
        let mut tree = Tree { pairs, ..Tree::default() };
        tree.list_rows();
        tree
    }

    /// Takes the categories, those with most pairs first.
    pub fn fill(&mut self, counts: Vec<CategoryCount>) {
        let mut counts: Vec<CategoryCount> = counts.into_iter().filter(|count| count.pairs > 0).collect();
        counts
            .sort_by(|count, other| other.pairs.cmp(&count.pairs).then_with(|| count.code.cmp(&other.code)));
        let is_small = counts.len() <= OPEN_AT_FIRST;
        for count in counts {
            let code = categories::archive(&count.code);
            let index = self.archives.iter().position(|archive| archive.code == code).unwrap_or_else(|| {
                self.archives.push(Archive { code: code.to_owned(), pairs: 0, categories: Vec::new() });
                self.archives.len() - 1
            });
            let archive = &mut self.archives[index];
            archive.pairs += count.pairs;
            archive.categories.push((count.code, count.pairs));
        }
        self.archives.sort_by_key(|archive| std::cmp::Reverse(archive.pairs));
        match self.awaited.take() {
            Some(choice) => self.choose(&choice),
            None if is_small => {
                self.open = self.archives.iter().map(|archive| archive.code.clone()).collect()
            }
            None => {}
        }
        self.list_rows();
    }

    /// Goes to a line, opening its archive if need be; stays where it is when there is no such line.
    pub fn choose(&mut self, choice: &TreeChoice) {
        if self.archives.is_empty() && *choice != TreeChoice::Everything {
            self.awaited = Some(choice.clone());
            return;
        }
        if let TreeChoice::Category(code) = choice {
            self.open.insert(categories::archive(code).to_owned());
        }
        self.list_rows();
        if let Some(place) = self.rows.iter().position(|row| row.choice == *choice) {
            self.cursor = place;
        }
    }

    /// What is chosen, or will be once the categories are known.
    pub fn chosen(&self) -> TreeChoice {
        let row = self.rows.get(self.cursor).map(|row| row.choice.clone());
        self.awaited.clone().or(row).unwrap_or_default()
    }

    pub fn rows(&self) -> &[TreeRow] {
        &self.rows
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn opened(&self) -> &BTreeSet<String> {
        &self.open
    }

    pub fn set_opened(&mut self, open: BTreeSet<String>) {
        self.open = open;
        self.list_rows();
    }

    pub fn move_by(&mut self, action: ActionId, height: usize) {
        self.go_to(moved(action, self.cursor, height, self.rows.len()));
    }

    pub fn go_to(&mut self, place: usize) {
        self.awaited = None;
        self.cursor = place.min(self.rows.len().saturating_sub(1));
    }

    /// Scrolls without choosing: the cursor may go out of sight.
    pub fn scroll(&mut self, lines: isize, height: usize) {
        let last = self.rows.len().saturating_sub(height);
        self.offset = self.offset.saturating_add_signed(lines).min(last);
    }

    /// Brings the cursor into sight when it moved.
    pub fn settle(&mut self, height: usize) {
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        if std::mem::replace(&mut self.fitted, (self.cursor, height)) == (self.cursor, height) {
            return;
        }
        self.offset = self.offset.clamp((self.cursor + 1).saturating_sub(height.max(1)), self.cursor);
    }

    /// Opens or closes the archive of the line; `false` when there was nothing to do.
    pub fn set_open(&mut self, open: bool) -> bool {
        let Some(TreeRow { choice: TreeChoice::Archive(code), is_open: Some(is_open), .. }) =
            self.rows.get(self.cursor)
        else {
            return false;
        };
        if *is_open == open {
            return false;
        }
        match open {
            true => self.open.insert(code.clone()),
            false => self.open.remove(code),
        };
        self.list_rows();
        true
    }

    pub fn is_open(&self) -> bool {
        self.rows.get(self.cursor).and_then(|row| row.is_open) == Some(true)
    }

    /// Goes to the line above that holds this one.
    pub fn go_to_parent(&mut self) {
        let Some(row) = self.rows.get(self.cursor) else { return };
        let depth = row.depth;
        let above = self.rows[..self.cursor].iter().rposition(|row| row.depth < depth);
        self.go_to(above.unwrap_or(0));
    }

    fn list_rows(&mut self) {
        let chosen = self.rows.get(self.cursor).map(|row| row.choice.clone());
        self.rows.clear();
        self.rows.push(TreeRow {
            choice: TreeChoice::Everything,
            depth: 0,
            is_open: None,
            code: "all categories".to_owned(),
            name: "",
            pairs: self.pairs,
        });
        for archive in &self.archives {
            // An archive that is not divided, like math-ph, is its own only category.
            let is_divided = archive.categories.iter().any(|(code, _)| *code != archive.code);
            let is_open = self.open.contains(&archive.code);
            self.rows.push(TreeRow {
                choice: TreeChoice::Archive(archive.code.clone()),
                depth: 1,
                is_open: is_divided.then_some(is_open),
                code: archive.code.clone(),
                name: categories::archive_name(&archive.code).unwrap_or_default(),
                pairs: archive.pairs,
            });
            if is_divided && is_open {
                self.rows.extend(archive.categories.iter().map(|(code, pairs)| TreeRow {
                    choice: TreeChoice::Category(code.clone()),
                    depth: 2,
                    is_open: None,
                    code: code.clone(),
                    name: categories::name(code).unwrap_or_default(),
                    pairs: *pairs,
                }));
            }
        }
        let place = chosen.and_then(|chosen| self.rows.iter().position(|row| row.choice == chosen));
        self.cursor = place.unwrap_or(self.cursor).min(self.rows.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(code: &str, pairs: u32) -> CategoryCount {
        CategoryCount { code: code.to_owned(), articles: 1, pairs, all_articles: 1, all_pairs: pairs }
    }

    fn codes(tree: &Tree) -> Vec<&str> {
        tree.rows().iter().map(|row| row.code.as_str()).collect()
    }

    #[test]
    fn categories_stand_below_their_archives_the_largest_first() {
        let mut tree = Tree::new(16);
        tree.fill(vec![count("math-ph", 4), count("math.AG", 3), count("math.CO", 9)]);
        assert_eq!(codes(&tree), ["all categories", "math", "math.CO", "math.AG", "math-ph"]);
        tree.go_to(3);
        assert_eq!(tree.chosen(), TreeChoice::Category("math.AG".to_owned()));
        tree.go_to_parent();
        assert_eq!(tree.chosen().name(), "math");
        assert!(tree.set_open(false));
        assert_eq!(codes(&tree), ["all categories", "math", "math-ph"]);
        tree.go_to(2);
        assert!(!tree.set_open(true), "an archive without parts does not open");
    }

    #[test]
    fn a_choice_made_before_the_categories_are_known_is_kept() {
        let mut tree = Tree::new(3);
        tree.choose(&TreeChoice::Category("math.AG".to_owned()));
        assert_eq!(tree.chosen().name(), "math.AG");
        tree.fill(vec![count("math.AG", 3)]);
        assert_eq!(tree.chosen().name(), "math.AG");
        assert_eq!(tree.cursor(), 2);
    }
}
