//! Documents that go through the layers together.
//!
//! A product with few rows spends much of its time fetching and packing the weights: a quarter of encoding was
//! packing when documents went alone. A few documents, one below the other, share that.

use std::ops::Range;

use super::super::{NptShape, Packed, random::Dropout};

/// Rows beyond which a larger unit gains nothing: what training keeps of each row is read again soon.
pub const FOR_TRAINING: usize = 512;
/// Without anything to keep, fetching and packing the weights less often is worth more.
pub const FOR_READING: usize = 1024;
/// `gemm` has other kernels, which round differently, for single rows and for results of up to 256 values.
/// With at least this many rows it uses the general one for any width from 16 on, so that a document's bits
/// do not depend on what else is in its unit. The rows that are missing are zeros, which nobody reads.
pub const FEWEST_ROWS: usize = 17;

/// Some documents of a batch, one below the other.
#[derive(Debug)]
pub struct Unit {
    pub documents: Vec<Member>,
    /// All rows of the unit.
    pub rows: usize,
}

/// A document in its unit.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its place in the batch.
    pub index: usize,
    /// The first of its rows.
    pub start: usize,
    pub length: usize,
    /// Where its attention weights begin, a square a head.
    pub squares: usize,
    pub dropout: Option<Dropout>,
}

impl Member {
    /// The document's part of a matrix of the unit with so many columns.
    pub fn part(&self, columns: usize) -> Range<usize> {
        self.start * columns..(self.start + self.length) * columns
    }

    /// One head's square of attention weights.
    pub fn square(&self, head: usize) -> Range<usize> {
        let size = self.length * self.length;
        self.squares + head * size..self.squares + (head + 1) * size
    }
}

impl Unit {
    /// The number of attention weights.
    pub fn squares(&self, shape: &NptShape) -> usize {
        let last = self.documents.last();
        last.map_or(0, |last| last.squares + shape.heads * last.length * last.length)
    }

    /// Tokens of all documents.
    pub fn tokens(&self) -> usize {
        self.documents.iter().map(|document| document.length).sum()
    }
}

/// Deals a batch out to units: enough for so many threads, and otherwise as large as is useful. Documents of
/// like length come together, the longest first.
pub fn units(
    documents: &Packed,
    shape: &NptShape,
    (threads, most_rows): (usize, usize),
    dropout: impl Fn(usize) -> Option<Dropout>,
) -> Vec<Unit> {
    let target = (documents.tokens().len() / threads.max(1)).clamp(1, most_rows);
    let mut units: Vec<Unit> = Vec::new();
    for index in documents.longest_first() {
        let length = documents.document(index).len();
        let fits = units.last().is_some_and(|unit| unit.rows + length / 2 < target);
        if !fits {
            units.push(Unit { documents: vec![], rows: 0 });
        }
        if let Some(unit) = units.last_mut() {
            let squares = unit.squares(shape);
            unit.documents.push(Member { index, start: unit.rows, length, squares, dropout: dropout(index) });
            unit.rows += length;
        }
    }
    units.iter_mut().for_each(|unit| unit.rows = unit.rows.max(FEWEST_ROWS));
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_in_one_unit_and_units_are_neither_few_nor_small() {
        let mut packed = Packed::new();
        (0..120).for_each(|key| packed.push(key, &vec![1; 20 + key as usize * 3 / 2]));
        let shape = NptShape::paper(9);
        let units = units(&packed, &shape, (32, FOR_TRAINING), |_| None);
        let mut found: Vec<usize> =
            units.iter().flat_map(|unit| unit.documents.iter().map(|each| each.index)).collect();
        found.sort_unstable();
        assert_eq!(found, (0..120).collect::<Vec<_>>());
        assert!((24..=40).contains(&units.len()), "{}", units.len());
        assert!(units.iter().all(|unit| unit.rows < 700));
        let second = &units[0].documents[1];
        assert_eq!((second.start, second.squares), (198, 4 * 198 * 198));
    }
}
