//! The NPT encoder for the CPU: explicit forward and backward passes over documents laid end to end.
//!
//! A thread takes a whole document through all layers, so nothing is padded, activations stay in its cache,
//! and a vector depends on its document alone, to the bit. Only the gradients of the weights are shared:
//! they are summed over a fixed number of lanes, each a fixed list of documents, whatever the threads.

mod backward;
mod forward;
mod tape;

use rayon::prelude::*;

use super::{
    Gradients, ModelError, Packed, Weights, gradients::LANES, kernels::elementwise, random::Dropout,
};
use {backward::BackwardScratch, forward::ForwardScratch, tape::Tape};

/// Whether dropout drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Evaluate,
    /// Dropout by the step's seed and each document's key: the same two give the same masks again.
    Train {
        step_seed: u64,
    },
}

/// One vector a document.
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

/// What a forward pass keeps for the backward pass.
#[derive(Debug)]
pub struct Saved {
    documents: Packed,
    mode: Mode,
    tapes: Vec<Tape>,
}

/// Encodes documents, keeping what [`backward`] needs.
pub fn encode(weights: &Weights, documents: &Packed, mode: Mode) -> Result<(Vectors, Saved), ModelError> {
    documents.check(weights.shape())?;
    let width = weights.shape().width;
    let (mut vectors, mut tapes) = (Vectors::zeros(documents.len(), width), Vec::new());
    tapes.resize_with(documents.len(), Tape::default);
    let rows = vectors.values.chunks_exact_mut(width).zip(&mut tapes);
    each_longest_first(documents, rows.collect(), |scratch, index, (vector, tape)| {
        let dropout = dropout(weights, documents, index, mode);
        *tape = forward::forward_saving(weights, documents.document(index), dropout, scratch, vector);
    });
    Ok((vectors, Saved { documents: documents.clone(), mode, tapes }))
}

/// Encodes documents to the same bits as [`encode`], in the memory of one document a thread.
pub fn encode_only(weights: &Weights, documents: &Packed, mode: Mode) -> Result<Vectors, ModelError> {
    documents.check(weights.shape())?;
    let width = weights.shape().width;
    let mut vectors = Vectors::zeros(documents.len(), width);
    let rows = vectors.values.chunks_exact_mut(width);
    each_longest_first(documents, rows.collect(), |scratch, index, vector| {
        let dropout = dropout(weights, documents, index, mode);
        forward::forward(weights, documents.document(index), dropout, scratch, vector);
    });
    Ok(vectors)
}

/// Adds to the gradients what the gradients of a forward pass's vectors imply for every weight.
pub fn backward(
    weights: &Weights,
    saved: Saved,
    vectors: &Vectors,
    gradients: &mut Gradients,
) -> Result<(), ModelError> {
    let Saved { documents, mode, tapes } = saved;
    if vectors.len() != documents.len() {
        return Err(ModelError::VectorGradients { expected: documents.len(), found: vectors.len() });
    }
    let mut words = vec![0.0; documents.tokens().len() * vectors.width];
    let mut lanes = deal(&documents, &mut words, tapes, vectors.width);
    let sums = gradients.lanes(lanes.len());
    lanes.par_iter_mut().zip(&mut *sums).with_max_len(1).for_each(|(lane, sums)| {
        sums.fill(0.0);
        let mut scratch = BackwardScratch::default();
        for Job { index, tape, words } in lane.drain(..) {
            scratch.run(
                weights,
                documents.document(index),
                dropout(weights, &documents, index, mode),
                &tape,
                vectors.row(index),
                sums,
                words,
            );
        }
    });
    gradients.add_lanes();
    gradients.words.add(documents.tokens(), &words);
    Ok(())
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

/// Runs a task for each document on all threads, with one scratch a thread.
fn each_longest_first<T: Send>(
    documents: &Packed,
    outputs: Vec<T>,
    task: impl Fn(&mut ForwardScratch, usize, T) + Sync,
) {
    let mut outputs: Vec<Option<T>> = outputs.into_iter().map(Some).collect();
    let order = documents.longest_first();
    let mut jobs: Vec<(usize, T)> =
        order.into_iter().filter_map(|index| Some((index, outputs[index].take()?))).collect();
    jobs.par_drain(..).with_max_len(1).for_each_init(ForwardScratch::default, |scratch, (index, output)| {
        task(scratch, index, output);
    });
}

/// One document's backward pass.
struct Job<'a> {
    index: usize,
    tape: Tape,
    /// Receives the gradient of the document's word vectors.
    words: &'a mut [f32],
}

/// Deals the documents out to lanes of about equal work: each, the longest first, to the shortest lane.
fn deal<'a>(documents: &Packed, words: &'a mut [f32], tapes: Vec<Tape>, width: usize) -> Vec<Vec<Job<'a>>> {
    let (mut rest, mut jobs) = (words, Vec::new());
    for (index, tape) in tapes.into_iter().enumerate() {
        let (words, others) = rest.split_at_mut(documents.document(index).len() * width);
        jobs.push(Some(Job { index, tape, words }));
        rest = others;
    }
    let count = LANES.min(documents.len());
    let (mut lanes, mut loads) = (Vec::new(), vec![0; count]);
    lanes.resize_with(count, Vec::new);
    for index in documents.longest_first() {
        let lightest = (0..count).min_by_key(|&lane| (loads[lane], lane)).unwrap_or_default();
        loads[lightest] += documents.document(index).len();
        lanes[lightest].extend(jobs[index].take());
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

/// The places where dropout drops; all must differ.
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
}

pub(super) use site::{attention as attention_site, feed as feed_site, head as head_site};
