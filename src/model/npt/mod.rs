//! The NPT encoder for the CPU: explicit forward and backward passes over documents laid end to end.
//!
//! A thread takes a few whole documents, a unit, through all layers, so nothing is padded, activations stay in
//! its cache, and a vector depends on its document alone, to the bit. Only the gradients of the weights are shared:
//! they are summed over a fixed number of lanes, each a fixed list of units, whatever the threads.

mod backward;
mod first;
mod forward;
mod tape;
mod unit;

use rayon::prelude::*;

use super::{
    Gradients, ModelError, NptShape, Packed, Weights, gradients::LANES, kernels::elementwise, random::Dropout,
};
use {backward::BackwardScratch, first::FirstProjection, forward::ForwardScratch, tape::Tape, unit::Unit};

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
    units: Vec<(Unit, Tape)>,
}

/// Encodes documents, keeping what [`backward`] needs.
pub fn encode(weights: &Weights, documents: &Packed, mode: Mode) -> Result<(Vectors, Saved), ModelError> {
    let units = units(weights, documents, unit::FOR_TRAINING, mode)?;
    let first = FirstProjection::new(weights, documents);
    let run = |scratch: &mut ForwardScratch, unit: Unit| {
        let mut vectors = Vec::new();
        let deliver = |_, vector: &[f32]| vectors.extend(vector);
        let tape = forward::forward_saving(weights, documents, &first, &unit, scratch, deliver);
        (unit, tape, vectors)
    };
    let done: Vec<(Unit, Tape, Vec<f32>)> =
        units.into_par_iter().with_max_len(1).map_init(ForwardScratch::default, run).collect();
    let (mut vectors, mut units) = (Vectors::zeros(documents.len(), weights.shape().width), Vec::new());
    for (unit, tape, rows) in done {
        vectors.place(&unit, &rows);
        units.push((unit, tape));
    }
    Ok((vectors, Saved { documents: documents.clone(), units }))
}

/// Encodes documents to the same bits as [`encode`], in the memory of one unit a thread.
pub fn encode_only(weights: &Weights, documents: &Packed, mode: Mode) -> Result<Vectors, ModelError> {
    let units = units(weights, documents, unit::FOR_READING, mode)?;
    let first = FirstProjection::new(weights, documents);
    let run = |scratch: &mut ForwardScratch, unit: &Unit| {
        let mut vectors = Vec::new();
        forward::forward(weights, documents, &first, unit, scratch, |_, vector| vectors.extend(vector));
        vectors
    };
    let done: Vec<Vec<f32>> =
        units.par_iter().with_max_len(1).map_init(ForwardScratch::default, run).collect();
    let mut vectors = Vectors::zeros(documents.len(), weights.shape().width);
    units.iter().zip(done).for_each(|(unit, rows)| vectors.place(unit, &rows));
    Ok(vectors)
}

/// Adds to the gradients what the gradients of a forward pass's vectors imply for every weight.
pub fn backward(
    weights: &Weights,
    saved: Saved,
    vectors: &Vectors,
    gradients: &mut Gradients,
) -> Result<(), ModelError> {
    let Saved { documents, units } = saved;
    if vectors.len() != documents.len() {
        return Err(ModelError::VectorGradients { expected: documents.len(), found: vectors.len() });
    }
    let width = vectors.width;
    let mut words = vec![0.0; documents.tokens().len() * width];
    let mut lanes = deal(units, documents.split_rows(&mut words, width));
    let count = lanes.len();
    lanes.par_iter_mut().zip(gradients.lanes(count)).with_max_len(1).for_each(|(lane, sums)| {
        sums.fill(0.0);
        let mut scratch = BackwardScratch::default();
        for Job { unit, tape, words } in lane.drain(..) {
            scratch.run(weights, &documents, &unit, &tape, vectors, sums);
            for (document, words) in unit.documents.iter().zip(words) {
                words.copy_from_slice(scratch.words(document, width));
            }
        }
    });
    gradients.add_lanes(count);
    gradients.words.add(documents.tokens(), &words);
    Ok(())
}

impl Vectors {
    /// Puts a unit's vectors where their documents are in the batch.
    fn place(&mut self, unit: &Unit, rows: &[f32]) {
        for (document, row) in unit.documents.iter().zip(rows.chunks_exact(self.width)) {
            self.values[document.index * self.width..][..self.width].copy_from_slice(row);
        }
    }
}

fn units(
    weights: &Weights,
    documents: &Packed,
    most_rows: usize,
    mode: Mode,
) -> Result<Vec<Unit>, ModelError> {
    documents.check(weights.shape())?;
    let dropout = |index| dropout(weights, documents, index, mode);
    Ok(unit::units(documents, weights.shape(), (2 * LANES, most_rows), dropout))
}

/// The lengths of the documents of each unit of a training step, for those who measure.
pub(super) fn unit_lengths(documents: &Packed, shape: &NptShape) -> Vec<Vec<usize>> {
    let units = unit::units(documents, shape, (2 * LANES, unit::FOR_TRAINING), |_| None);
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

/// Deals the units out to lanes of about equal work: each, the largest first, to the lightest lane.
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
