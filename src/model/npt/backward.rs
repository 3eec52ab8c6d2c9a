//! The backward pass of one unit, from its documents' vectors to their words.
//!
//! Each layer takes two steps: first the gradients of the activations, which belong to the unit, then those of the weights,
//! which all units share. [`Contribution`] passes what the second step needs from the first, so that a caller can sum the
//! gradients of the weights unit by unit, or over all units at once.

use std::ops::Range;

use super::{
    super::{
        Activation, NptShape, Packed, Pooling, Vectors, Weights,
        bert::embedding,
        kernels::{
            bf16::{PackedRight, Right},
            elementwise::{NO_WINNER, add, add_columns, rectify_backward},
            gelu::gelu_backward,
            mean::direction_backward,
            norm::{Backward, gain_and_shift},
            product::{Output, Products, View, ViewMut},
            rounded::widen,
            softmax::{mixed_weights, softmax_backward},
        },
        layout::{LayerRanges, NormRanges},
    },
    forward::{FEWEST_TURNED, Head, embed, gather},
    network::{BackwardNetwork, Dense},
    site,
    tape::{LayerTape, NormTape, Projected, Tape, fit},
    unit::{Member, Unit},
};

/// Buffers for one unit, reused for each layer.
#[derive(Default)]
pub struct BackwardScratch {
    /// The sub-layers' inputs, recomputed.
    feed_input: Vec<f32>,
    attention_input: Vec<f32>,
    /// The gradients of the sub-layers' branches.
    feed_branch: Vec<f32>,
    attention_branch: Vec<f32>,
    /// The feed-forward layer after its GELU, recomputed.
    activated: Vec<f32>,
    hidden: Vec<f32>,
    mixed: Vec<f32>,
    projected: Projected,
    /// The attention's input in the rows that have queries, if not all do.
    wanted: Vec<f32>,
    weights: Vec<f32>,
    scores: Vec<f32>,
    /// A head's attention weights, where the tape has them rounded.
    signed: Vec<f32>,
    /// A head's values, transposed.
    values: Vec<f32>,
    /// The gradients of both norms' gain and shift.
    norms: Vec<f32>,
    /// The gradient that is passed down through the layers.
    rows: Vec<f32>,
}

/// The gradient of one dense layer: `weight += gradient' input`, and `bias` is the sum of the gradient's rows.
pub struct Contribution<'a> {
    pub weight: Range<usize>,
    pub bias: Range<usize>,
    gradient: &'a [f32],
    input: &'a [f32],
    rows: usize,
    products: Products,
}

impl Contribution<'_> {
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    pub fn inputs(&self) -> usize {
        self.weight.len() / self.outputs()
    }

    /// The input as products of bf16 read it, for several calls of [`Self::add_weight`].
    pub fn packed_input(&self) -> Option<PackedRight> {
        match self.products {
            Products::F32 => None,
            Products::Bf16(cpu) => Some(PackedRight::new(cpu, self.input(), &[])),
        }
    }

    fn input(&self) -> View<'_> {
        View::new(self.input, self.rows, self.inputs(), self.inputs())
    }

    /// Adds some rows of the weight's gradient.
    pub fn add_weight(&self, outputs: Range<usize>, packed: Option<&PackedRight>, sums: &mut [f32]) {
        let (count, inputs) = (outputs.len(), self.inputs());
        let input = match packed {
            Some(packed) => Right::Packed(packed, [0, inputs]),
            None => self.input().into(),
        };
        self.products.multiply(
            ViewMut::new(sums, count, inputs, inputs),
            Output::AddedTo,
            1.0,
            View::new(&self.gradient[outputs.start..], self.rows, count, self.outputs()).transposed(),
            input,
        );
    }

    pub fn add_bias(&self, sums: &mut [f32]) {
        add_columns(self.gradient, sums);
    }
}

impl BackwardScratch {
    /// Adds to `sums` the gradients of the dense weights; those of the words are left for [`Self::words`].
    #[expect(clippy::too_many_arguments, reason = "one call, from the lanes")]
    pub fn run(
        &mut self,
        network: &BackwardNetwork,
        documents: &Packed,
        unit: &Unit,
        tape: &Tape,
        vectors: &Vectors,
        frozen_layers: usize,
        sums: &mut [f32],
    ) {
        let weights = network.weights;
        self.start(weights.shape(), unit, tape, vectors);
        for layer in (frozen_layers..weights.shape().layers).rev() {
            self.layer(network, documents, layer, unit, tape);
            for part in self.contributions(weights, layer, unit, &tape.layers[layer]) {
                part.add_weight(0..part.outputs(), None, &mut sums[part.weight.clone()]);
                part.add_bias(&mut sums[part.bias.clone()]);
            }
            self.add_norms(&weights.layout().layers[layer], sums);
        }
        if frozen_layers == 0 {
            self.finish(weights, unit, tape, sums);
        }
    }

    /// Distributes the gradients of the documents' vectors over the rows that the last layer computed.
    pub fn start(&mut self, shape: &NptShape, unit: &Unit, tape: &Tape, vectors: &Vectors) {
        let (made, width) = (unit.made(true), shape.width);
        self.rows.clear();
        self.rows.resize(made.rows * width, 0.0);
        for (place, document) in made.documents.iter().enumerate() {
            let rows = &mut self.rows[document.part(width)];
            if made.is_part() {
                let vectors = &vectors.values[document.vectors.start * width..document.vectors.end * width];
                rows.copy_from_slice(vectors);
                continue;
            }
            let (gradient, place) = (vectors.row(document.index), place * width..(place + 1) * width);
            match shape.pooling {
                Pooling::Mean => direction_backward(&tape.means[place], gradient, rows),
                Pooling::Max | Pooling::Padded | Pooling::Cls => {
                    let winners = tape.winners[place].iter().zip(gradient).enumerate();
                    for (column, (winner, gradient)) in
                        winners.filter(|(_, (winner, _))| **winner != NO_WINNER)
                    {
                        rows[*winner as usize * width + column] = *gradient;
                    }
                }
            }
        }
    }

    /// Backpropagates from a layer's output to its input, and keeps what the gradients of its weights need.
    pub fn layer(
        &mut self,
        network: &BackwardNetwork,
        documents: &Packed,
        layer: usize,
        unit: &Unit,
        tape: &Tape,
    ) {
        let weights = network.weights;
        let made = unit.made(layer + 1 == weights.shape().layers);
        let here = Here { network, layer, unit, made };
        self.fit(&here);
        let kept = &tape.layers[layer];
        let mut rows = std::mem::take(&mut self.rows);
        self.norms.clear();
        self.norms.resize(4 * weights.shape().width, 0.0);
        self.feed(&here, kept, &mut rows);
        match (layer.checked_sub(1), &weights.layout().embedding) {
            (Some(before), _) => {
                here.norm_output(before, &tape.layers[before].feed_norm, &mut self.attention_input)
            }
            (None, Some(ranges)) => {
                embedding::again(weights, ranges, unit, &tape.embedding, &mut self.attention_input)
            }
            (None, None) => embed(weights, documents, unit, &mut self.attention_input),
        }
        self.attention(&here, kept, &mut rows);
        self.rows = if made.is_part() { self.spread(&here, &rows) } else { rows };
    }

    /// The contributions of the layer just processed to the gradients of its dense weights.
    pub fn contributions<'a>(
        &'a self,
        weights: &Weights,
        layer: usize,
        unit: &Unit,
        tape: &'a LayerTape,
    ) -> Vec<Contribution<'a>> {
        let (ranges, shape) = (&weights.layout().layers[layer], weights.shape());
        let made = unit.made(layer + 1 == shape.layers);
        let activated = match shape.activation() {
            Activation::Relu => &tape.hidden,
            Activation::Gelu => &self.activated,
        };
        let part = |weight: Range<usize>, bias: Range<usize>, rows, gradient: &'a [f32], input: &'a [f32]| {
            Contribution { weight, bias, gradient, input, rows, products: weights.products() }
        };
        let apart = if made.is_part() { shape.keys() } else { 0 };
        let (weight, bias) = (ranges.project_weight.clone(), ranges.project_bias.clone());
        let [middle, middle_bias] = [weight.start + apart * shape.width, bias.start + apart];
        let Projected { rows: projected, queries } = &self.projected;
        let queries = part(weight.start..middle, bias.start..middle_bias, made.rows, queries, &self.wanted);
        let rest =
            part(middle..weight.end, middle_bias..bias.end, unit.rows, projected, &self.attention_input);
        let mut parts = if made.is_part() { vec![queries, rest] } else { vec![rest] };
        for (weight, bias, gradient, input) in [
            (&ranges.out_weight, &ranges.out_bias, &self.attention_branch, &tape.mixed),
            (&ranges.up_weight, &ranges.up_bias, &self.hidden, &self.feed_input),
            (&ranges.down_weight, &ranges.down_bias, &self.feed_branch, activated),
        ] {
            parts.push(part(weight.clone(), bias.clone(), made.rows, gradient, input));
        }
        parts
    }

    /// Adds the gradients of the norms of the layer just processed.
    pub fn add_norms(&self, ranges: &LayerRanges, sums: &mut [f32]) {
        let (attention, feed) = self.norms.split_at(self.norms.len() / 2);
        for (ranges, norm) in [(&ranges.attention_norm, attention), (&ranges.feed_norm, feed)] {
            // gain and shift are adjacent
            add(&mut sums[ranges.weight.start..ranges.bias.end], norm);
        }
    }

    /// Backpropagates through what precedes the first layer.
    pub fn finish(&mut self, weights: &Weights, unit: &Unit, tape: &Tape, sums: &mut [f32]) {
        if let Some(ranges) = &weights.layout().embedding {
            let spare = &mut self.feed_branch;
            fit(spare, unit.rows * weights.shape().width);
            embedding::backward(weights, ranges, unit, &tape.embedding, &mut self.rows, spare, sums);
        }
    }

    /// The gradient of a document's word vectors, after a run.
    pub fn words(&self, document: &Member, width: usize) -> &[f32] {
        &self.rows[document.part(width)]
    }

    fn fit(&mut self, here: &Here) {
        let (shape, unit, made) = (here.weights().shape(), here.unit, here.made);
        let (length, width) = (made.rows, shape.width);
        let longest = unit.documents.iter().map(|document| document.length).max().unwrap_or(0);
        fit(&mut self.feed_input, length * width);
        fit(&mut self.attention_input, unit.rows * width);
        for branch in [&mut self.feed_branch, &mut self.attention_branch] {
            fit(branch, length * width);
            // padding rows must add nothing to the gradients of the weights
            branch[made.tokens() * width..].fill(0.0);
        }
        if shape.activation() == Activation::Gelu {
            fit(&mut self.activated, length * shape.feed_forward);
        }
        fit(&mut self.hidden, length * shape.feed_forward);
        fit(&mut self.mixed, length * shape.values());
        self.projected.fit(shape, unit, made);
        self.projected.clear_unused(shape, unit, made);
        fit(&mut self.wanted, if made.is_part() { length * width } else { 0 });
        fit(&mut self.weights, longest * longest);
        fit(&mut self.scores, longest * longest);
        if here.weights().products().packs_fast() {
            fit(&mut self.signed, longest * longest);
        }
        fit(&mut self.values, longest * shape.value);
    }

    fn feed(&mut self, here: &Here, tape: &LayerTape, rows: &mut [f32]) {
        let (shape, ranges, dense) = (here.weights().shape(), here.ranges(), &here.weights().dense);
        let (length, width, inner) = (here.made.rows, shape.width, shape.feed_forward);
        let norms = &mut self.norms[2 * width..];
        let site = site::feed(here.layer);
        here.norm(&ranges.feed_norm, &tape.feed_norm, site, rows, &mut self.feed_branch, norms);
        let attention_norm = &ranges.attention_norm;
        gain_and_shift(
            &tape.attention_norm.normalised,
            &dense[attention_norm.weight.clone()],
            &dense[attention_norm.bias.clone()],
            &mut self.feed_input,
        );
        here.weights().products().multiply(
            ViewMut::new(&mut self.hidden, length, inner, inner),
            Output::Replaced,
            1.0,
            View::new(&self.feed_branch, length, width, width),
            here.network.matrix(here.layer, Dense::Down),
        );
        match shape.activation() {
            Activation::Relu => rectify_backward(&mut self.hidden, &tape.hidden),
            Activation::Gelu => gelu_backward(&mut self.hidden, &tape.hidden, &mut self.activated),
        }
        here.weights().products().multiply(
            ViewMut::new(rows, length, width, width),
            Output::AddedTo,
            1.0,
            View::new(&self.hidden, length, inner, inner),
            here.network.matrix(here.layer, Dense::Up),
        );
    }

    fn attention(&mut self, here: &Here, tape: &LayerTape, rows: &mut [f32]) {
        let (shape, ranges, dense) = (here.weights().shape(), here.ranges(), &here.weights().dense);
        let (length, width, values) = (here.made.rows, shape.width, shape.values());
        let norms = &mut self.norms[..2 * width];
        let site = site::attention(here.layer);
        here.norm(
            &ranges.attention_norm,
            &tape.attention_norm,
            site,
            rows,
            &mut self.attention_branch,
            norms,
        );
        here.weights().products().multiply(
            ViewMut::new(&mut self.mixed, length, values, values),
            Output::Replaced,
            1.0,
            View::new(&self.attention_branch, length, width, width),
            here.network.matrix(here.layer, Dense::Out),
        );
        let products = here.weights().products();
        for (document, made) in here.unit.documents.iter().zip(&here.made.documents) {
            if made.length == 0 {
                let columns = self.projected.rows.len() / here.unit.rows;
                self.projected.rows[document.part(columns)].fill(0.0);
                continue;
            }
            (0..shape.heads)
                .for_each(|head| self.head(products, &Head::new(shape, head, document, made), tape));
        }
        let weight = &dense[ranges.project_weight.clone()];
        // those of the queries if only some rows have any, otherwise of all three
        let (gradient, outputs, weight) = match here.made.is_part() {
            true => {
                let weight = View::new(weight, shape.keys(), width, width);
                (&self.projected.queries, shape.keys(), weight.into())
            }
            false => {
                (&self.projected.rows, shape.projected(), here.network.matrix(here.layer, Dense::Project))
            }
        };
        here.weights().products().multiply(
            ViewMut::new(rows, length, width, width),
            Output::AddedTo,
            1.0,
            View::new(gradient, length, outputs, outputs),
            weight,
        );
    }

    /// The gradient of all rows of a layer's input, from that of the rows it computed and of all keys and values.
    fn spread(&mut self, here: &Here, made: &[f32]) -> Vec<f32> {
        let (shape, unit) = (here.weights().shape(), here.unit);
        let (width, outputs) = (shape.width, shape.keys() + shape.values());
        gather(&self.attention_input, unit, here.made, width, &mut self.wanted);
        let weight = &here.weights().dense[here.ranges().project_weight.clone()][shape.keys() * width..];
        let mut rows = vec![0.0; unit.rows * width];
        here.weights().products().multiply(
            ViewMut::new(&mut rows, unit.rows, width, width),
            Output::Replaced,
            1.0,
            View::new(&self.projected.rows, unit.rows, outputs, outputs),
            View::new(weight, outputs, width, width),
        );
        for (document, wanted) in unit.documents.iter().zip(&here.made.documents) {
            let rows = &mut rows[document.part(width)];
            let positions = wanted.positions.iter().flatten();
            for (made, &position) in made[wanted.part(width)].chunks_exact(width).zip(positions) {
                add(&mut rows[position as usize * width..][..width], made);
            }
        }
        rows
    }

    /// One head's part of the gradient of a document's queries, keys and values.
    fn head(&mut self, products: Products, head: &Head, tape: &LayerTape) {
        let (rows, length, shape) = (head.made.length, head.document.length, head.shape);
        let scale = head.made.masks(0).map_or(1.0, |masks| masks.scale);
        let kept = head.made.weights(head.number);
        let signed = match products.packs_fast() {
            true => {
                widen(&tape.rounded_attention[kept], &mut self.signed[..rows * length]);
                &self.signed[..rows * length]
            }
            false => &tape.attention[kept],
        };
        let (weights, scores) = (&mut self.weights[..rows * length], &mut self.scores[..rows * length]);
        mixed_weights(signed, weights, scale);
        let mixed = &self.mixed[head.made.part(shape.values())];
        let mixed = View::new(&mixed[head.number * shape.value..], rows, shape.value, shape.values());
        products.multiply(
            head.values_mut(&mut self.projected),
            Output::Replaced,
            1.0,
            View::new(weights, rows, length, length).transposed(),
            mixed,
        );
        let values = head.values(&tape.projected);
        let values = match products.packs_fast() || rows < FEWEST_TURNED {
            true => values.transposed(),
            false => values.turned(&mut self.values),
        };
        products.multiply(ViewMut::new(scores, rows, length, length), Output::Replaced, 1.0, mixed, values);
        softmax_backward(scores, signed, length, scale, head.temperature);
        let scores = View::new(scores, rows, length, length);
        products.multiply(
            head.queries_mut(&mut self.projected),
            Output::Replaced,
            1.0,
            scores,
            head.keys(&tape.projected),
        );
        products.multiply(
            head.keys_mut(&mut self.projected),
            Output::Replaced,
            1.0,
            scores.transposed(),
            head.queries(&tape.projected),
        );
    }
}

/// The position of a backward pass in the network and in the batch.
struct Here<'a> {
    network: &'a BackwardNetwork<'a>,
    layer: usize,
    unit: &'a Unit,
    /// The rows that the layer computed.
    made: &'a Unit,
}

impl Here<'_> {
    fn weights(&self) -> &Weights {
        self.network.weights
    }

    fn ranges(&self) -> &LayerRanges {
        &self.weights().layout().layers[self.layer]
    }

    /// The output of another layer's last norm.
    fn norm_output(&self, layer: usize, tape: &NormTape, out: &mut [f32]) {
        let (ranges, dense) = (&self.weights().layout().layers[layer].feed_norm, &self.weights().dense);
        gain_and_shift(&tape.normalised, &dense[ranges.weight.clone()], &dense[ranges.bias.clone()], out);
    }

    /// Backpropagates `rows` through a norm, document by document, each with its own dropout. `sums` holds gain and shift.
    fn norm(
        &self,
        ranges: &NormRanges,
        tape: &NormTape,
        site: u64,
        rows: &mut [f32],
        branch: &mut [f32],
        sums: &mut [f32],
    ) {
        let width = ranges.weight.len();
        let (gain, shift) = sums.split_at_mut(width);
        for document in &self.made.documents {
            let part = document.part(width);
            let backward = Backward {
                normalised: &tape.normalised[part.clone()],
                deviations: &tape.deviations[document.part(1)],
                gain: &self.weights().dense[ranges.weight.clone()],
                dropout: document.masks(site),
            };
            backward.run(&mut rows[part.clone()], &mut branch[part], gain, shift);
        }
    }
}
