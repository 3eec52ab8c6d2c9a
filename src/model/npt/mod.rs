//! The encoder for the CPU: explicit forward and backward passes over documents laid end to end.
//!
//! A thread takes a few whole documents (a unit) through all layers, so nothing is padded, activations stay in
//! its cache, and a vector depends on its document alone, to the bit. The last layer computes only the rows that are
//! used: for a BERT, the first tokens or the masked ones. Only the gradients of the weights are shared.
//! Those of a small model are summed over a fixed number of lanes, each a fixed list of units, whatever the number of
//! threads. A lane is as large as the model, so a large model (BERT base has 86 million dense weights) backpropagates layer
//! by layer instead: all units, then the layer's weights, of which each thread sums some rows over all units in order.

mod backward;
mod first;
mod forward;
mod network;
mod tape;
mod unit;

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::{
    EncoderShape, Family, Gradients, ModelError, Packed, Picked, Weights, bert::pooler, gradients::LANES,
    kernels::elementwise, random::Dropout, windows,
};
use {
    backward::{BackwardScratch, Contribution},
    forward::ForwardScratch,
    network::BackwardNetwork,
    network::Network,
    tape::Tape,
    unit::Sizes,
};
pub(super) use {
    tape::{NormTape, fit},
    unit::{FEWEST_ROWS, Unit},
};

/// Whether dropout is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Evaluate,
    /// Dropout by the step's seed and each document's key: the same two give the same masks again.
    Train {
        step_seed: u64,
    },
}

/// One vector per document.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    pub width: usize,
    pub values: Vec<f32>,
}

impl Vectors {
    pub fn zeros(count: usize, width: usize) -> Self {
        Self { width, values: vec![0.0; count * width] }
    }

    pub fn len(&self) -> usize {
        self.values.len() / self.width
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn row(&self, index: usize) -> &[f32] {
        &self.values[index * self.width..][..self.width]
    }
}

/// The requested output of the last layer.
#[derive(Debug, Clone, Copy)]
pub enum Take<'a> {
    /// One vector per document.
    Vectors,
    /// The vectors of some tokens.
    Rows(&'a Picked),
}

impl Take<'_> {
    /// The number of vectors.
    fn count(self, documents: &Packed) -> usize {
        match self {
            Take::Vectors => documents.len(),
            Take::Rows(picked) => picked.len(),
        }
    }
}

/// What a forward pass keeps for the backward pass.
#[derive(Debug, Default)]
pub struct Saved {
    documents: Packed,
    picked: Option<Picked>,
    units: Vec<(Unit, Tape)>,
    /// The input and the output of a pooler.
    pooled: Option<[Vectors; 2]>,
    /// The whole tape of a bag of windows.
    bag: Option<windows::Bag>,
}

/// Encodes documents, keeping what [`backward`] needs.
pub fn encode(weights: &Weights, documents: &Packed, mode: Mode) -> Result<(Vectors, Saved), ModelError> {
    if weights.shape().family == Family::Windows {
        let (vectors, bag) = windows::encode(weights, documents, mode)?;
        return Ok((vectors, Saved { bag: Some(bag), ..Saved::default() }));
    }
    let (mut vectors, mut saved) = encode_taking(weights, documents, Take::Vectors, mode)?;
    if let Some(ranges) = &weights.layout().pooler {
        let pooled = pooler::forward(weights, ranges, &vectors);
        saved.pooled = Some([vectors, pooled.clone()]);
        vectors = pooled;
    }
    Ok((vectors, saved))
}

/// The last layer's vectors of some tokens, and what [`backward`] needs.
pub fn encode_tokens(
    weights: &Weights,
    documents: &Packed,
    picked: &Picked,
    mode: Mode,
) -> Result<(Vectors, Saved), ModelError> {
    let (vectors, mut saved) = encode_taking(weights, documents, Take::Rows(picked), mode)?;
    saved.picked = Some(picked.clone());
    Ok((vectors, saved))
}

/// The same vectors as [`encode_tokens`], in the memory of one unit per thread.
pub fn encode_tokens_only(
    weights: &Weights,
    documents: &Packed,
    picked: &Picked,
    mode: Mode,
) -> Result<Vectors, ModelError> {
    encode_only_taking(weights, documents, Take::Rows(picked), mode)
}

/// Encodes documents to the same bits as [`encode`], in the memory of one unit per thread.
pub fn encode_only(weights: &Weights, documents: &Packed, mode: Mode) -> Result<Vectors, ModelError> {
    if weights.shape().family == Family::Windows {
        return windows::encode_only(weights, documents, mode);
    }
    let vectors = encode_only_taking(weights, documents, Take::Vectors, mode)?;
    Ok(match &weights.layout().pooler {
        Some(ranges) => pooler::forward(weights, ranges, &vectors),
        None => vectors,
    })
}

fn encode_taking(
    weights: &Weights,
    documents: &Packed,
    take: Take,
    mode: Mode,
) -> Result<(Vectors, Saved), ModelError> {
    let units = units(weights, documents, take, Sizes::for_training(), mode)?;
    let network = Network::new(weights, documents);
    let run = |scratch: &mut ForwardScratch, unit: Unit| {
        let mut vectors = Vec::new();
        let deliver = |vector: &[f32]| vectors.extend(vector);
        let tape = forward::forward_saving(&network, documents, &unit, scratch, deliver);
        (unit, tape, vectors)
    };
    let pool = Pool::default();
    let done: Vec<(Unit, Tape, Vec<f32>)> =
        units.into_par_iter().with_max_len(1).map(|unit| pool.lend(|scratch| run(scratch, unit))).collect();
    let mut vectors = Vectors::zeros(take.count(documents), weights.shape().width);
    let mut units = Vec::new();
    for (unit, tape, rows) in done {
        vectors.place(&unit, &rows);
        units.push((unit, tape));
    }
    Ok((vectors, Saved { documents: documents.clone(), units, ..Saved::default() }))
}

fn encode_only_taking(
    weights: &Weights,
    documents: &Packed,
    take: Take,
    mode: Mode,
) -> Result<Vectors, ModelError> {
    let units = units(weights, documents, take, Sizes::for_reading(weights.products()), mode)?;
    let network = Network::new(weights, documents);
    let run = |scratch: &mut ForwardScratch, unit: &Unit| {
        let mut vectors = Vec::new();
        let deliver = |vector: &[f32]| vectors.extend(vector);
        forward::forward(&network, documents, unit, scratch, deliver);
        vectors
    };
    let pool = Pool::default();
    let done: Vec<Vec<f32>> =
        units.par_iter().with_max_len(1).map(|unit| pool.lend(|scratch| run(scratch, unit))).collect();
    let mut vectors = Vectors::zeros(take.count(documents), weights.shape().width);
    units.iter().zip(done).for_each(|(unit, rows)| vectors.place(unit, &rows));
    Ok(vectors)
}

/// Backpropagates the gradients of a forward pass's vectors to every weight.
pub fn backward(
    weights: &Weights,
    saved: Saved,
    vectors: &Vectors,
    gradients: &mut Gradients,
) -> Result<(), ModelError> {
    if let Some(bag) = &saved.bag {
        return windows::backward(weights, bag, vectors, gradients);
    }
    let way = if is_large(weights) { Way::Layers } else { Way::Lanes };
    backward_by(way, weights, saved, vectors, gradients)
}

/// How the gradients of the weights are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Lanes,
    Layers,
}

pub(super) fn backward_by(
    way: Way,
    weights: &Weights,
    saved: Saved,
    vectors: &Vectors,
    gradients: &mut Gradients,
) -> Result<(), ModelError> {
    let Saved { documents, picked, units, pooled, bag: _ } = saved;
    let take = picked.as_ref().map_or(Take::Vectors, Take::Rows);
    if vectors.len() != take.count(&documents) {
        return Err(ModelError::VectorGradients { expected: take.count(&documents), found: vectors.len() });
    }
    let by_first = match (&weights.layout().pooler, &pooled) {
        (Some(ranges), Some([first, pooled])) => {
            Some(pooler::backward(weights, ranges, first, pooled, vectors, gradients))
        }
        _ => None,
    };
    let vectors = by_first.as_ref().unwrap_or(vectors);
    let network = BackwardNetwork::new(weights);
    let pass = Pass { network: &network, weights, documents: &documents, vectors };
    let mut words = vec![0.0; documents.tokens().len() * weights.shape().width];
    match way {
        Way::Lanes => pass.by_lanes(units, &mut words, gradients),
        Way::Layers => pass.by_layers(units, &mut words, gradients),
    }
    if gradients.frozen_layers == 0 {
        gradients.words.add(documents.tokens(), &words);
    }
    Ok(())
}

/// A backward pass over a batch.
struct Pass<'a> {
    network: &'a BackwardNetwork<'a>,
    weights: &'a Weights,
    documents: &'a Packed,
    vectors: &'a Vectors,
}

impl Pass<'_> {
    fn by_lanes(&self, units: Vec<(Unit, Tape)>, words: &mut [f32], gradients: &mut Gradients) {
        let (width, frozen) = (self.weights.shape().width, gradients.frozen_layers);
        let mut lanes = deal(units, self.documents.split_rows(words, width));
        let (count, pool) = (lanes.len(), Pool::<BackwardScratch>::default());
        lanes.par_iter_mut().zip(gradients.lanes(count)).with_max_len(1).for_each(|(lane, sums)| {
            sums.fill(0.0);
            for Job { unit, tape, words } in lane.drain(..) {
                pool.lend(|scratch| {
                    let (documents, vectors) = (self.documents, self.vectors);
                    scratch.run(self.network, documents, &unit, &tape, vectors, frozen, sums);
                    for (document, words) in unit.documents.iter().zip(words).filter(|_| frozen == 0) {
                        words.copy_from_slice(scratch.words(document, width));
                    }
                });
            }
        });
        gradients.add_lanes(count);
    }

    fn by_layers(&self, units: Vec<(Unit, Tape)>, words: &mut [f32], gradients: &mut Gradients) {
        let (weights, shape) = (self.weights, self.weights.shape());
        let mut works: Vec<(Unit, Tape, BackwardScratch)> =
            units.into_iter().map(|(unit, tape)| (unit, tape, BackwardScratch::default())).collect();
        works.par_iter_mut().with_max_len(1).for_each(|(unit, tape, scratch)| {
            scratch.start(shape, unit, tape, self.vectors);
        });
        for layer in (gradients.frozen_layers..shape.layers).rev() {
            works.par_iter_mut().with_max_len(1).for_each(|(unit, tape, scratch)| {
                scratch.layer(self.network, self.documents, layer, unit, tape);
            });
            self.sum_layer(layer, &works, &mut gradients.dense);
            // the tape of the layers above is no longer needed
            works.iter_mut().for_each(|(_, tape, _)| tape.layers.truncate(layer));
        }
        if gradients.frozen_layers > 0 {
            return;
        }
        let mut words: Vec<Option<&mut [f32]>> =
            self.documents.split_rows(words, shape.width).into_iter().map(Some).collect();
        for (unit, tape, mut scratch) in works {
            scratch.finish(weights, &unit, &tape, &mut gradients.dense);
            for document in &unit.documents {
                if let Some(words) = words[document.index].take() {
                    words.copy_from_slice(scratch.words(document, shape.width));
                }
            }
        }
    }

    /// Sums the gradients of one layer's weights over all units, in the order of the units.
    fn sum_layer(&self, layer: usize, works: &[(Unit, Tape, BackwardScratch)], dense: &mut [f32]) {
        /// Rows of a weight that one thread sums at a time.
        const ROWS: usize = 192;
        let parts: Vec<_> = works
            .iter()
            .map(|(unit, tape, scratch)| {
                scratch.contributions(self.weights, layer, unit, &tape.layers[layer])
            })
            .collect();
        let Some(first) = parts.first() else { return };
        // each input is read by all tasks of its weight
        let packed: Vec<Vec<_>> =
            parts.par_iter().map(|unit| unit.iter().map(Contribution::packed_input).collect()).collect();
        let mut tasks = Vec::new();
        let (mut rest, mut start) = (&mut *dense, 0);
        for (which, part) in first.iter().enumerate() {
            let (_, from) = rest.split_at_mut(part.weight.start - start);
            let (weight, after) = from.split_at_mut(part.weight.len());
            (rest, start) = (after, part.weight.end);
            let pieces = weight.chunks_mut(ROWS * part.inputs()).enumerate();
            tasks.extend(pieces.map(|(block, sums)| (which, block * ROWS, sums)));
        }
        tasks.into_par_iter().with_max_len(1).for_each(|(which, start, sums)| {
            for (part, packed) in parts.iter().map(|unit| &unit[which]).zip(&packed) {
                let rows = start..start + sums.len() / part.inputs();
                part.add_weight(rows, packed[which].as_ref(), sums);
            }
        });
        for part in parts.iter().flatten() {
            part.add_bias(&mut dense[part.bias.clone()]);
        }
        for (_, _, scratch) in works {
            scratch.add_norms(&self.weights.layout().layers[layer], dense);
        }
    }
}

/// Buffers that are reused between units: rayon would allocate new ones for every unit, and the operating system zeroes
/// fresh memory.
#[derive(Default)]
struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    fn lend<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lent = free().pop().unwrap_or_default();
        let result = work(&mut lent);
        free().push(lent);
        result
    }
}

impl Vectors {
    /// Copies a unit's vectors to the positions of their documents in the batch.
    fn place(&mut self, unit: &Unit, mut rows: &[f32]) {
        for document in &unit.documents {
            let (own, rest) = rows.split_at(document.vectors.len() * self.width);
            self.values[document.vectors.start * self.width..][..own.len()].copy_from_slice(own);
            rows = rest;
        }
    }
}

/// Lanes of more values than this would take more memory than everything else.
const MOST_LANE_VALUES: usize = 1 << 22;

fn is_large(weights: &Weights) -> bool {
    weights.dense.len() > MOST_LANE_VALUES
}

fn units(
    weights: &Weights,
    documents: &Packed,
    take: Take,
    sizes: Sizes,
    mode: Mode,
) -> Result<Vec<Unit>, ModelError> {
    documents.check(weights.shape())?;
    if let Take::Rows(picked) = take {
        if weights.layout().embedding.is_none() {
            return Err(ModelError::Head("vectors of tokens"));
        }
        if !picked.fits(documents) {
            return Err(ModelError::Picked);
        }
    }
    let dropout = |index| dropout(weights, documents, index, mode);
    Ok(unit::units(documents, weights.shape(), sizes, take, dropout))
}

/// The lengths of the documents of each unit of a training step, for benchmarks.
pub(super) fn unit_lengths(documents: &Packed, shape: &EncoderShape) -> Vec<Vec<usize>> {
    let units = unit::units(documents, shape, Sizes::for_training(), Take::Vectors, |_| None);
    units.iter().map(|unit| unit.documents.iter().map(|document| document.length).collect()).collect()
}

fn dropout(weights: &Weights, documents: &Packed, index: usize, mode: Mode) -> Option<Dropout> {
    let share = weights.shape().dropout;
    match mode {
        Mode::Train { step_seed } if share > 0.0 => {
            Some(Dropout::new(share, step_seed, documents.key(index)))
        }
        _ => None,
    }
}

/// One unit's backward pass.
struct Job<'a> {
    unit: Unit,
    tape: Tape,
    /// Receive the gradients of the documents' word vectors.
    words: Vec<&'a mut [f32]>,
}

/// Distributes units over lanes of about equal work: each unit, largest first, goes to the lightest lane.
fn deal<'a>(units: Vec<(Unit, Tape)>, words: Vec<&'a mut [f32]>) -> Vec<Vec<Job<'a>>> {
    let mut words: Vec<Option<&mut [f32]>> = words.into_iter().map(Some).collect();
    let mut jobs: Vec<Job> = Vec::new();
    for (unit, tape) in units {
        let words = unit.documents.iter().filter_map(|document| words[document.index].take()).collect();
        jobs.push(Job { unit, tape, words });
    }
    jobs.sort_by_key(|job| std::cmp::Reverse(job.unit.rows));
    let count = LANES.min(jobs.len());
    let (mut lanes, mut loads) = (Vec::new(), vec![0; count]);
    lanes.resize_with(count, Vec::new);
    for job in jobs {
        let lightest = (0..count).min_by_key(|&lane| (loads[lane], lane)).unwrap_or_default();
        loads[lightest] += job.unit.rows;
        lanes[lightest].push(job);
    }
    lanes
}

/// Adds slices of lanes in order, on all threads.
pub(super) fn add_in_order(sum: &mut [f32], lanes: &[Vec<f32>]) {
    const PIECE: usize = 16_384;
    sum.par_chunks_mut(PIECE).enumerate().for_each(|(piece, sum)| {
        for lane in lanes {
            elementwise::add(sum, &lane[piece * PIECE..][..sum.len()]);
        }
    });
}

/// The dropout sites of the network; all must differ.
mod site {
    pub fn head(layer: usize, head: usize) -> u64 {
        (layer as u64) << 32 | head as u64
    }

    pub fn attention(layer: usize) -> u64 {
        (layer as u64) << 32 | 1 << 30
    }

    pub fn feed(layer: usize) -> u64 {
        (layer as u64) << 32 | 1 << 31
    }

    pub fn embedding() -> u64 {
        1 << 29
    }
}

pub(super) use site::{
    attention as attention_site, embedding as embedding_site, feed as feed_site, head as head_site,
};
