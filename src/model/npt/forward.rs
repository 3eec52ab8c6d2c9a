//! One document's way through the layers.

use super::{
    super::{
        NptShape, Weights,
        kernels::{
            elementwise::{add_bias_and_rectify, fill_rows, pool},
            norm,
            product::{Output, View, ViewMut, product},
            softmax::softmax,
        },
        layout::LayerRanges,
        random::Dropout,
    },
    site,
    tape::{LayerTape, NormTape, Tape, fit},
};

/// Buffers that a thread uses again for each document.
#[derive(Default)]
pub struct ForwardScratch {
    rows: Vec<f32>,
    branch: Vec<f32>,
    weights: Vec<f32>,
    /// Stands in for the tape where nothing is kept.
    layer: LayerTape,
    winners: Vec<u32>,
}

/// Encodes a document and keeps what backward needs.
pub fn forward_saving(
    weights: &Weights,
    tokens: &[u32],
    dropout: Option<Dropout>,
    scratch: &mut ForwardScratch,
    vector: &mut [f32],
) -> Tape {
    scratch.start(weights, tokens);
    let mut tape = Tape { layers: Vec::new(), winners: vec![0; vector.len()] };
    for layer in 0..weights.shape().layers {
        let mut kept = LayerTape::new(weights.shape(), tokens.len());
        scratch.layer(weights, layer, tokens.len(), dropout, &mut kept);
        tape.layers.push(kept);
    }
    pool(&scratch.rows, vector, &mut tape.winners);
    tape
}

/// Encodes a document and keeps nothing.
pub fn forward(
    weights: &Weights,
    tokens: &[u32],
    dropout: Option<Dropout>,
    scratch: &mut ForwardScratch,
    vector: &mut [f32],
) {
    scratch.start(weights, tokens);
    let mut passing = std::mem::take(&mut scratch.layer);
    passing.fit(weights.shape(), tokens.len());
    for layer in 0..weights.shape().layers {
        scratch.layer(weights, layer, tokens.len(), dropout, &mut passing);
    }
    scratch.layer = passing;
    scratch.winners.resize(vector.len(), 0);
    pool(&scratch.rows, vector, &mut scratch.winners);
}

impl ForwardScratch {
    fn start(&mut self, weights: &Weights, tokens: &[u32]) {
        let shape = weights.shape();
        fit(&mut self.rows, tokens.len() * shape.width);
        fit(&mut self.branch, tokens.len() * shape.width);
        fit(&mut self.weights, tokens.len() * tokens.len());
        embed(weights, tokens, &mut self.rows);
    }

    /// Takes `rows` from a layer's input to its output.
    fn layer(
        &mut self,
        weights: &Weights,
        layer: usize,
        length: usize,
        dropout: Option<Dropout>,
        tape: &mut LayerTape,
    ) {
        let (shape, ranges, dense) = (weights.shape(), &weights.layout().layers[layer], &weights.dense);
        let (width, projected) = (shape.width, shape.projected());
        fill_rows(&mut tape.projected, &dense[ranges.project_bias.clone()]);
        product(
            ViewMut::new(&mut tape.projected, length, projected, projected),
            Output::AddedTo,
            1.0,
            View::new(&self.rows, length, width, width),
            View::new(&dense[ranges.project_weight.clone()], projected, width, width).transposed(),
        );
        for head in 0..shape.heads {
            self.attend(
                shape,
                head,
                length,
                dropout.map(|dropout| dropout.at(site::head(layer, head))),
                tape,
            );
        }
        product(
            ViewMut::new(&mut self.branch, length, width, width),
            Output::Replaced,
            1.0,
            View::new(&tape.mixed, length, shape.values(), shape.values()),
            View::new(&dense[ranges.out_weight.clone()], width, shape.values(), shape.values()).transposed(),
        );
        let norm = norm::Forward {
            branch: &self.branch,
            branch_bias: &dense[ranges.out_bias.clone()],
            gain: &dense[ranges.attention_norm.weight.clone()],
            shift: &dense[ranges.attention_norm.bias.clone()],
            dropout: dropout.map(|dropout| dropout.at(site::attention(layer))),
        };
        normalise(&norm, &mut self.rows, &mut tape.attention_norm);
        self.feed(shape, ranges, dense, length, tape);
        let norm = norm::Forward {
            branch: &self.branch,
            branch_bias: &dense[ranges.down_bias.clone()],
            gain: &dense[ranges.feed_norm.weight.clone()],
            shift: &dense[ranges.feed_norm.bias.clone()],
            dropout: dropout.map(|dropout| dropout.at(site::feed(layer))),
        };
        normalise(&norm, &mut self.rows, &mut tape.feed_norm);
    }

    fn attend(
        &mut self,
        shape: &NptShape,
        head: usize,
        length: usize,
        dropout: Option<super::super::random::Site>,
        tape: &mut LayerTape,
    ) {
        let parts = Heads::new(shape, head, length);
        let scores = &mut tape.attention[head * length * length..][..length * length];
        product(
            ViewMut::new(scores, length, length, length),
            Output::Replaced,
            parts.temperature,
            parts.queries(&tape.projected),
            parts.keys(&tape.projected).transposed(),
        );
        softmax(scores, &mut self.weights, length, dropout);
        product(
            ViewMut::new(&mut tape.mixed[head * shape.value..], length, shape.value, shape.values()),
            Output::Replaced,
            1.0,
            View::new(&self.weights, length, length, length),
            parts.values(&tape.projected),
        );
    }

    fn feed(
        &mut self,
        shape: &NptShape,
        ranges: &LayerRanges,
        dense: &[f32],
        length: usize,
        tape: &mut LayerTape,
    ) {
        let (width, inner) = (shape.width, shape.feed_forward);
        product(
            ViewMut::new(&mut tape.hidden, length, inner, inner),
            Output::Replaced,
            1.0,
            View::new(&self.rows, length, width, width),
            View::new(&dense[ranges.up_weight.clone()], inner, width, width).transposed(),
        );
        add_bias_and_rectify(&mut tape.hidden, &dense[ranges.up_bias.clone()]);
        product(
            ViewMut::new(&mut self.branch, length, width, width),
            Output::Replaced,
            1.0,
            View::new(&tape.hidden, length, inner, inner),
            View::new(&dense[ranges.down_weight.clone()], width, inner, inner).transposed(),
        );
    }
}

fn normalise(norm: &norm::Forward, rows: &mut [f32], tape: &mut NormTape) {
    tape.normalised.copy_from_slice(rows);
    norm.run(&mut tape.normalised, rows, &mut tape.deviations);
}

/// The first layer's input: words plus positions.
pub fn embed(weights: &Weights, tokens: &[u32], rows: &mut [f32]) {
    let width = weights.shape().width;
    let positions = weights.positions().chunks_exact(width);
    for ((row, &token), position) in rows.chunks_exact_mut(width).zip(tokens).zip(positions) {
        let word = &weights.words[token as usize * width..][..width];
        for (value, (word, position)) in row.iter_mut().zip(word.iter().zip(position)) {
            *value = word + position;
        }
    }
}

/// Where one head's queries, keys and values lie among the projected columns.
pub struct Heads {
    length: usize,
    stride: usize,
    key: usize,
    value: usize,
    pub query_start: usize,
    pub key_start: usize,
    pub value_start: usize,
    /// Scores are divided by the root of the key's width.
    pub temperature: f32,
}

impl Heads {
    pub fn new(shape: &NptShape, head: usize, length: usize) -> Self {
        Self {
            length,
            stride: shape.projected(),
            key: shape.key,
            value: shape.value,
            query_start: head * shape.key,
            key_start: shape.keys() + head * shape.key,
            value_start: 2 * shape.keys() + head * shape.value,
            temperature: 1.0 / (shape.key as f32).sqrt(),
        }
    }

    pub fn queries<'a>(&self, projected: &'a [f32]) -> View<'a> {
        View::new(&projected[self.query_start..], self.length, self.key, self.stride)
    }

    pub fn keys<'a>(&self, projected: &'a [f32]) -> View<'a> {
        View::new(&projected[self.key_start..], self.length, self.key, self.stride)
    }

    pub fn values<'a>(&self, projected: &'a [f32]) -> View<'a> {
        View::new(&projected[self.value_start..], self.length, self.value, self.stride)
    }

    /// The same columns of a gradient, to be written.
    pub fn columns<'a>(&self, projected: &'a mut [f32], start: usize) -> ViewMut<'a> {
        let columns = if start == self.value_start { self.value } else { self.key };
        ViewMut::new(&mut projected[start..], self.length, columns, self.stride)
    }
}
