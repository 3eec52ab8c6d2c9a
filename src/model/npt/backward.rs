//! One document's gradients, from its vector back to its words.

use super::{
    super::{
        NptShape, Weights,
        kernels::{
            elementwise::{add_columns, rectify_backward},
            norm::{Backward, gain_and_shift},
            product::{Output, View, ViewMut, product},
            softmax::{mixed_weights, softmax_backward},
        },
        layout::{LayerRanges, NormRanges},
        random::{Dropout, Site},
    },
    forward::{Heads, embed},
    site,
    tape::{LayerTape, NormTape, Tape, fit},
};

/// Buffers that a lane uses again for each document.
#[derive(Default)]
pub struct BackwardScratch {
    /// A sub-layer's input, computed again.
    input: Vec<f32>,
    /// The gradient of a sub-layer's branch.
    branch: Vec<f32>,
    hidden: Vec<f32>,
    mixed: Vec<f32>,
    projected: Vec<f32>,
    weights: Vec<f32>,
    scores: Vec<f32>,
}

impl BackwardScratch {
    /// Adds to `sums` the gradients of the dense weights, and leaves those of the word vectors in `rows`.
    #[expect(clippy::too_many_arguments, reason = "all that a document's gradient depends on")]
    pub fn run(
        &mut self,
        weights: &Weights,
        tokens: &[u32],
        dropout: Option<Dropout>,
        tape: &Tape,
        vector: &[f32],
        sums: &mut [f32],
        rows: &mut [f32],
    ) {
        let (shape, length) = (weights.shape(), tokens.len());
        self.fit(shape, length);
        for (column, (winner, gradient)) in tape.winners.iter().zip(vector).enumerate() {
            rows[*winner as usize * shape.width + column] = *gradient;
        }
        for layer in (0..shape.layers).rev() {
            let here = Here { weights, layer, length, dropout };
            let kept = &tape.layers[layer];
            self.feed(&here, kept, sums, rows);
            match layer.checked_sub(1) {
                Some(before) => here.norm_output(before, &tape.layers[before].feed_norm, &mut self.input),
                None => embed(weights, tokens, &mut self.input),
            }
            self.attention(&here, kept, sums, rows);
        }
    }

    fn fit(&mut self, shape: &NptShape, length: usize) {
        fit(&mut self.input, length * shape.width);
        fit(&mut self.branch, length * shape.width);
        fit(&mut self.hidden, length * shape.feed_forward);
        fit(&mut self.mixed, length * shape.values());
        fit(&mut self.projected, length * shape.projected());
        fit(&mut self.weights, length * length);
        fit(&mut self.scores, length * length);
    }

    fn feed(&mut self, here: &Here, tape: &LayerTape, sums: &mut [f32], rows: &mut [f32]) {
        let (shape, ranges, dense) = (here.weights.shape(), here.ranges(), &here.weights.dense);
        let (length, width, inner) = (here.length, shape.width, shape.feed_forward);
        let site = here.site(site::feed(here.layer));
        here.norm(&ranges.feed_norm, &tape.feed_norm, site, rows, &mut self.branch, sums);
        let attention_norm = &ranges.attention_norm;
        gain_and_shift(
            &tape.attention_norm.normalised,
            &dense[attention_norm.weight.clone()],
            &dense[attention_norm.bias.clone()],
            &mut self.input,
        );
        add_columns(&self.branch, &mut sums[ranges.down_bias.clone()]);
        let branch = View::new(&self.branch, length, width, width);
        product(
            ViewMut::new(&mut sums[ranges.down_weight.clone()], width, inner, inner),
            Output::AddedTo,
            1.0,
            branch.transposed(),
            View::new(&tape.hidden, length, inner, inner),
        );
        product(
            ViewMut::new(&mut self.hidden, length, inner, inner),
            Output::Replaced,
            1.0,
            branch,
            View::new(&dense[ranges.down_weight.clone()], width, inner, inner),
        );
        rectify_backward(&mut self.hidden, &tape.hidden);
        add_columns(&self.hidden, &mut sums[ranges.up_bias.clone()]);
        let hidden = View::new(&self.hidden, length, inner, inner);
        product(
            ViewMut::new(&mut sums[ranges.up_weight.clone()], inner, width, width),
            Output::AddedTo,
            1.0,
            hidden.transposed(),
            View::new(&self.input, length, width, width),
        );
        product(
            ViewMut::new(rows, length, width, width),
            Output::AddedTo,
            1.0,
            hidden,
            View::new(&dense[ranges.up_weight.clone()], inner, width, width),
        );
    }

    fn attention(&mut self, here: &Here, tape: &LayerTape, sums: &mut [f32], rows: &mut [f32]) {
        let (shape, ranges, dense) = (here.weights.shape(), here.ranges(), &here.weights.dense);
        let (length, width, values, projected) =
            (here.length, shape.width, shape.values(), shape.projected());
        let site = here.site(site::attention(here.layer));
        here.norm(&ranges.attention_norm, &tape.attention_norm, site, rows, &mut self.branch, sums);
        add_columns(&self.branch, &mut sums[ranges.out_bias.clone()]);
        let branch = View::new(&self.branch, length, width, width);
        product(
            ViewMut::new(&mut sums[ranges.out_weight.clone()], width, values, values),
            Output::AddedTo,
            1.0,
            branch.transposed(),
            View::new(&tape.mixed, length, values, values),
        );
        product(
            ViewMut::new(&mut self.mixed, length, values, values),
            Output::Replaced,
            1.0,
            branch,
            View::new(&dense[ranges.out_weight.clone()], width, values, values),
        );
        for head in 0..shape.heads {
            self.head(here, head, tape);
        }
        add_columns(&self.projected, &mut sums[ranges.project_bias.clone()]);
        let gradient = View::new(&self.projected, length, projected, projected);
        product(
            ViewMut::new(&mut sums[ranges.project_weight.clone()], projected, width, width),
            Output::AddedTo,
            1.0,
            gradient.transposed(),
            View::new(&self.input, length, width, width),
        );
        product(
            ViewMut::new(rows, length, width, width),
            Output::AddedTo,
            1.0,
            gradient,
            View::new(&dense[ranges.project_weight.clone()], projected, width, width),
        );
    }

    /// One head's part of the gradient of queries, keys and values.
    fn head(&mut self, here: &Here, head: usize, tape: &LayerTape) {
        let (shape, length) = (here.weights.shape(), here.length);
        let parts = Heads::new(shape, head, length);
        let scale = here.dropout.map_or(1.0, |dropout| dropout.scale);
        let signed = &tape.attention[head * length * length..][..length * length];
        mixed_weights(signed, &mut self.weights, scale);
        let mixed = View::new(&self.mixed[head * shape.value..], length, shape.value, shape.values());
        product(
            parts.columns(&mut self.projected, parts.value_start),
            Output::Replaced,
            1.0,
            View::new(&self.weights, length, length, length).transposed(),
            mixed,
        );
        product(
            ViewMut::new(&mut self.scores, length, length, length),
            Output::Replaced,
            1.0,
            mixed,
            parts.values(&tape.projected).transposed(),
        );
        softmax_backward(&mut self.scores, signed, length, scale, parts.temperature);
        let scores = View::new(&self.scores, length, length, length);
        product(
            parts.columns(&mut self.projected, parts.query_start),
            Output::Replaced,
            1.0,
            scores,
            parts.keys(&tape.projected),
        );
        product(
            parts.columns(&mut self.projected, parts.key_start),
            Output::Replaced,
            1.0,
            scores.transposed(),
            parts.queries(&tape.projected),
        );
    }
}

/// Where in the network and in the batch a backward pass stands.
struct Here<'a> {
    weights: &'a Weights,
    layer: usize,
    length: usize,
    dropout: Option<Dropout>,
}

impl Here<'_> {
    fn ranges(&self) -> &LayerRanges {
        &self.weights.layout().layers[self.layer]
    }

    fn site(&self, site: u64) -> Option<Site> {
        self.dropout.map(|dropout| dropout.at(site))
    }

    /// The output of another layer's last norm.
    fn norm_output(&self, layer: usize, tape: &NormTape, out: &mut [f32]) {
        let (ranges, dense) = (&self.weights.layout().layers[layer].feed_norm, &self.weights.dense);
        gain_and_shift(&tape.normalised, &dense[ranges.weight.clone()], &dense[ranges.bias.clone()], out);
    }

    fn norm(
        &self,
        ranges: &NormRanges,
        tape: &NormTape,
        dropout: Option<Site>,
        rows: &mut [f32],
        branch: &mut [f32],
        sums: &mut [f32],
    ) {
        let backward = Backward {
            normalised: &tape.normalised,
            deviations: &tape.deviations,
            gain: &self.weights.dense[ranges.weight.clone()],
            dropout,
        };
        // gain and shift lie side by side, so one slice splits into both
        let (gain, shift) = sums[ranges.weight.start..ranges.bias.end].split_at_mut(ranges.weight.len());
        backward.run(rows, branch, gain, shift);
    }
}
