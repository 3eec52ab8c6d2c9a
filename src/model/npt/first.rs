//! The first layer's queries, keys and values, by word and by position.
//!
//! The first layer reads words plus positions, and its projection is linear: words and positions can be projected separately
//! and added. A batch repeats its words (a text in a corpus a few times each, the variants of an explanation thousands of
//! times), so the largest product of the layer is computed once per word instead of once per token.
//! A sum of two rows does not depend on the batch, so neither does a document's vector.

use rayon::prelude::*;

use super::{
    super::{
        Packed,
        kernels::product::{Output, View, ViewMut},
    },
    network::{Dense, Network},
    unit::Unit,
};

/// Rows that one thread projects at a time.
const BLOCK: usize = 256;
/// Products of fewer than 17 rows round differently (see [`super::unit`]); blocks are multiples of this.
const STEP: usize = 32;

/// The projections of every word and every position of a batch.
#[derive(Debug)]
pub struct FirstProjection {
    columns: usize,
    /// The start of each word's row in `words`, for the words in use.
    places: Vec<u32>,
    /// With the bias.
    words: Vec<f32>,
    positions: Vec<f32>,
}

impl FirstProjection {
    pub fn new(network: &Network, documents: &Packed) -> FirstProjection {
        let weights = network.weights;
        let (shape, width) = (weights.shape(), weights.shape().width);
        let columns = shape.projected();
        let mut places = vec![u32::MAX; shape.vocabulary];
        let mut used = Vec::new();
        for &token in documents.tokens() {
            let place = &mut places[token as usize];
            if *place == u32::MAX {
                *place = used.len() as u32;
                used.push(token as usize);
            }
        }
        let longest =
            (0..documents.len()).map(|index| documents.document(index).len()).max().unwrap_or_default();
        let Some(ranges) = weights.layout().layers.first() else {
            return FirstProjection { columns, places, words: vec![], positions: vec![] };
        };
        let bias = &weights.dense[ranges.project_bias.clone()];
        let words = project(network, used.len(), Some(bias), |row, out| {
            out.copy_from_slice(&weights.words[used[row] * width..][..width]);
        });
        let positions = project(network, longest, None, |row, out| {
            out.copy_from_slice(&weights.positions()[row * width..][..width]);
        });
        FirstProjection { columns, places, words, positions }
    }

    /// Fills a unit's rows, and zeros padding rows.
    pub fn fill(&self, documents: &Packed, unit: &Unit, projected: &mut [f32]) {
        let columns = self.columns;
        projected[unit.tokens() * columns..].fill(0.0);
        for document in &unit.documents {
            let tokens = documents.document(document.index);
            let rows = projected[document.part(columns)].chunks_exact_mut(columns);
            for ((row, &token), position) in rows.zip(tokens).zip(self.positions.chunks_exact(columns)) {
                let word = &self.words[self.places[token as usize] as usize * columns..][..columns];
                for (value, (word, position)) in row.iter_mut().zip(word.iter().zip(position)) {
                    *value = word + position;
                }
            }
        }
    }
}

/// Projects `count` rows, which `read` provides.
fn project(
    network: &Network,
    count: usize,
    bias: Option<&[f32]>,
    read: impl Fn(usize, &mut [f32]) + Sync,
) -> Vec<f32> {
    let shape = network.weights.shape();
    let (width, columns) = (shape.width, shape.projected());
    let weight = network.matrix(0, Dense::Project, 0..columns);
    let mut out = vec![0.0; count.next_multiple_of(STEP) * columns];
    out.par_chunks_mut(BLOCK * columns).enumerate().for_each_init(Vec::new, |input, (block, out)| {
        let rows = out.len() / columns;
        input.clear();
        input.resize(rows * width, 0.0);
        let wanted = (count - block * BLOCK).min(rows);
        for (row, input) in input.chunks_exact_mut(width).take(wanted).enumerate() {
            read(block * BLOCK + row, input);
        }
        let left = View::new(input, rows, width, width);
        let products = network.weights.products();
        match bias {
            Some(bias) => products.dense(out, left, weight, bias, false),
            None => {
                let target = ViewMut::new(out, rows, columns, columns);
                products.multiply(target, Output::Replaced, 1.0, left, weight);
            }
        }
    });
    out
}
