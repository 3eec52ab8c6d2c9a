//! What one document's forward pass keeps, and nothing that is cheap to compute again: a layer's input comes
//! back from the norm before it, and the dropped attention weights from the signs of the kept ones.

use super::super::NptShape;

#[derive(Debug, Default)]
pub struct Tape {
    pub layers: Vec<LayerTape>,
    /// For each column of the vector, the token it came from.
    pub winners: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct LayerTape {
    /// Queries, keys and values of all heads, side by side.
    pub projected: Vec<f32>,
    /// Attention weights, one square a head, negative where dropped.
    pub attention: Vec<f32>,
    /// The mixed values of all heads.
    pub mixed: Vec<f32>,
    pub attention_norm: NormTape,
    /// The feed-forward layer after its rectifier.
    pub hidden: Vec<f32>,
    pub feed_norm: NormTape,
}

#[derive(Debug, Default)]
pub struct NormTape {
    pub normalised: Vec<f32>,
    pub deviations: Vec<f32>,
}

impl LayerTape {
    pub fn new(shape: &NptShape, length: usize) -> Self {
        let mut tape = Self::default();
        tape.fit(shape, length);
        tape
    }

    /// Gives every part the size for a document of this length; what it holds then is not defined.
    pub fn fit(&mut self, shape: &NptShape, length: usize) {
        fit(&mut self.projected, length * shape.projected());
        fit(&mut self.attention, shape.heads * length * length);
        fit(&mut self.mixed, length * shape.values());
        fit(&mut self.hidden, length * shape.feed_forward);
        for norm in [&mut self.attention_norm, &mut self.feed_norm] {
            fit(&mut norm.normalised, length * shape.width);
            fit(&mut norm.deviations, length);
        }
    }
}

/// Sets a buffer's length without clearing what it holds.
pub fn fit(buffer: &mut Vec<f32>, length: usize) {
    if buffer.capacity() == 0 {
        *buffer = vec![0.0; length];
    } else {
        buffer.resize(length, 0.0);
    }
}
