//! BERT's pooler: the first token's vector through a dense layer and a hyperbolic tangent.

use std::ops::Range;

use rayon::prelude::*;

use super::super::{
    Gradients, Vectors, Weights,
    kernels::{
        elementwise::{add_columns, fill_rows},
        product::{Output, View, ViewMut, product},
    },
    npt::FEWEST_ROWS,
    score::{by_rows, matrix},
};

/// Documents that one thread pools at a time.
const BLOCK: usize = 64;

pub fn forward(weights: &Weights, [weight, bias]: &[Range<usize>; 2], first: &Vectors) -> Vectors {
    let (width, dense) = (first.width, &weights.dense);
    let weight = View::new(&dense[weight.clone()], width, width, width).transposed();
    let mut out = Vectors::zeros(first.len(), width);
    out.values.par_chunks_mut(BLOCK * width).zip(first.values.par_chunks(BLOCK * width)).for_each(
        |(out, first)| {
            // enough rows for the general kernel, so that a vector's bits do not depend on the rest of the batch
            let rows = (first.len() / width).max(FEWEST_ROWS);
            let (mut padded, mut sums) = (first.to_vec(), vec![0.0; rows * width]);
            padded.resize(rows * width, 0.0);
            fill_rows(&mut sums, &dense[bias.clone()]);
            let target = ViewMut::new(&mut sums, rows, width, width);
            product(target, Output::AddedTo, 1.0, View::new(&padded, rows, width, width), weight);
            out.iter_mut().zip(&sums).for_each(|(out, sum)| *out = sum.tanh());
        },
    );
    out
}

/// Backpropagates the gradient of pooled vectors to the first tokens.
pub fn backward(
    weights: &Weights,
    [weight, bias]: &[Range<usize>; 2],
    first: &Vectors,
    pooled: &Vectors,
    gradient: &Vectors,
    gradients: &mut Gradients,
) -> Vectors {
    let (width, count) = (first.width, first.len());
    let mut by_sum = gradient.clone();
    by_sum.values.iter_mut().zip(&pooled.values).for_each(|(value, out)| *value *= 1.0 - out * out);
    add_columns(&by_sum.values, &mut gradients.dense[bias.clone()]);
    let sums = &mut gradients.dense[weight.clone()];
    by_rows(sums, width, width, Output::AddedTo, matrix(&by_sum).transposed(), matrix(first));
    let mut by_first = Vectors::zeros(count, width);
    let weight = View::new(&weights.dense[weight.clone()], width, width, width);
    by_rows(&mut by_first.values, count, width, Output::Replaced, matrix(&by_sum), weight);
    by_first
}
