//! What a forward pass reads of a model: its weights, transposed so that products pack them fast.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    super::{
        Packed, Weights,
        kernels::{product::View, transpose::transpose},
        layout::LayerRanges,
    },
    first::FirstProjection,
};

/// Tokens from which on turning a model's weights takes less time than it saves.
const MIN_TRANSPOSED: usize = 64;
/// With fewer outputs than this a product rounds differently if its weights are not transposed (see [`super::unit`]).
const FEWEST_OUTPUTS: usize = 16;

/// A model that a batch is about to go through.
pub struct Network<'a> {
    pub weights: &'a Weights,
    /// Layer after layer its dense weights, a row for each input. None for a short batch.
    transposed: Option<Vec<Vec<f32>>>,
    /// What the first layer of an NPT makes of each word and each position. A BERT has a norm before it, which the two
    /// have to go through together.
    pub first: Option<FirstProjection>,
}

/// The dense weights of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dense {
    Project,
    Out,
    Up,
    Down,
}

const DENSE: [Dense; 4] = [Dense::Project, Dense::Out, Dense::Up, Dense::Down];

impl Dense {
    fn range(self, ranges: &LayerRanges) -> Range<usize> {
        match self {
            Dense::Project => ranges.project_weight.clone(),
            Dense::Out => ranges.out_weight.clone(),
            Dense::Up => ranges.up_weight.clone(),
            Dense::Down => ranges.down_weight.clone(),
        }
    }

    fn outputs(self, ranges: &LayerRanges) -> usize {
        match self {
            Dense::Project => ranges.project_bias.len(),
            Dense::Out => ranges.out_bias.len(),
            Dense::Up => ranges.up_bias.len(),
            Dense::Down => ranges.down_bias.len(),
        }
    }
}

impl<'a> Network<'a> {
    pub fn new(weights: &'a Weights, documents: &Packed) -> Network<'a> {
        let shape = weights.shape();
        let is_narrow =
            [shape.width, shape.keys(), shape.feed_forward].iter().any(|&each| each < FEWEST_OUTPUTS);
        let transposed = (is_narrow || documents.tokens().len() >= MIN_TRANSPOSED).then(|| {
            let layers = &weights.layout().layers;
            let every: Vec<(&LayerRanges, Dense)> =
                layers.iter().flat_map(|ranges| DENSE.map(|which| (ranges, which))).collect();
            every
                .into_par_iter()
                .with_max_len(1)
                .map(|(ranges, which)| transposed(weights, ranges, which))
                .collect()
        });
        let mut network = Network { weights, transposed, first: None };
        if weights.layout().embedding.is_none() {
            network.first = Some(FirstProjection::new(&network, documents));
        }
        network
    }

    /// Some of the outputs of dense weights, as a matrix with a row for each input.
    pub fn matrix(&self, layer: usize, which: Dense, outputs: Range<usize>) -> View<'_> {
        let ranges = &self.weights.layout().layers[layer];
        let (range, all) = (which.range(ranges), which.outputs(ranges));
        let inputs = range.len() / all;
        match &self.transposed {
            Some(transposed) => {
                let values = &transposed[layer * DENSE.len() + which as usize];
                View::new(&values[outputs.start..], inputs, outputs.len(), all)
            }
            None => {
                let values = &self.weights.dense[range];
                View::new(&values[outputs.start * inputs..], outputs.len(), inputs, inputs).transposed()
            }
        }
    }
}

fn transposed(weights: &Weights, ranges: &LayerRanges, which: Dense) -> Vec<f32> {
    let (values, outputs) = (&weights.dense[which.range(ranges)], which.outputs(ranges));
    let inputs = values.len() / outputs;
    let mut out = vec![0.0; values.len()];
    transpose(values, outputs, inputs, inputs, &mut out);
    out
}
