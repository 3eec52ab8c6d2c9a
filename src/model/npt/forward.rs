//! One unit's way through the layers: dense layers over all rows, attention and dropout by document.

use super::{
    super::{
        Activation, NptShape, Packed, Pooling, Weights,
        bert::embedding,
        kernels::{
            elementwise::{add_bias_and_rectify, fill_rows, pool, rectify_winners},
            gelu::add_bias_and_gelu,
            mean::{direction, mean},
            norm,
            product::{Output, View, ViewMut, product},
            softmax::softmax,
        },
        layout::LayerRanges,
    },
    Take,
    first::FirstProjection,
    site,
    tape::{LayerTape, NormTape, Tape, fit},
    unit::{Member, Unit},
};

/// Buffers that a thread uses again for each unit.
#[derive(Default)]
pub struct ForwardScratch {
    rows: Vec<f32>,
    branch: Vec<f32>,
    weights: Vec<f32>,
    /// Stands in for the tape where nothing is kept.
    layer: LayerTape,
    vector: Vec<f32>,
    winners: Vec<u32>,
    means: Vec<f32>,
    /// The feed-forward layer after its activation, where the tape keeps it before.
    activated: Vec<f32>,
    embedding: NormTape,
}

/// Encodes a unit, hands each document's vector over, and keeps what backward needs.
pub fn forward_saving(
    weights: &Weights,
    documents: &Packed,
    first: Option<&FirstProjection>,
    unit: &Unit,
    take: Take,
    scratch: &mut ForwardScratch,
    deliver: impl FnMut(&[f32]),
) -> Tape {
    scratch.start(weights, documents, unit);
    let mut layers = Vec::new();
    for layer in 0..weights.shape().layers {
        let mut kept = LayerTape::new(weights.shape(), unit);
        scratch.project(weights, documents, first, layer, unit, &mut kept.projected);
        scratch.layer(weights, layer, unit, &mut kept);
        layers.push(kept);
    }
    scratch.take(weights.shape(), unit, take, deliver);
    let (winners, means) = (std::mem::take(&mut scratch.winners), std::mem::take(&mut scratch.means));
    Tape { embedding: std::mem::take(&mut scratch.embedding), layers, winners, means }
}

/// Encodes a unit and keeps nothing.
pub fn forward(
    weights: &Weights,
    documents: &Packed,
    first: Option<&FirstProjection>,
    unit: &Unit,
    take: Take,
    scratch: &mut ForwardScratch,
    deliver: impl FnMut(&[f32]),
) {
    scratch.start(weights, documents, unit);
    let mut passing = std::mem::take(&mut scratch.layer);
    passing.fit(weights.shape(), unit);
    for layer in 0..weights.shape().layers {
        scratch.project(weights, documents, first, layer, unit, &mut passing.projected);
        scratch.layer(weights, layer, unit, &mut passing);
    }
    scratch.layer = passing;
    scratch.take(weights.shape(), unit, take, deliver);
}

impl ForwardScratch {
    fn start(&mut self, weights: &Weights, documents: &Packed, unit: &Unit) {
        let shape = weights.shape();
        let longest = unit.documents.iter().map(|document| document.length).max().unwrap_or(0);
        fit(&mut self.rows, unit.rows * shape.width);
        fit(&mut self.branch, unit.rows * shape.width);
        fit(&mut self.weights, longest * longest);
        match &weights.layout().embedding {
            Some(ranges) => {
                embedding::forward(weights, ranges, documents, unit, &mut self.rows, &mut self.embedding)
            }
            None => embed(weights, documents, unit, &mut self.rows),
        }
    }

    /// Hands over what is wanted of the last layer, document after document.
    fn take(&mut self, shape: &NptShape, unit: &Unit, take: Take, mut deliver: impl FnMut(&[f32])) {
        let Take::Rows(picked) = take else { return self.pool(shape, unit, deliver) };
        for document in &unit.documents {
            for &position in picked.of(document.index) {
                deliver(&self.rows[(document.start + position as usize) * shape.width..][..shape.width]);
            }
        }
    }

    fn pool(&mut self, shape: &NptShape, unit: &Unit, mut deliver: impl FnMut(&[f32])) {
        let width = shape.width;
        fit(&mut self.vector, width);
        match shape.pooling {
            Pooling::Max | Pooling::Padded => self.winners.resize(unit.documents.len() * width, 0),
            Pooling::Mean => self.means.resize(unit.documents.len() * width, 0.0),
            Pooling::Cls => {}
        }
        for (place, document) in unit.documents.iter().enumerate() {
            let (rows, place) = (&self.rows[document.part(width)], place * width..(place + 1) * width);
            match shape.pooling {
                Pooling::Max => pool(rows, &mut self.vector, &mut self.winners[place]),
                Pooling::Padded => {
                    let winners = &mut self.winners[place];
                    pool(rows, &mut self.vector, winners);
                    if document.length < shape.positions {
                        rectify_winners(&mut self.vector, winners);
                    }
                }
                Pooling::Mean => {
                    mean(rows, &mut self.means[place.clone()]);
                    direction(&self.means[place], &mut self.vector);
                }
                Pooling::Cls => self.vector.copy_from_slice(&rows[..width]),
            }
            deliver(&self.vector);
        }
    }

    /// Queries, keys and values of a layer's input.
    fn project(
        &self,
        weights: &Weights,
        documents: &Packed,
        first: Option<&FirstProjection>,
        layer: usize,
        unit: &Unit,
        out: &mut [f32],
    ) {
        if let Some(first) = first.filter(|_| layer == 0) {
            return first.fill(documents, unit, out);
        }
        let (ranges, dense) = (&weights.layout().layers[layer], &weights.dense);
        let (width, projected) = (weights.shape().width, weights.shape().projected());
        fill_rows(out, &dense[ranges.project_bias.clone()]);
        product(
            ViewMut::new(out, unit.rows, projected, projected),
            Output::AddedTo,
            1.0,
            View::new(&self.rows, unit.rows, width, width),
            View::new(&dense[ranges.project_weight.clone()], projected, width, width).transposed(),
        );
    }

    /// Takes `rows` from a layer's input, which is projected already, to its output.
    fn layer(&mut self, weights: &Weights, layer: usize, unit: &Unit, tape: &mut LayerTape) {
        let length = unit.rows;
        let (shape, ranges, dense) = (weights.shape(), &weights.layout().layers[layer], &weights.dense);
        let width = shape.width;
        for document in &unit.documents {
            (0..shape.heads).for_each(|head| self.attend(shape, layer, head, document, tape));
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
            epsilon: shape.epsilon(),
            dropout: None,
        };
        normalise(norm, site::attention(layer), unit, &mut self.rows, &mut tape.attention_norm);
        self.feed(shape, ranges, dense, length, tape);
        let norm = norm::Forward {
            branch: &self.branch,
            branch_bias: &dense[ranges.down_bias.clone()],
            gain: &dense[ranges.feed_norm.weight.clone()],
            shift: &dense[ranges.feed_norm.bias.clone()],
            epsilon: shape.epsilon(),
            dropout: None,
        };
        normalise(norm, site::feed(layer), unit, &mut self.rows, &mut tape.feed_norm);
    }

    fn attend(
        &mut self,
        shape: &NptShape,
        layer: usize,
        head: usize,
        document: &Member,
        tape: &mut LayerTape,
    ) {
        let length = document.length;
        let parts = Heads::new(shape, head, length);
        let projected = &tape.projected[document.part(shape.projected())];
        let scores = &mut tape.attention[document.square(head)];
        let weights = &mut self.weights[..length * length];
        product(
            ViewMut::new(scores, length, length, length),
            Output::Replaced,
            parts.temperature,
            parts.queries(projected),
            parts.keys(projected).transposed(),
        );
        softmax(scores, weights, length, document.dropout.map(|dropout| dropout.at(site::head(layer, head))));
        let mixed = &mut tape.mixed[document.part(shape.values())];
        product(
            ViewMut::new(&mut mixed[head * shape.value..], length, shape.value, shape.values()),
            Output::Replaced,
            1.0,
            View::new(weights, length, length, length),
            parts.values(projected),
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
        let bias = &dense[ranges.up_bias.clone()];
        let activated = match shape.activation() {
            Activation::Relu => {
                add_bias_and_rectify(&mut tape.hidden, bias);
                &tape.hidden
            }
            Activation::Gelu => {
                fit(&mut self.activated, length * inner);
                add_bias_and_gelu(&mut tape.hidden, bias, &mut self.activated);
                &self.activated
            }
        };
        product(
            ViewMut::new(&mut self.branch, length, width, width),
            Output::Replaced,
            1.0,
            View::new(activated, length, inner, inner),
            View::new(&dense[ranges.down_weight.clone()], width, inner, inner).transposed(),
        );
    }
}

/// Runs a norm over each document with its own dropout.
fn normalise(norm: norm::Forward, site: u64, unit: &Unit, rows: &mut [f32], tape: &mut NormTape) {
    let width = norm.gain.len();
    tape.normalised.copy_from_slice(rows);
    for document in &unit.documents {
        let part = document.part(width);
        let branch = &norm.branch[part.clone()];
        let dropout = document.dropout.map(|dropout| dropout.at(site));
        let deviations = &mut tape.deviations[document.part(1)];
        norm::Forward { branch, dropout, ..norm }.run(
            &mut tape.normalised[part.clone()],
            &mut rows[part],
            deviations,
        );
    }
}

/// The first layer's input: words plus positions, and zeros in rows of no document.
pub fn embed(weights: &Weights, documents: &Packed, unit: &Unit, rows: &mut [f32]) {
    let width = weights.shape().width;
    rows[unit.tokens() * width..].fill(0.0);
    for document in &unit.documents {
        let (tokens, positions) =
            (documents.document(document.index), weights.positions().chunks_exact(width));
        let rows = rows[document.part(width)].chunks_exact_mut(width);
        for ((row, &token), position) in rows.zip(tokens).zip(positions) {
            let word = &weights.words[token as usize * width..][..width];
            for (value, (word, position)) in row.iter_mut().zip(word.iter().zip(position)) {
                *value = word + position;
            }
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
