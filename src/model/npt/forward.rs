//! The forward pass of one unit: dense layers over all rows, attention and dropout per document.

use super::{
    super::{
        Activation, NptShape, Packed, Pooling, Weights,
        bert::embedding,
        kernels::{
            elementwise::{pool, rectify_winners},
            gelu::add_bias_and_gelu,
            mean::{direction, mean},
            norm,
            product::{Output, Products, View, ViewMut},
            rounded::round,
            softmax::{softmax, softmax_in_place},
        },
    },
    network::{Dense, Network},
    site,
    tape::{LayerTape, NormTape, Projected, Tape, fit},
    unit::{Member, Unit},
};

/// Buffers that a thread reuses for each unit.
#[derive(Default)]
pub struct ForwardScratch {
    rows: Vec<f32>,
    branch: Vec<f32>,
    weights: Vec<f32>,
    /// A head's scores, where the tape has no place for them.
    scores: Vec<f32>,
    /// A head's keys, transposed.
    keys: Vec<f32>,
    /// The requested rows.
    wanted: Vec<f32>,
    /// Replaces the tape if nothing is kept.
    layer: LayerTape,
    vector: Vec<f32>,
    winners: Vec<u32>,
    means: Vec<f32>,
    /// The feed-forward layer after its activation, if the tape keeps it before.
    activated: Vec<f32>,
    embedding: NormTape,
}

/// Encodes a unit, passes on each document's vectors, and keeps what backward needs.
pub fn forward_saving(
    network: &Network,
    documents: &Packed,
    unit: &Unit,
    scratch: &mut ForwardScratch,
    deliver: impl FnMut(&[f32]),
) -> Tape {
    let shape = network.weights.shape();
    scratch.start(network.weights, documents, unit);
    let mut layers = Vec::new();
    for layer in 0..shape.layers {
        let made = unit.made(layer + 1 == shape.layers);
        let mut kept = LayerTape::new(shape, unit, made, network.weights.products());
        scratch.layer(network, documents, layer, [unit, made], &mut kept);
        layers.push(kept);
    }
    scratch.take(shape, unit, deliver);
    let (winners, means) = (std::mem::take(&mut scratch.winners), std::mem::take(&mut scratch.means));
    Tape { embedding: std::mem::take(&mut scratch.embedding), layers, winners, means }
}

/// Encodes a unit and keeps nothing.
pub fn forward(
    network: &Network,
    documents: &Packed,
    unit: &Unit,
    scratch: &mut ForwardScratch,
    deliver: impl FnMut(&[f32]),
) {
    let shape = network.weights.shape();
    scratch.start(network.weights, documents, unit);
    let mut passing = std::mem::take(&mut scratch.layer);
    for layer in 0..shape.layers {
        let made = unit.made(layer + 1 == shape.layers);
        passing.fit(shape, unit, made);
        scratch.layer(network, documents, layer, [unit, made], &mut passing);
    }
    scratch.layer = passing;
    scratch.take(shape, unit, deliver);
}

impl ForwardScratch {
    fn start(&mut self, weights: &Weights, documents: &Packed, unit: &Unit) {
        let shape = weights.shape();
        let longest = unit.documents.iter().map(|document| document.length).max().unwrap_or(0);
        fit(&mut self.rows, unit.rows * shape.width);
        fit(&mut self.weights, longest * longest);
        fit(&mut self.scores, longest * longest);
        fit(&mut self.keys, longest * shape.key);
        match &weights.layout().embedding {
            Some(ranges) => {
                embedding::forward(weights, ranges, documents, unit, &mut self.rows, &mut self.embedding)
            }
            None => embed(weights, documents, unit, &mut self.rows),
        }
    }

    /// Passes on the requested rows of the last layer, document by document.
    fn take(&mut self, shape: &NptShape, unit: &Unit, deliver: impl FnMut(&[f32])) {
        let Some(wanted) = &unit.wanted else { return self.pool(shape, unit, deliver) };
        let rows = &self.rows[..wanted.tokens() * shape.width];
        rows.chunks_exact(shape.width).for_each(deliver);
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

    /// Queries, keys and values of a layer's input; only the requested ones are kept.
    fn project(
        &mut self,
        network: &Network,
        documents: &Packed,
        layer: usize,
        [unit, made]: [&Unit; 2],
        out: &mut Projected,
    ) {
        if let Some(first) = network.first.as_ref().filter(|_| layer == 0) {
            return first.fill(documents, unit, &mut out.rows);
        }
        let (weights, shape) = (network.weights, network.weights.shape());
        let bias = &weights.dense[weights.layout().layers[layer].project_bias.clone()];
        let (width, projected) = (shape.width, shape.projected());
        let apart = if made.is_part() { shape.keys() } else { 0 };
        let dense = |rows: &[f32], count: usize, outputs: std::ops::Range<usize>, out: &mut [f32]| {
            let (rows, bias) = (View::new(rows, count, width, width), &bias[outputs.clone()]);
            let matrix = network.matrix(layer, Dense::Project, outputs);
            weights.products().dense(out, rows, matrix, bias, false);
        };
        dense(&self.rows, unit.rows, apart..projected, &mut out.rows);
        if made.is_part() {
            fit(&mut self.wanted, made.rows * width);
            gather(&self.rows, unit, made, width, &mut self.wanted);
            std::mem::swap(&mut self.rows, &mut self.wanted);
            dense(&self.rows, made.rows, 0..apart, &mut out.queries);
        }
    }

    /// Computes a layer: `rows` are its input, then the requested rows of its output.
    fn layer(
        &mut self,
        network: &Network,
        documents: &Packed,
        layer: usize,
        [unit, made]: [&Unit; 2],
        tape: &mut LayerTape,
    ) {
        let (weights, shape) = (network.weights, network.weights.shape());
        let (ranges, dense) = (&weights.layout().layers[layer], &weights.dense);
        let (length, width, values) = (made.rows, shape.width, shape.values());
        self.project(network, documents, layer, [unit, made], &mut tape.projected);
        let products = weights.products();
        for (document, made) in unit.documents.iter().zip(&made.documents) {
            let heads = if made.length == 0 { 0 } else { shape.heads };
            for head in 0..heads {
                self.attend(products, &Head::new(shape, head, document, made), site::head(layer, head), tape);
            }
        }
        fit(&mut self.branch, length * width);
        weights.products().multiply(
            ViewMut::new(&mut self.branch, length, width, width),
            Output::Replaced,
            1.0,
            View::new(&tape.mixed, length, values, values),
            network.matrix(layer, Dense::Out, 0..width),
        );
        let norm = norm::Forward {
            branch: &self.branch,
            branch_bias: &dense[ranges.out_bias.clone()],
            gain: &dense[ranges.attention_norm.weight.clone()],
            shift: &dense[ranges.attention_norm.bias.clone()],
            epsilon: shape.epsilon(),
            dropout: None,
        };
        normalise(norm, site::attention(layer), made, &mut self.rows, &mut tape.attention_norm);
        self.feed(network, layer, length, tape);
        let norm = norm::Forward {
            branch: &self.branch,
            branch_bias: &dense[ranges.down_bias.clone()],
            gain: &dense[ranges.feed_norm.weight.clone()],
            shift: &dense[ranges.feed_norm.bias.clone()],
            epsilon: shape.epsilon(),
            dropout: None,
        };
        normalise(norm, site::feed(layer), made, &mut self.rows, &mut tape.feed_norm);
    }

    fn attend(&mut self, products: Products, head: &Head, site: u64, tape: &mut LayerTape) {
        let (rows, length) = (head.made.length, head.document.length);
        let kept = head.made.weights(head.number);
        let is_kept = !tape.attention.is_empty() || !tape.rounded_attention.is_empty();
        let scores = match tape.attention.is_empty() {
            true => &mut self.scores[..rows * length],
            false => &mut tape.attention[kept.clone()],
        };
        let keys = head.keys(&tape.projected);
        let keys = match products.packs_fast() || rows < FEWEST_TURNED {
            true => keys.transposed(),
            false => keys.turned(&mut self.keys),
        };
        products.multiply(
            ViewMut::new(scores, rows, length, length),
            Output::Replaced,
            head.temperature,
            head.queries(&tape.projected),
            keys,
        );
        let weights = match head.made.masks(site) {
            None if !is_kept => {
                softmax_in_place(scores, length);
                &*scores
            }
            masks => {
                let weights = &mut self.weights[..rows * length];
                softmax(scores, weights, length, masks);
                if let Some(kept) = tape.rounded_attention.get_mut(kept) {
                    round(scores, kept);
                }
                weights
            }
        };
        let (value, values) = (head.shape.value, head.shape.values());
        let mixed = &mut tape.mixed[head.made.part(values)];
        products.multiply(
            ViewMut::new(&mut mixed[head.number * value..], rows, value, values),
            Output::Replaced,
            1.0,
            View::new(weights, rows, length, length),
            head.values(&tape.projected),
        );
    }

    fn feed(&mut self, network: &Network, layer: usize, length: usize, tape: &mut LayerTape) {
        let (weights, shape) = (network.weights, network.weights.shape());
        let (width, inner) = (shape.width, shape.feed_forward);
        let bias = &weights.dense[weights.layout().layers[layer].up_bias.clone()];
        let (rows, matrix) =
            (View::new(&self.rows, length, width, width), network.matrix(layer, Dense::Up, 0..inner));
        let activated = match shape.activation() {
            Activation::Relu => {
                weights.products().dense(&mut tape.hidden, rows, matrix, bias, true);
                &tape.hidden
            }
            Activation::Gelu => {
                let hidden = ViewMut::new(&mut tape.hidden, length, inner, inner);
                weights.products().multiply(hidden, Output::Replaced, 1.0, rows, matrix);
                fit(&mut self.activated, length * inner);
                add_bias_and_gelu(&mut tape.hidden, bias, &mut self.activated);
                &self.activated
            }
        };
        weights.products().multiply(
            ViewMut::new(&mut self.branch, length, width, width),
            Output::Replaced,
            1.0,
            View::new(activated, length, inner, inner),
            network.matrix(layer, Dense::Down, 0..width),
        );
    }
}

/// From this many rows on, transposing a head's keys saves more time than it takes.
pub const FEWEST_TURNED: usize = 16;

/// Copies the rows that a layer computes out of all rows, with zeros in padding rows.
pub fn gather(rows: &[f32], unit: &Unit, made: &Unit, width: usize, out: &mut [f32]) {
    out[made.tokens() * width..].fill(0.0);
    for (document, made) in unit.documents.iter().zip(&made.documents) {
        let rows = &rows[document.part(width)];
        let positions = made.positions.iter().flatten();
        for (out, &position) in out[made.part(width)].chunks_exact_mut(width).zip(positions) {
            out.copy_from_slice(&rows[position as usize * width..][..width]);
        }
    }
}

/// Runs a norm over each document with its own dropout. An empty tape keeps nothing.
fn normalise(norm: norm::Forward, site: u64, unit: &Unit, rows: &mut [f32], tape: &mut NormTape) {
    let (width, is_kept) = (norm.gain.len(), !tape.normalised.is_empty());
    if is_kept {
        tape.normalised.copy_from_slice(rows);
    }
    for document in &unit.documents {
        let part = document.part(width);
        let branch = &norm.branch[part.clone()];
        let dropout = document.masks(site);
        if !is_kept {
            norm::Forward { branch, dropout, ..norm }.run_in_place(&mut rows[part]);
            continue;
        }
        let deviations = &mut tape.deviations[document.part(1)];
        norm::Forward { branch, dropout, ..norm }.run(
            &mut tape.normalised[part.clone()],
            &mut rows[part],
            deviations,
        );
    }
}

/// The first layer's input: words plus positions, and zeros in padding rows.
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

/// One head of one document: the positions of its queries, keys and values among the projected columns.
pub struct Head<'a> {
    pub shape: &'a NptShape,
    pub number: usize,
    pub document: &'a Member,
    /// The document's rows that the layer computes.
    pub made: &'a Member,
    /// Scores are divided by the square root of the key's width.
    pub temperature: f32,
}

impl<'a> Head<'a> {
    pub fn new(shape: &'a NptShape, number: usize, document: &'a Member, made: &'a Member) -> Self {
        Self { shape, number, document, made, temperature: 1.0 / (shape.key as f32).sqrt() }
    }

    fn is_apart(&self) -> bool {
        self.made.positions.is_some()
    }

    /// The columns of keys and values.
    fn stride(&self) -> usize {
        self.shape.projected() - if self.is_apart() { self.shape.keys() } else { 0 }
    }

    fn query_stride(&self) -> usize {
        if self.is_apart() { self.shape.keys() } else { self.shape.projected() }
    }

    fn key_start(&self) -> usize {
        self.stride() - self.shape.keys() - self.shape.values() + self.number * self.shape.key
    }

    fn value_start(&self) -> usize {
        self.stride() - self.shape.values() + self.number * self.shape.value
    }

    pub fn queries<'v>(&self, projected: &'v Projected) -> View<'v> {
        let stride = self.query_stride();
        let rows = if self.is_apart() { &projected.queries } else { &projected.rows };
        let rows = &rows[self.made.part(stride)];
        View::new(&rows[self.number * self.shape.key..], self.made.length, self.shape.key, stride)
    }

    pub fn keys<'v>(&self, projected: &'v Projected) -> View<'v> {
        let rows = &projected.rows[self.document.part(self.stride())];
        View::new(&rows[self.key_start()..], self.document.length, self.shape.key, self.stride())
    }

    pub fn values<'v>(&self, projected: &'v Projected) -> View<'v> {
        let rows = &projected.rows[self.document.part(self.stride())];
        View::new(&rows[self.value_start()..], self.document.length, self.shape.value, self.stride())
    }

    /// The columns of the queries in a gradient, mutable.
    pub fn queries_mut<'v>(&self, projected: &'v mut Projected) -> ViewMut<'v> {
        let stride = self.query_stride();
        let rows = if self.is_apart() { &mut projected.queries } else { &mut projected.rows };
        let rows = &mut rows[self.made.part(stride)];
        ViewMut::new(&mut rows[self.number * self.shape.key..], self.made.length, self.shape.key, stride)
    }

    pub fn keys_mut<'v>(&self, projected: &'v mut Projected) -> ViewMut<'v> {
        let rows = &mut projected.rows[self.document.part(self.stride())];
        ViewMut::new(&mut rows[self.key_start()..], self.document.length, self.shape.key, self.stride())
    }

    pub fn values_mut<'v>(&self, projected: &'v mut Projected) -> ViewMut<'v> {
        let rows = &mut projected.rows[self.document.part(self.stride())];
        ViewMut::new(&mut rows[self.value_start()..], self.document.length, self.shape.value, self.stride())
    }
}
