//! One unit's gradients, from its documents' vectors back to their words.

use super::{
    super::{
        NptShape, Packed, Pooling, Vectors, Weights,
        kernels::{
            elementwise::{add_columns, rectify_backward},
            mean::direction_backward,
            norm::{Backward, gain_and_shift},
            product::{Output, View, ViewMut, product},
            softmax::{mixed_weights, softmax_backward},
        },
        layout::{LayerRanges, NormRanges},
    },
    forward::{Heads, embed},
    site,
    tape::{LayerTape, NormTape, Tape, fit},
    unit::{Member, Unit},
};

/// Buffers that a lane uses again for each unit.
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
    /// The gradient that travels down through the layers.
    rows: Vec<f32>,
}

impl BackwardScratch {
    /// Adds to `sums` the gradients of the dense weights; those of the words are left in [`Self::rows`].
    pub fn run(
        &mut self,
        weights: &Weights,
        documents: &Packed,
        unit: &Unit,
        tape: &Tape,
        vectors: &Vectors,
        sums: &mut [f32],
    ) {
        let (shape, width) = (weights.shape(), weights.shape().width);
        self.fit(shape, unit);
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        rows.resize(unit.rows * width, 0.0);
        for (place, document) in unit.documents.iter().enumerate() {
            let (gradient, place) = (vectors.row(document.index), place * width..(place + 1) * width);
            match shape.pooling {
                Pooling::Max => {
                    for (column, (winner, gradient)) in tape.winners[place].iter().zip(gradient).enumerate() {
                        rows[(document.start + *winner as usize) * width + column] = *gradient;
                    }
                }
                Pooling::Mean => {
                    direction_backward(&tape.means[place], gradient, &mut rows[document.part(width)]);
                }
            }
        }
        for layer in (0..shape.layers).rev() {
            let here = Here { weights, layer, unit };
            let kept = &tape.layers[layer];
            self.feed(&here, kept, sums, &mut rows);
            match layer.checked_sub(1) {
                Some(before) => here.norm_output(before, &tape.layers[before].feed_norm, &mut self.input),
                None => embed(weights, documents, unit, &mut self.input),
            }
            self.attention(&here, kept, sums, &mut rows);
        }
        self.rows = rows;
    }

    /// The gradient of a document's word vectors, after a run.
    pub fn words(&self, document: &Member, width: usize) -> &[f32] {
        &self.rows[document.part(width)]
    }

    fn fit(&mut self, shape: &NptShape, unit: &Unit) {
        let length = unit.rows;
        let longest = unit.documents.iter().map(|document| document.length).max().unwrap_or(0);
        fit(&mut self.input, length * shape.width);
        fit(&mut self.branch, length * shape.width);
        fit(&mut self.hidden, length * shape.feed_forward);
        fit(&mut self.mixed, length * shape.values());
        fit(&mut self.projected, length * shape.projected());
        fit(&mut self.weights, longest * longest);
        fit(&mut self.scores, longest * longest);
        // rows of no document must add nothing to the weights' gradients
        let used = unit.tokens();
        self.branch[used * shape.width..].fill(0.0);
        self.projected[used * shape.projected()..].fill(0.0);
    }

    fn feed(&mut self, here: &Here, tape: &LayerTape, sums: &mut [f32], rows: &mut [f32]) {
        let (shape, ranges, dense) = (here.weights.shape(), here.ranges(), &here.weights.dense);
        let (length, width, inner) = (here.unit.rows, shape.width, shape.feed_forward);
        let site = site::feed(here.layer);
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
            (here.unit.rows, shape.width, shape.values(), shape.projected());
        let site = site::attention(here.layer);
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
        for document in &here.unit.documents {
            (0..shape.heads).for_each(|head| self.head(shape, document, head, tape));
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

    /// One head's part of the gradient of a document's queries, keys and values.
    fn head(&mut self, shape: &NptShape, document: &Member, head: usize, tape: &LayerTape) {
        let length = document.length;
        let parts = Heads::new(shape, head, length);
        let scale = document.dropout.map_or(1.0, |dropout| dropout.scale);
        let signed = &tape.attention[document.square(head)];
        let projected = &tape.projected[document.part(shape.projected())];
        let gradient = &mut self.projected[document.part(shape.projected())];
        let (weights, scores) = (&mut self.weights[..length * length], &mut self.scores[..length * length]);
        mixed_weights(signed, weights, scale);
        let mixed = &self.mixed[document.part(shape.values())];
        let mixed = View::new(&mixed[head * shape.value..], length, shape.value, shape.values());
        product(
            parts.columns(gradient, parts.value_start),
            Output::Replaced,
            1.0,
            View::new(weights, length, length, length).transposed(),
            mixed,
        );
        product(
            ViewMut::new(scores, length, length, length),
            Output::Replaced,
            1.0,
            mixed,
            parts.values(projected).transposed(),
        );
        softmax_backward(scores, signed, length, scale, parts.temperature);
        let scores = View::new(scores, length, length, length);
        product(
            parts.columns(gradient, parts.query_start),
            Output::Replaced,
            1.0,
            scores,
            parts.keys(projected),
        );
        product(
            parts.columns(gradient, parts.key_start),
            Output::Replaced,
            1.0,
            scores.transposed(),
            parts.queries(projected),
        );
    }
}

/// Where in the network and in the batch a backward pass stands.
struct Here<'a> {
    weights: &'a Weights,
    layer: usize,
    unit: &'a Unit,
}

impl Here<'_> {
    fn ranges(&self) -> &LayerRanges {
        &self.weights.layout().layers[self.layer]
    }

    /// The output of another layer's last norm.
    fn norm_output(&self, layer: usize, tape: &NormTape, out: &mut [f32]) {
        let (ranges, dense) = (&self.weights.layout().layers[layer].feed_norm, &self.weights.dense);
        gain_and_shift(&tape.normalised, &dense[ranges.weight.clone()], &dense[ranges.bias.clone()], out);
    }

    /// Takes `rows` back through a norm, document by document, each with its own dropout.
    fn norm(
        &self,
        ranges: &NormRanges,
        tape: &NormTape,
        site: u64,
        rows: &mut [f32],
        branch: &mut [f32],
        sums: &mut [f32],
    ) {
        // gain and shift lie side by side, so one slice splits into both
        let (gain, shift) = sums[ranges.weight.start..ranges.bias.end].split_at_mut(ranges.weight.len());
        let width = ranges.weight.len();
        for document in &self.unit.documents {
            let part = document.part(width);
            let backward = Backward {
                normalised: &tape.normalised[part.clone()],
                deviations: &tape.deviations[document.part(1)],
                gain: &self.weights.dense[ranges.weight.clone()],
                dropout: document.dropout.map(|dropout| dropout.at(site)),
            };
            backward.run(&mut rows[part.clone()], &mut branch[part], gain, shift);
        }
    }
}
