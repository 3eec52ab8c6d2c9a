//! The corpus as a tree: everything, archives, categories, articles.
//!
//! Archives and categories are there from the beginning; the articles of a category are fetched when it is first
//! opened. Lines share their words, so that a tree of ten thousand open articles is listed in a millisecond.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use super::tree_row::{TreeChoice, TreeRow, TreeRowKind, WITHOUT_CATEGORY, row};
use crate::{
    corpus::{
        categories,
        store::{ArticleSummary, CategoryCount, CategoryFilter},
    },
    workbench::app::{action::ActionId, list_cursor::moved},
};

/// The tree and its cursor.
#[derive(Clone, Debug, Default)]
pub struct CategoryTree {
    pairs: u32,
    archives: Vec<Archive>,
    /// By the code of their category.
    articles: HashMap<String, Vec<Article>>,
    open: BTreeSet<String>,
    /// Categories whose articles are listed. An archive that is not divided is its own only category.
    open_categories: BTreeSet<String>,
    rows: Vec<TreeRow>,
    cursor: usize,
    offset: usize,
    /// Cursor and height that the offset was last made to fit.
    fitted: (usize, usize),
    /// To be chosen as soon as it is known.
    awaited: Option<TreeChoice>,
    /// The number of pairs by category that search and filters leave; none if they leave all.
    found: Option<Vec<(String, u32)>>,
}

#[derive(Clone, Debug)]
struct Archive {
    code: String,
    pairs: u32,
    categories: Vec<(String, u32)>,
}

impl Archive {
    /// Whether it has categories other than itself.
    fn is_divided(&self) -> bool {
        self.categories.iter().any(|(code, _)| *code != self.code)
    }
}

#[derive(Clone, Debug)]
struct Article {
    id: Arc<str>,
    title: Arc<str>,
    pairs: u32,
}

/// A corpus of at most this many categories starts with all archives open.
const OPEN_AT_FIRST: usize = 40;

impl CategoryTree {
    pub fn new(pairs: u32) -> CategoryTree {
        let mut tree = CategoryTree { pairs, ..CategoryTree::default() };
        tree.list_rows();
        tree
    }

    /// Takes the categories, those with most pairs first.
    pub fn fill(&mut self, counts: Vec<CategoryCount>) {
        let mut counts: Vec<CategoryCount> = counts.into_iter().filter(|count| count.pairs > 0).collect();
        counts
            .sort_by(|count, other| other.pairs.cmp(&count.pairs).then_with(|| count.code.cmp(&other.code)));
        let is_small = counts.len() <= OPEN_AT_FIRST;
        // The categories are requested again when the tour ends.
        self.archives.clear();
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

    /// Takes the articles of a category.
    pub fn fill_articles(&mut self, category: &str, lines: Vec<ArticleSummary>) {
        let article = |line: ArticleSummary| Article {
            id: line.id.into(),
            title: line.title.into(),
            pairs: line.pairs,
        };
        self.articles.insert(category.to_owned(), lines.into_iter().map(article).collect());
        self.list_rows();
        if let Some(choice) = self.awaited.take() {
            self.choose(&choice);
        }
    }

    /// A category that is open and whose articles have not been fetched yet, with the filter that finds them.
    pub fn next_unknown(&self) -> Option<(String, CategoryFilter)> {
        if self.rows.len() < 2 {
            return None;
        }
        let is_unknown = |code: &&String| !self.articles.contains_key(*code) && self.knows(code);
        let code = self.open_categories.iter().find(is_unknown)?;
        Some((code.clone(), CategoryFilter::Primary(code.clone())))
    }

    /// The request failed; the categories are closed instead of being requested again and again.
    pub fn give_up_articles(&mut self) {
        self.open_categories.retain(|code| self.articles.contains_key(code));
        self.awaited = None;
        self.list_rows();
    }

    fn knows(&self, category: &str) -> bool {
        category.is_empty()
            || self.archives.iter().any(|archive| archive.categories.iter().any(|(code, _)| code == category))
    }

    /// Goes to a line, opening what it is in if need be; stays where it is when there is no such line.
    pub fn choose(&mut self, choice: &TreeChoice) {
        if self.archives.is_empty() && *choice != TreeChoice::Everything {
            self.awaited = Some(choice.clone());
            return;
        }
        match choice {
            TreeChoice::Category(category) => self.open_archive_of(category),
            TreeChoice::Article { category, .. } if self.knows(category) => {
                self.open_archive_of(category);
                self.open_categories.insert(category.clone());
                if !self.articles.contains_key(category) {
                    self.awaited = Some(choice.clone());
                }
            }
            _ => {}
        }
        self.list_rows();
        if let Some(place) = self.rows.iter().position(|row| row.is(choice)) {
            self.cursor = place;
        }
    }

    fn open_archive_of(&mut self, category: &str) {
        self.open.insert(categories::archive(category).to_owned());
    }

    /// What is chosen, or will be once it is known.
    pub fn chosen(&self) -> TreeChoice {
        let row = self.rows.get(self.cursor).map(TreeRow::choice);
        self.awaited.clone().or(row).unwrap_or_default()
    }

    pub fn set_found(&mut self, found: Option<Vec<(String, u32)>>) {
        self.found = found;
    }

    /// The number of pairs of a row, after search and filters where it is known.
    pub fn count(&self, row: &TreeRow) -> u32 {
        let Some(found) = &self.found else { return row.pairs };
        let sum = |holds: &dyn Fn(&str) -> bool| {
            found.iter().filter(|(code, _)| holds(code)).map(|(_, count)| count).sum()
        };
        match row.choice() {
            TreeChoice::Everything => sum(&|_| true),
            TreeChoice::Archive(archive) => sum(&|code| categories::archive(code) == archive),
            TreeChoice::Category(category) => sum(&|code| code == category),
            TreeChoice::Article { .. } => row.pairs,
        }
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

    pub fn opened_categories(&self) -> &BTreeSet<String> {
        &self.open_categories
    }

    pub fn set_opened(&mut self, archives: BTreeSet<String>, categories: BTreeSet<String>) {
        (self.open, self.open_categories) = (archives, categories);
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

    /// Opens or closes the line; `false` when there was nothing to do.
    pub fn set_open(&mut self, open: bool) -> bool {
        let Some(row) = self.rows.get(self.cursor).filter(|row| row.is_open == Some(!open)) else {
            return false;
        };
        let is_divided = row.sort == TreeRowKind::Archive
            && self.archives.iter().any(|archive| *archive.code == *row.code && archive.is_divided());
        let (set, code) = match is_divided {
            true => (&mut self.open, row.code.to_string()),
            false => (&mut self.open_categories, row.category.to_string()),
        };
        match open {
            true => set.insert(code),
            false => set.remove(&code),
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
        let chosen = self.rows.get(self.cursor).map(TreeRow::choice);
        let mut rows = vec![row(TreeRowKind::Everything, 0, "all categories", "", self.pairs)];
        for archive in &self.archives {
            let name = categories::archive_name(&archive.code).unwrap_or_default();
            let is_divided = archive.is_divided();
            let opened = if is_divided { &self.open } else { &self.open_categories };
            let is_open = opened.contains(&archive.code);
            let mut line = row(TreeRowKind::Archive, 1, &archive.code, name, archive.pairs);
            line.is_open = Some(is_open);
            rows.push(line);
            if is_open && is_divided {
                for (code, pairs) in &archive.categories {
                    let name = categories::name(code).unwrap_or_default();
                    self.list_category(row(TreeRowKind::Category, 2, code, name, *pairs), &mut rows);
                }
            } else if is_open {
                self.list_articles(&archive.code, 2, &mut rows);
            }
        }
        let counted: u32 = self.archives.iter().map(|archive| archive.pairs).sum();
        if !self.archives.is_empty() && counted < self.pairs {
            let mut line = row(TreeRowKind::Category, 1, WITHOUT_CATEGORY, "", self.pairs - counted);
            line.category = "".into();
            self.list_category(line, &mut rows);
        }
        self.rows = rows;
        let place = chosen.and_then(|chosen| self.rows.iter().position(|row| row.is(&chosen)));
        self.cursor = place.unwrap_or(self.cursor).min(self.rows.len() - 1);
    }

    fn list_category(&self, mut line: TreeRow, rows: &mut Vec<TreeRow>) {
        let is_open = self.open_categories.contains(&*line.category);
        line.is_open = Some(is_open);
        let (category, depth) = (Arc::clone(&line.category), line.depth);
        rows.push(line);
        if is_open {
            self.list_articles(&category, depth + 1, rows);
        }
    }

    fn list_articles(&self, category: &str, depth: u16, rows: &mut Vec<TreeRow>) {
        let category_shared: Arc<str> = category.into();
        rows.extend(self.articles.get(category).into_iter().flatten().map(|article| TreeRow {
            sort: TreeRowKind::Article,
            depth,
            is_open: None,
            code: Arc::clone(&article.id),
            category: Arc::clone(&category_shared),
            name: Arc::clone(&article.title),
            pairs: article.pairs,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(code: &str, pairs: u32) -> CategoryCount {
        CategoryCount { code: code.to_owned(), articles: 1, pairs, all_articles: 1, all_pairs: pairs }
    }

    fn codes(tree: &CategoryTree) -> Vec<&str> {
        tree.rows().iter().map(|row| &*row.code).collect()
    }

    #[test]
    fn categories_stand_below_their_archives_the_largest_first() {
        let mut tree = CategoryTree::new(16);
        tree.fill(vec![count("math-ph", 4), count("math.AG", 3), count("math.CO", 9)]);
        assert_eq!(codes(&tree), ["all categories", "math", "math.CO", "math.AG", "math-ph"]);
        tree.go_to(3);
        assert_eq!(tree.chosen(), TreeChoice::Category("math.AG".to_owned()));
        tree.go_to_parent();
        assert_eq!(tree.chosen().name(), "math");
        assert!(tree.set_open(false));
        assert_eq!(codes(&tree), ["all categories", "math", "math-ph"]);
    }

    #[test]
    fn a_choice_made_before_the_categories_are_known_is_kept() {
        let mut tree = CategoryTree::new(3);
        tree.choose(&TreeChoice::Category("math.AG".to_owned()));
        assert_eq!(tree.chosen().name(), "math.AG");
        tree.fill(vec![count("math.AG", 3)]);
        assert_eq!(tree.chosen().name(), "math.AG");
        assert_eq!(tree.cursor(), 2);
    }

    fn article(id: &str, pairs: u32) -> ArticleSummary {
        ArticleSummary { id: id.to_owned(), title: format!("On {id}"), pairs }
    }

    #[test]
    fn articles_stand_below_their_category_once_it_is_opened() {
        let mut tree = CategoryTree::new(20);
        tree.fill(vec![count("math-ph", 4), count("math.AG", 12)]);
        assert_eq!(codes(&tree), ["all categories", "math", "math.AG", "math-ph", "no category"]);
        assert_eq!(tree.next_unknown(), None, "nothing is fetched before it is wanted");
        for (place, code) in [(2, "math.AG"), (3, "math-ph"), (4, "")] {
            tree.go_to(place);
            assert!(tree.set_open(true));
            let filter = CategoryFilter::Primary(code.to_owned());
            assert_eq!(tree.next_unknown(), Some((code.to_owned(), filter)));
            tree.fill_articles(code, Vec::new());
        }
        tree.fill_articles("math.AG", vec![article("0704.1", 5), article("0704.2", 7)]);
        assert_eq!(codes(&tree)[..5], ["all categories", "math", "math.AG", "0704.1", "0704.2"]);
        tree.go_to(4);
        assert_eq!((tree.chosen().name(), tree.chosen().article()), ("0704.2", Some("0704.2")));
        tree.go_to_parent();
        assert!(tree.set_open(false));
        assert_eq!(tree.rows().len(), 5);
    }

    #[test]
    fn an_article_of_a_session_is_waited_for() {
        let mut tree = CategoryTree::new(12);
        let choice = TreeChoice::Article { category: "math.AG".to_owned(), id: "0704.2".to_owned() };
        tree.choose(&choice);
        tree.fill(vec![count("math.AG", 12)]);
        assert_eq!(tree.chosen(), choice);
        assert!(tree.next_unknown().is_some());
        tree.fill_articles("math.AG", vec![article("0704.1", 5), article("0704.2", 7)]);
        assert_eq!((tree.chosen(), tree.cursor()), (choice, 4));
        tree.choose(&TreeChoice::Article { category: "hep-th".to_owned(), id: "x".to_owned() });
        assert_eq!(tree.cursor(), 4, "what is not there is not gone to");
    }
}
