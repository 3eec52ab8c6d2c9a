//! Work to be measured: training steps on drawn documents, and the matrix products of such a step alone.

use std::{hint::black_box, time::Instant};

use rayon::prelude::*;

use super::{
    Gradients, Mode, ModelError, NptShape, Objective, Packed, Weights,
    kernels::product::{Output, View, ViewMut, product},
    random::Stream,
    step,
};

/// A model in training by plain descent.
pub struct Trainer {
    weights: Weights,
    gradients: Gradients,
    steps: u64,
}

impl Trainer {
    pub fn new(shape: &NptShape) -> Result<Self, ModelError> {
        let weights = Weights::new(shape, 1)?;
        Ok(Self { gradients: Gradients::new(&weights), weights, steps: 0 })
    }

    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Forward, loss, backward, update.
    pub fn step(&mut self, batch: &Packed) -> Result<f32, ModelError> {
        self.steps += 1;
        self.gradients.clear();
        let mode = Mode::Train { step_seed: self.steps };
        let loss = step(&self.weights, batch, Objective::Local, mode, None, &mut self.gradients)?;
        descend(&mut self.weights, &self.gradients, 5e-3);
        Ok(loss.value)
    }
}

/// Documents of given lengths, with words drawn so that small numbers are frequent.
pub fn documents(lengths: &[usize], vocabulary: usize, seed: u64) -> Packed {
    let stream = Stream::named(seed, "documents");
    let (mut packed, mut drawn) = (Packed::new(), 0);
    for (key, &length) in lengths.iter().enumerate() {
        let tokens: Vec<u32> = (0..length)
            .map(|_| {
                drawn += 1;
                // the inverse of a Zipf law's distribution function, nearly
                ((vocabulary as f64).powf(stream.uniform(drawn)) as u32).clamp(1, vocabulary as u32 - 1)
            })
            .collect();
        packed.push(key as u64, &tokens);
    }
    packed
}

/// Lengths as in the paper's corpus, cut to 20..=200: `pairs` statements, then as many proofs.
pub fn paper_lengths(pairs: usize, seed: u64) -> Vec<usize> {
    let stream = Stream::named(seed, "lengths");
    let sides = std::iter::repeat_n((80.0, 57.0), pairs).chain(std::iter::repeat_n((210.0, 127.0), pairs));
    sides
        .enumerate()
        .map(|(index, (mean, deviation))| {
            (mean + deviation * stream.normal(index as u64)).clamp(20.0, 200.0) as usize
        })
        .collect()
}

/// This machine's peak, in operations a second: products that fit the cache, on all threads at once.
pub fn peak() -> f64 {
    const SIDE: usize = 512;
    let threads = rayon::current_num_threads();
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        (0..threads * 4).into_par_iter().with_max_len(1).for_each(|_| {
            let (left, mut out) = (vec![0.5; SIDE * SIDE], vec![0.0; SIDE * SIDE]);
            let view = View::new(&left, SIDE, SIDE, SIDE);
            for _ in 0..8 {
                product(ViewMut::new(&mut out, SIDE, SIDE, SIDE), Output::Replaced, 1.0, view, view);
            }
            black_box(&out);
        });
        best = best.min(start.elapsed().as_secs_f64());
    }
    (threads * 32) as f64 * 2.0 * (SIDE as f64).powi(3) / best
}

fn descend(weights: &mut Weights, gradients: &Gradients, rate: f32) {
    let width = weights.shape().width;
    weights.dense.iter_mut().zip(&gradients.dense).for_each(|(weight, gradient)| *weight -= rate * gradient);
    for (word, gradient) in gradients.words.iter() {
        let row = &mut weights.words[word as usize * width..][..width];
        row.iter_mut().zip(gradient).for_each(|(weight, gradient)| *weight -= rate * gradient);
    }
}

/// Rows, columns and inner size of the products that a document of this length needs in one forward pass,
/// with how often each is done.
fn forward_products(shape: &NptShape, length: usize) -> Vec<(usize, [usize; 3])> {
    let (width, values) = (shape.width, shape.values());
    vec![
        (1, [length, shape.projected(), width]),
        (shape.heads, [length, length, shape.key]),
        (shape.heads, [length, shape.value, length]),
        (1, [length, width, values]),
        (1, [length, shape.feed_forward, width]),
        (1, [length, width, shape.feed_forward]),
    ]
}

/// Floating-point operations of the products of a training step.
pub fn operations(shape: &NptShape, documents: &Packed) -> f64 {
    let one = |length: usize| -> f64 {
        let products = forward_products(shape, length).into_iter();
        products.map(|(times, size)| (times * size.iter().product::<usize>()) as f64).sum()
    };
    let forward: f64 = (0..documents.len()).map(|index| one(documents.document(index).len())).sum();
    // backward needs two products for each of forward's; each term is a multiplication and an addition
    2.0 * 3.0 * shape.layers as f64 * forward
}

/// The products of one training step, without anything else, on the same threads.
pub fn products(shape: &NptShape, documents: &Packed) {
    documents.longest_first().into_par_iter().with_max_len(1).for_each_init(Vec::new, |buffers, index| {
        for _ in 0..shape.layers {
            for (times, [rows, columns, inner]) in forward_products(shape, documents.document(index).len()) {
                for _ in 0..times {
                    three_products(buffers, rows, columns, inner);
                }
            }
        }
    });
}

/// A product and the two of its gradient.
fn three_products(buffers: &mut Vec<Vec<f32>>, rows: usize, columns: usize, inner: usize) {
    buffers.resize(3, Vec::new());
    let [out, left, right] = &mut buffers[..] else { return };
    for (buffer, size) in
        [(&mut *out, rows * columns), (&mut *left, rows * inner), (&mut *right, inner * columns)]
    {
        buffer.resize(buffer.len().max(size), 0.5);
    }
    let run = |out: &mut [f32], output, rows, columns, left: View, right: View| {
        product(ViewMut::new(out, rows, columns, columns), output, 1e-9, left, right);
    };
    let weight = View::new(right, columns, inner, inner);
    run(out, Output::Replaced, rows, columns, View::new(left, rows, inner, inner), weight.transposed());
    let gradient = View::new(out, rows, columns, columns);
    run(right, Output::AddedTo, columns, inner, gradient.transposed(), View::new(left, rows, inner, inner));
    run(left, Output::AddedTo, rows, inner, gradient, View::new(right, columns, inner, inner));
}
