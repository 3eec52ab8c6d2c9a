//! The first words of the statements that were visible lately.

use std::collections::HashMap;

use crate::corpus::store::PairSummary;

/// The first words of statements, by row.
#[derive(Debug, Default)]
pub struct StatementPreviews {
    known: HashMap<u32, String>,
    asked: Vec<u32>,
}

/// Above this number the cache is cleared.
const MOST: usize = 4_000;

impl StatementPreviews {
    pub fn of(&self, row: u32) -> Option<&str> {
        self.known.get(&row).map(String::as_str)
    }

    /// The rows to request, if some of these are not known.
    pub fn missing(&mut self, rows: impl Iterator<Item = u32>) -> Option<Vec<u32>> {
        self.asked = rows.filter(|row| !self.known.contains_key(row)).collect();
        (!self.asked.is_empty()).then(|| self.asked.clone())
    }

    pub fn take(&mut self, summaries: Vec<PairSummary>) {
        if self.known.len() > MOST {
            self.known.clear();
        }
        // A row that the corpus does not have is not requested again.
        self.known.extend(self.asked.drain(..).map(|row| (row, String::new())));
        self.known.extend(summaries.into_iter().map(|summary| (summary.row, summary.first_words)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_asked_twice() {
        let mut previews = StatementPreviews::default();
        assert_eq!(previews.missing([3, 5].into_iter()), Some(vec![3, 5]));
        previews.take(Vec::new());
        assert_eq!((previews.missing([5, 3].into_iter()), previews.of(5)), (None, Some("")));
    }
}
