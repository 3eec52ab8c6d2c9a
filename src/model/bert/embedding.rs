//! The input of a BERT's first layer: the sum of word, position and token-type embeddings, after a norm and dropout.

use super::super::{
    Packed, Weights,
    kernels::{
        elementwise::{add, add_columns},
        gelu::drop_rows,
        norm::{self, Backward, gain_and_shift},
    },
    layout::EmbeddingRanges,
    npt::{NormTape, Unit, embedding_site, fit},
};

/// Writes the first layer's input, with zeros in padding rows, and keeps what backward needs.
pub fn forward(
    weights: &Weights,
    ranges: &EmbeddingRanges,
    documents: &Packed,
    unit: &Unit,
    rows: &mut [f32],
    tape: &mut NormTape,
) {
    let (shape, dense, width) = (weights.shape(), &weights.dense, weights.shape().width);
    fit(&mut tape.normalised, unit.rows * width);
    fit(&mut tape.deviations, unit.rows);
    rows[unit.tokens() * width..].fill(0.0);
    tape.normalised[unit.tokens() * width..].fill(0.0);
    let kind = &dense[ranges.types.clone()][..width];
    for document in &unit.documents {
        let part = document.part(width);
        let sums = &mut tape.normalised[part.clone()];
        let positions = dense[ranges.positions.clone()].chunks_exact(width);
        let tokens = documents.document(document.index);
        for ((sum, &token), position) in sums.chunks_exact_mut(width).zip(tokens).zip(positions) {
            let word = &weights.words[token as usize * width..][..width];
            for (sum, (word, (position, kind))) in
                sum.iter_mut().zip(word.iter().zip(position.iter().zip(kind)))
            {
                *sum = word + position + kind;
            }
        }
        let deviations = &mut tape.deviations[document.part(1)];
        let gains = [&ranges.norm.weight, &ranges.norm.bias].map(|range| &dense[range.clone()]);
        norm::alone(sums, &mut rows[part.clone()], deviations, gains, shape.epsilon());
        if let Some(masks) = document.masks(embedding_site()) {
            drop_rows(&mut rows[part], width, masks);
        }
    }
}

/// Recomputes the first layer's input.
pub fn again(weights: &Weights, ranges: &EmbeddingRanges, unit: &Unit, tape: &NormTape, rows: &mut [f32]) {
    let (dense, width) = (&weights.dense, weights.shape().width);
    let [gain, shift] = [&ranges.norm.weight, &ranges.norm.bias].map(|range| &dense[range.clone()]);
    gain_and_shift(&tape.normalised, gain, shift, rows);
    for document in &unit.documents {
        if let Some(masks) = document.masks(embedding_site()) {
            drop_rows(&mut rows[document.part(width)], width, masks);
        }
    }
}

/// Backpropagates the gradient of the first layer's input to the words, and adds those of positions, type and norm to `sums`.
pub fn backward(
    weights: &Weights,
    ranges: &EmbeddingRanges,
    unit: &Unit,
    tape: &NormTape,
    rows: &mut [f32],
    spare: &mut [f32],
    sums: &mut [f32],
) {
    let width = weights.shape().width;
    for document in &unit.documents {
        let part = document.part(width);
        let rows = &mut rows[part.clone()];
        if let Some(masks) = document.masks(embedding_site()) {
            drop_rows(rows, width, masks);
        }
        let backward = Backward {
            normalised: &tape.normalised[part.clone()],
            deviations: &tape.deviations[document.part(1)],
            gain: &weights.dense[ranges.norm.weight.clone()],
            dropout: None,
        };
        let (gain, shift) = sums[ranges.norm.weight.start..ranges.norm.bias.end].split_at_mut(width);
        backward.run(rows, &mut spare[part], gain, shift);
        add_columns(rows, &mut sums[ranges.types.clone()][..width]);
        add(&mut sums[ranges.positions.clone()][..rows.len()], rows);
    }
}
