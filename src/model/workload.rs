//! Workloads for benchmarks: training steps on random documents, and the matrix products of such a step alone.

use std::{hint::black_box, time::Instant};

use rayon::prelude::*;

use super::{
    Gradients, Mode, ModelError, NptShape, Objective, Packed, Precision, Weights,
    kernels::{
        bf16::{PackedRight, Right},
        product::{Output, Products, View, ViewMut},
    },
    npt::unit_lengths,
    random::Stream,
    step,
};

/// A model trained by plain gradient descent.
pub struct Trainer {
    weights: Weights,
    gradients: Gradients,
    steps: u64,
}

impl Trainer {
    pub fn new(shape: &NptShape, precision: Precision) -> Result<Self, ModelError> {
        let mut weights = Weights::new(shape, 1)?;
        weights.set_precision(precision);
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
                // approximately the inverse of a Zipf distribution function
                ((vocabulary as f64).powf(stream.uniform(drawn)) as u32).clamp(1, vocabulary as u32 - 1)
            })
            .collect();
        packed.push(key as u64, &tokens);
    }
    packed
}

/// Lengths as in the paper's corpus, clamped to 20..=200: `pairs` statements, then as many proofs.
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

/// This machine's peak in operations per second: fused multiply-adds on registers, on all threads at once.
pub fn peak(precision: Precision) -> f64 {
    const ROUNDS: u64 = 2_000_000;
    let threads = rayon::current_num_threads();
    let products = precision.products();
    let mut best: f64 = 0.0;
    for _ in 0..3 {
        let start = Instant::now();
        let operations: f64 = (0..threads)
            .into_par_iter()
            .with_max_len(1)
            .map(|_| match products {
                Products::F32 => pulp::Arch::new().dispatch(Spin { rounds: ROUNDS }),
                Products::Bf16(cpu) => cpu.spin(ROUNDS),
            })
            .sum();
        best = best.max(operations / start.elapsed().as_secs_f64());
    }
    best
}

/// Independent accumulators: enough to hide the latency of one operation on two units.
const CHAINS: usize = 12;

struct Spin {
    rounds: u64,
}

impl pulp::WithSimd for Spin {
    /// The number of operations.
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> f64 {
        let (factor, term) = (simd.splat_f32s(black_box(0.999)), simd.splat_f32s(black_box(0.5)));
        let mut sums = [term; CHAINS];
        for _ in 0..self.rounds {
            for sum in &mut sums {
                *sum = simd.mul_add_f32s(*sum, factor, term);
            }
        }
        black_box(sums.map(|sum| simd.reduce_sum_f32s(sum)));
        self.rounds as f64 * (2 * CHAINS * S::F32_LANES) as f64
    }
}

fn descend(weights: &mut Weights, gradients: &Gradients, rate: f32) {
    let width = weights.shape().width;
    weights.dense.iter_mut().zip(&gradients.dense).for_each(|(weight, gradient)| *weight -= rate * gradient);
    for (word, gradient) in gradients.words.iter() {
        let row = &mut weights.words[word as usize * width..][..width];
        row.iter_mut().zip(gradient).for_each(|(weight, gradient)| *weight -= rate * gradient);
    }
}

/// Columns and inner size of a layer's products over all rows of a unit; the first is that of queries, keys and values.
fn dense_products(shape: &NptShape) -> [[usize; 2]; 4] {
    let (width, values) = (shape.width, shape.values());
    [[shape.projected(), width], [width, values], [shape.feed_forward, width], [width, shape.feed_forward]]
}

/// Rows of the first layer's queries, keys and values, which are computed per word and per position.
fn first_rows(documents: &Packed) -> usize {
    let mut words = documents.tokens().to_vec();
    words.sort_unstable();
    words.dedup();
    let longest = (0..documents.len()).map(|index| documents.document(index).len()).max();
    words.len() + longest.unwrap_or_default()
}

/// Floating-point operations of the products of a training step.
pub fn operations(shape: &NptShape, documents: &Packed) -> f64 {
    let tokens = documents.tokens().len() as f64;
    let [projection, ..] = dense_products(shape).map(|size| size.iter().product::<usize>() as f64);
    let dense: f64 = dense_products(shape).iter().map(|size| size.iter().product::<usize>() as f64).sum();
    let square = |index: usize| documents.document(index).len().pow(2) as f64;
    let squares: f64 = (0..documents.len()).map(square).sum();
    let attention = squares * (shape.heads * (shape.key + shape.value)) as f64;
    // backward needs two products for each of forward's; each term is a multiplication and an addition
    let all = 3.0 * shape.layers as f64 * (tokens * dense + attention);
    2.0 * (all - (tokens - first_rows(documents) as f64) * projection)
}

/// The products of one training step, without anything else, on the same threads. As in a step, weights are packed once.
pub fn products(shape: &NptShape, documents: &Packed, precision: Precision) {
    let products = precision.products();
    let sizes: Vec<[usize; 2]> = (0..shape.layers).flat_map(|_| dense_products(shape)).collect();
    let packed: Vec<Option<PackedDense>> = sizes
        .into_par_iter()
        .with_max_len(1)
        .map(|[columns, inner]| PackedDense::new(products, columns, inner))
        .collect();
    let first = first_rows(documents).div_ceil(256);
    (0..first).into_par_iter().for_each_init(Default::default, |buffers, _| {
        let (columns, inner) = (shape.projected(), shape.width);
        let packed = packed.first().and_then(Option::as_ref);
        Triple { buffers, rows: 256, columns, inner, products, packed }.forward();
    });
    unit_lengths(documents, shape).into_par_iter().with_max_len(1).for_each_init(
        Default::default,
        |buffers, lengths| {
            for layer in 0..shape.layers {
                for (at, [columns, inner]) in dense_products(shape).into_iter().enumerate() {
                    let rows = lengths.iter().sum();
                    let packed = packed[layer * dense_products(shape).len() + at].as_ref();
                    let mut triple =
                        Triple { buffers: &mut *buffers, rows, columns, inner, products, packed };
                    if layer > 0 || at > 0 {
                        triple.forward();
                    }
                    triple.backward();
                }
                for &length in lengths.iter().flat_map(|length| std::iter::repeat_n(length, shape.heads)) {
                    for [columns, inner] in [[length, shape.key], [shape.value, length]] {
                        let (rows, packed) = (length, None);
                        let mut triple =
                            Triple { buffers: &mut *buffers, rows, columns, inner, products, packed };
                        triple.forward();
                        triple.backward();
                    }
                }
            }
        },
    );
}

/// Weights as both passes read them, if products are in bf16.
struct PackedDense {
    forward: PackedRight,
    backward: PackedRight,
}

impl PackedDense {
    fn new(products: Products, columns: usize, inner: usize) -> Option<PackedDense> {
        let Products::Bf16(cpu) = products else { return None };
        let values = vec![0.5; columns * inner];
        let stored = View::new(&values, columns, inner, inner);
        let forward = PackedRight::new(cpu, stored.transposed(), &[]);
        Some(PackedDense { forward, backward: PackedRight::new(cpu, stored, &[]) })
    }
}

/// A product and the two products of its gradient, on arbitrary values.
struct Triple<'a> {
    buffers: &'a mut [Vec<f32>; 3],
    rows: usize,
    columns: usize,
    inner: usize,
    products: Products,
    /// The right matrix, if it is one of weights and was packed before.
    packed: Option<&'a PackedDense>,
}

impl Triple<'_> {
    fn fit(&mut self) {
        let sizes = [self.rows * self.columns, self.rows * self.inner, self.inner * self.columns];
        for (buffer, size) in self.buffers.iter_mut().zip(sizes) {
            buffer.resize(buffer.len().max(size), 0.5);
        }
    }

    fn forward(&mut self) {
        self.fit();
        let Self { rows, columns, inner, products, packed, .. } = *self;
        let [out, left, right] = &mut *self.buffers;
        let right = match packed {
            Some(packed) => Right::Packed(&packed.forward, [0, columns]),
            None => View::new(right, columns, inner, inner).transposed().into(),
        };
        let left = View::new(left, rows, inner, inner);
        products.multiply(ViewMut::new(out, rows, columns, columns), Output::Replaced, 1e-9, left, right);
    }

    fn backward(&mut self) {
        self.fit();
        let Self { rows, columns, inner, products, packed, .. } = *self;
        let [out, left, right] = &mut *self.buffers;
        let gradient = View::new(out, rows, columns, columns);
        let input = View::new(left, rows, inner, inner);
        let by_right = ViewMut::new(right, columns, inner, inner);
        products.multiply(by_right, Output::AddedTo, 1e-9, gradient.transposed(), input);
        let by_left = ViewMut::new(left, rows, inner, inner);
        let right = match packed {
            Some(packed) => Right::Packed(&packed.backward, [0, inner]),
            None => View::new(right, columns, inner, inner).into(),
        };
        products.multiply(by_left, Output::AddedTo, 1e-9, gradient, right);
    }
}
