//! What one unit's forward pass keeps, except for what is cheap to recompute: a layer's input follows from the norm
//! before it, and dropped attention weights are marked by their sign.

use super::{
    super::{NptShape, kernels::product::Products},
    unit::Unit,
};

#[derive(Debug, Default)]
pub struct Tape {
    /// A BERT's norm before the first layer.
    pub embedding: NormTape,
    pub layers: Vec<LayerTape>,
    /// For each column of each document's vector, the row of the document that it came from (max-pooling).
    pub winners: Vec<u32>,
    /// The mean of each document's last rows, for mean pooling.
    pub means: Vec<f32>,
}

#[derive(Debug, Default)]
pub struct LayerTape {
    pub projected: Projected,
    /// Attention weights, one matrix per document and head, negative where dropped.
    pub attention: Vec<f32>,
    /// The same in bfloat16, instead of the others if products are: with many heads they are the largest part of a tape.
    pub rounded_attention: Vec<u16>,
    /// The mixed values of all heads.
    pub mixed: Vec<f32>,
    pub attention_norm: NormTape,
    /// The feed-forward layer after its rectifier, or before its GELU.
    pub hidden: Vec<f32>,
    pub feed_norm: NormTape,
}

/// Queries, keys and values of all heads, or their gradients.
#[derive(Debug, Default)]
pub struct Projected {
    /// Side by side; without the queries if only those of some rows are needed.
    pub rows: Vec<f32>,
    /// The queries of the requested rows.
    pub queries: Vec<f32>,
}

impl Projected {
    pub fn fit(&mut self, shape: &NptShape, unit: &Unit, made: &Unit) {
        let apart = if made.is_part() { shape.keys() } else { 0 };
        fit(&mut self.rows, unit.rows * (shape.projected() - apart));
        fit(&mut self.queries, made.rows * apart);
    }

    /// Zeros padding rows.
    pub fn clear_unused(&mut self, shape: &NptShape, unit: &Unit, made: &Unit) {
        let apart = if made.is_part() { shape.keys() } else { 0 };
        self.rows[unit.tokens() * (shape.projected() - apart)..].fill(0.0);
        self.queries[made.tokens() * apart..].fill(0.0);
    }
}

#[derive(Debug, Default)]
pub struct NormTape {
    pub normalised: Vec<f32>,
    pub deviations: Vec<f32>,
}

impl LayerTape {
    /// A tape for a backward pass with these products.
    pub fn new(shape: &NptShape, unit: &Unit, made: &Unit, products: Products) -> Self {
        let mut tape = Self::default();
        tape.fit(shape, unit, made);
        if products.packs_fast() {
            fit(&mut tape.rounded_attention, made.weights(shape));
        } else {
            fit(&mut tape.attention, made.weights(shape));
        }
        for norm in [&mut tape.attention_norm, &mut tape.feed_norm] {
            fit(&mut norm.normalised, made.rows * shape.width);
            fit(&mut norm.deviations, made.rows);
            norm.normalised[made.tokens() * shape.width..].fill(0.0);
        }
        tape
    }

    /// Resizes what a forward pass alone needs for a unit and the rows that the layer computes; the contents are unspecified.
    pub fn fit(&mut self, shape: &NptShape, unit: &Unit, made: &Unit) {
        self.projected.fit(shape, unit, made);
        fit(&mut self.mixed, made.rows * shape.values());
        fit(&mut self.hidden, made.rows * shape.feed_forward);
        // padding rows must not contain NaN: products read them
        self.mixed[made.tokens() * shape.values()..].fill(0.0);
    }
}

/// Sets a buffer's length without clearing it.
pub fn fit<T: Copy + Default>(buffer: &mut Vec<T>, length: usize) {
    if buffer.capacity() == 0 {
        *buffer = vec![T::default(); length];
    } else {
        buffer.resize(length, T::default());
    }
}
