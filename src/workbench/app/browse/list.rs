//! The list of pairs, of which only the visible lines are ever fetched.
//!
//! The list holds the rows of all pairs in it, four bytes each, and a few pages of summaries around what
//! is in sight. A page belongs to the listing it was requested for; since a listing never changes, a page that
//! arrives late is still right, and only those of an older listing are dropped.

use std::{
    collections::{HashMap, VecDeque},
    ops::Range,
    sync::Arc,
};

use crate::{
    corpus::store::PairSummary,
    workbench::app::{action::ActionId, list_cursor::ListCursor, work::Generation},
};

/// Lines per request.
const PAGE: usize = 64;
/// Pages that are kept.
const KEPT_PAGES: usize = 24;

/// The rows of the listed pairs and the cursor.
#[derive(Debug, Default)]
pub struct PairList {
    rows: Arc<Vec<u32>>,
    listing: Generation,
    cursor: ListCursor,
    pages: HashMap<usize, Vec<PairSummary>>,
    /// The pages, the one longest unused first.
    used: VecDeque<usize>,
    asked: Option<usize>,
}

impl PairList {
    /// Shows other rows, with the cursor on a place of them.
    pub fn fill(&mut self, rows: Arc<Vec<u32>>, cursor: usize) {
        self.listing.0 += 1;
        self.rows = rows;
        self.pages.clear();
        self.used.clear();
        self.asked = None;
        self.cursor.index = cursor;
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn cursor(&self) -> usize {
        self.cursor.index
    }

    pub fn offset(&self) -> usize {
        self.cursor.offset
    }

    pub fn set_offset(&mut self, offset: usize) {
        self.cursor.offset = offset;
    }

    pub fn listing(&self) -> Generation {
        self.listing
    }

    /// The row of the pair under the cursor.
    pub fn current(&self) -> Option<u32> {
        self.rows.get(self.cursor.index).copied()
    }

    pub fn place_of(&self, row: u32) -> Option<usize> {
        place_of(&self.rows, row)
    }

    /// The row at a place of the list.
    pub fn row(&self, place: usize) -> Option<u32> {
        self.rows.get(place).copied()
    }

    /// The summary at an index, if it has been fetched.
    pub fn summary(&self, place: usize) -> Option<&PairSummary> {
        let row = self.row(place)?;
        // If the corpus lacks a row, the rest of the page moves up; then search for the row.
        let page = self.pages.get(&(place / PAGE))?;
        page.get(place % PAGE)
            .filter(|summary| summary.row == row)
            .or_else(|| page.iter().find(|summary| summary.row == row))
    }

    pub fn move_by(&mut self, action: ActionId, height: usize) {
        self.cursor.move_by(action, height, self.rows.len());
    }

    pub fn go_to(&mut self, place: usize) {
        self.cursor.select(place, self.rows.len());
    }

    /// Scrolls, and takes the cursor along only when it would be out of sight.
    pub fn scroll(&mut self, lines: isize, height: usize) {
        self.cursor.scroll(lines, height, self.rows.len());
    }

    /// Keeps the cursor on a pair and in sight.
    pub fn settle(&mut self, height: usize) {
        self.cursor.settle(height, self.rows.len());
    }

    /// The next page to fetch, with its rows: what is in sight first, then what is near.
    pub fn next_page(&mut self, height: usize) -> Option<(usize, Vec<u32>)> {
        let wanted = self.wanted_pages(height);
        for page in &wanted {
            if let Some(at) = self.used.iter().position(|used| used == page) {
                self.used.remove(at);
                self.used.push_back(*page);
            }
        }
        if self.asked.is_some_and(|asked| wanted.contains(&asked)) {
            return None;
        }
        let page = wanted.into_iter().find(|page| !self.pages.contains_key(page))?;
        self.asked = Some(page);
        Some((page, self.rows[self.range(page)].to_vec()))
    }

    /// Receives a page; `false` when it belongs to an outdated listing.
    pub fn take_page(&mut self, listing: Generation, page: usize, summaries: Vec<PairSummary>) -> bool {
        if listing != self.listing {
            return false;
        }
        if self.asked == Some(page) {
            self.asked = None;
        }
        self.used.retain(|used| *used != page);
        self.used.push_back(page);
        self.pages.insert(page, summaries);
        while self.used.len() > KEPT_PAGES {
            if let Some(oldest) = self.used.pop_front() {
                self.pages.remove(&oldest);
            }
        }
        true
    }

    /// The request failed; the page stays empty instead of being requested again and again.
    pub fn give_up_page(&mut self) {
        if let Some(page) = self.asked {
            self.take_page(self.listing, page, Vec::new());
        }
    }

    fn wanted_pages(&self, height: usize) -> Vec<usize> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let last_page = (self.rows.len() - 1) / PAGE;
        let first = (self.cursor.offset / PAGE).min(last_page);
        let last = ((self.cursor.offset + height.max(1) - 1) / PAGE).clamp(first, last_page);
        // A terminal of a thousand lines must not ask for more than can be kept.
        let last = last.min(first + KEPT_PAGES - 3);
        let near = [last + 1, first.wrapping_sub(1)];
        (first..=last).chain(near.into_iter().filter(|page| *page <= last_page)).collect()
    }

    fn range(&self, page: usize) -> Range<usize> {
        let start = (page * PAGE).min(self.rows.len());
        start..(start + PAGE).min(self.rows.len())
    }
}

/// The place of a row in a list of them.
pub fn place_of(rows: &[u32], row: u32) -> Option<usize> {
    // In a list of everything each row is at its own place; searching the rest takes microseconds.
    if rows.get(row as usize) == Some(&row) {
        return Some(row as usize);
    }
    rows.iter().position(|&other| other == row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: u32) -> PairList {
        let mut list = PairList::default();
        list.fill(Arc::new((0..count).collect()), 0);
        list
    }

    #[test]
    fn only_pages_in_sight_and_their_neighbors_are_asked_for() {
        let mut list = list(200_000);
        list.go_to(100_000);
        list.settle(40);
        let mut asked = Vec::new();
        while let Some((page, rows)) = list.next_page(40) {
            assert_eq!(rows.first().copied(), Some((page * PAGE) as u32));
            asked.push(page);
            list.take_page(list.listing(), page, Vec::new());
        }
        assert_eq!(asked, [1561, 1562, 1563, 1560]);
    }

    #[test]
    fn pages_of_an_older_listing_are_dropped_and_few_are_kept() {
        let mut list = list(100_000);
        let old = list.listing();
        list.fill(Arc::new((0..100_000).rev().collect()), 0);
        assert!(!list.take_page(old, 0, Vec::new()));
        for step in 0..1000 {
            list.go_to(step * 97);
            list.settle(30);
            while let Some((page, _)) = list.next_page(30) {
                list.take_page(list.listing(), page, Vec::new());
            }
        }
        assert_eq!(list.pages.len(), KEPT_PAGES);
    }

    #[test]
    fn the_cursor_stays_in_sight() {
        let mut list = list(100);
        list.move_by(ActionId::Bottom, 10);
        list.settle(10);
        assert_eq!((list.cursor(), list.offset()), (99, 90));
        list.scroll(-50, 10);
        list.settle(10);
        assert_eq!((list.cursor(), list.offset()), (49, 40));
        list.settle(300);
        assert_eq!(list.offset(), 0);
    }
}
