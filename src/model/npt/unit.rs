//! Units: documents that are processed together.
//!
//! A product with few rows spends much of its time loading and packing the weights: packing took a quarter of encoding
//! when documents were processed one by one. Stacked documents share that cost.

use std::ops::Range;

use super::{
    super::{
        NptShape, Packed, Pooling, gradients::LANES, kernels::product::Products, random::Dropout,
        random::Site,
    },
    Take,
};

/// The number of units per batch, if there are enough rows, and the maximum number of rows of one.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub units: usize,
    pub most_rows: usize,
}

impl Sizes {
    /// The order in which units' gradients are added decides their last bits, so nothing here may depend on the threads.
    /// The tape of each row is read again soon, so larger units gain nothing.
    pub fn for_training() -> Sizes {
        Sizes { units: LANES, most_rows: 512 }
    }

    /// Without a tape, loading and packing the weights less often is worth more. A few units per thread, so that all
    /// threads finish at about the same time.
    pub fn for_reading(products: Products) -> Sizes {
        // weights that were packed before cost nothing to use again, so that units may be as small as fits a near cache
        let most_rows = if products.packs_fast() { 128 } else { 1024 };
        Sizes { units: 4 * rayon::current_num_threads(), most_rows }
    }
}

/// `gemm` has other kernels, which round differently, for single rows and for results of up to 256 values.
/// With at least this many rows it uses the general one for any width from 16 on, so that a document's bits
/// do not depend on what else is in its unit. Missing rows are padded with zeros, and their results are not used.
pub const FEWEST_ROWS: usize = 17;

/// Some documents of a batch, stacked.
#[derive(Debug, Default)]
pub struct Unit {
    pub documents: Vec<Member>,
    /// All rows of the unit.
    pub rows: usize,
    /// The requested rows of the last layer, if not all: a BERT's first tokens, or the masked ones.
    pub wanted: Option<Box<Unit>>,
}

/// A document in its unit.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its index in the batch.
    pub index: usize,
    /// The first of its rows.
    pub start: usize,
    pub length: usize,
    /// The rows that its rows attend to: those of the whole document.
    pub columns: usize,
    /// Which of the document's rows these are, if not all.
    pub positions: Option<Vec<u32>>,
    /// The start of its attention weights, one matrix per head.
    pub weights: usize,
    /// The document's vectors among those of the batch.
    pub vectors: Range<usize>,
    dropout: Option<Dropout>,
}

impl Member {
    /// The document's range in a matrix of the unit with `columns` columns.
    pub fn part(&self, columns: usize) -> Range<usize> {
        self.start * columns..(self.start + self.length) * columns
    }

    /// One head's attention weights.
    pub fn weights(&self, head: usize) -> Range<usize> {
        let size = self.length * self.columns;
        self.weights + head * size..self.weights + (head + 1) * size
    }

    /// The dropout masks of its rows at a site of the network.
    pub fn masks(&self, site: u64) -> Option<Site<'_>> {
        self.dropout.map(|dropout| dropout.at(site).of_rows(self.positions.as_deref()))
    }
}

impl Unit {
    /// The number of attention weights.
    pub fn weights(&self, shape: &NptShape) -> usize {
        self.documents.last().map_or(0, |last| last.weights(shape.heads - 1).end)
    }

    /// Whether these are only some rows of their documents.
    pub fn is_part(&self) -> bool {
        self.documents.first().is_some_and(|first| first.positions.is_some())
    }

    /// The rows that a layer computes.
    pub fn made(&self, is_last: bool) -> &Unit {
        self.wanted.as_deref().filter(|_| is_last).unwrap_or(self)
    }

    fn push(&mut self, shape: &NptShape, document: Member) {
        let (start, weights) = (self.rows, self.weights(shape));
        self.rows += document.length;
        self.documents.push(Member { start, weights, ..document });
    }

    /// Sets the requested rows of the last layer.
    fn want(&mut self, shape: &NptShape, take: Take) {
        let mut wanted = Unit::default();
        for document in &self.documents {
            let positions = match take {
                Take::Rows(picked) => picked.of(document.index).to_vec(),
                Take::Vectors if shape.pooling == Pooling::Cls => vec![0],
                Take::Vectors => return,
            };
            let length = positions.len();
            wanted.push(shape, Member { length, positions: Some(positions), ..document.clone() });
        }
        wanted.rows = wanted.rows.max(FEWEST_ROWS);
        self.wanted = Some(Box::new(wanted));
    }

    /// Tokens of all documents.
    pub fn tokens(&self) -> usize {
        self.documents.iter().map(|document| document.length).sum()
    }
}

/// Splits a batch into units: enough of them, and otherwise as large as is useful. Documents of similar length are
/// grouped, the longest first.
pub fn units(
    documents: &Packed,
    shape: &NptShape,
    sizes: Sizes,
    take: Take,
    dropout: impl Fn(usize) -> Option<Dropout>,
) -> Vec<Unit> {
    let target = (documents.tokens().len() / sizes.units.max(1)).clamp(1, sizes.most_rows);
    let mut units: Vec<Unit> = Vec::new();
    for index in documents.longest_first() {
        let length = documents.document(index).len();
        let fits = units.last().is_some_and(|unit| unit.rows + length / 2 < target);
        if !fits {
            units.push(Unit::default());
        }
        if let Some(unit) = units.last_mut() {
            let vectors = match take {
                Take::Vectors => index..index + 1,
                Take::Rows(picked) => picked.range(index),
            };
            let dropout = dropout(index);
            let (start, weights, columns, positions) = (0, 0, length, None);
            unit.push(shape, Member { index, start, length, columns, positions, weights, vectors, dropout });
        }
    }
    for unit in &mut units {
        unit.rows = unit.rows.max(FEWEST_ROWS);
        unit.want(shape, take);
    }
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
        let sizes = Sizes { units: 32, most_rows: 512 };
        let units = units(&packed, &shape, sizes, Take::Vectors, |_| None);
        let mut found: Vec<usize> =
            units.iter().flat_map(|unit| unit.documents.iter().map(|each| each.index)).collect();
        found.sort_unstable();
        assert_eq!(found, (0..120).collect::<Vec<_>>());
        assert!((24..=40).contains(&units.len()), "{}", units.len());
        assert!(units.iter().all(|unit| unit.rows < 700));
        let second = &units[0].documents[1];
        assert_eq!((second.start, second.weights), (198, 4 * 198 * 198));
    }
}
