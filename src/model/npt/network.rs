//! The weights of a model as a forward pass reads them: transposed, so that products pack them fast.

use std::ops::Range;

use rayon::prelude::*;

use super::{
    super::{
        Packed, Weights,
        kernels::{
            bf16::{PackedRight, Right},
            product::{Products, View},
            transpose::transpose,
        },
        layout::LayerRanges,
    },
    first::FirstProjection,
};

/// From this many tokens on, transposing a model's weights saves more time than it takes.
const MIN_TRANSPOSED: usize = 64;
/// With fewer outputs than this a product rounds differently if its weights are not transposed (see [`super::unit`]).
const FEWEST_OUTPUTS: usize = 16;

/// A model prepared for a forward pass.
pub struct Network<'a> {
    pub weights: &'a Weights,
    /// The dense weights of each layer.
    matrices: Matrices,
    /// The first layer's projections of each word and each position of an NPT. A BERT normalizes their sum, so they cannot
    /// be projected separately.
    pub first: Option<FirstProjection>,
}

/// Dense weights, as products read them.
enum Matrices {
    /// As stored, one row per output: for a short batch.
    AsStored,
    /// Transposed, one row per input.
    Transposed(Vec<Vec<f32>>),
    Packed(Vec<PackedRight>),
}

/// A model prepared for a backward pass.
pub struct BackwardNetwork<'a> {
    pub weights: &'a Weights,
    /// The dense weights of each layer, if products are in bf16.
    packed: Option<Vec<PackedRight>>,
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
        let matrices = match weights.products() {
            Products::Bf16(cpu) => Matrices::Packed(each_dense(weights, |ranges, which| {
                let boundary = if which == Dense::Project { shape.keys() } else { 0 };
                PackedRight::new(cpu, stored(weights, ranges, which).transposed(), &[boundary])
            })),
            Products::F32 if is_narrow || documents.tokens().len() >= MIN_TRANSPOSED => {
                Matrices::Transposed(each_dense(weights, |ranges, which| transposed(weights, ranges, which)))
            }
            Products::F32 => Matrices::AsStored,
        };
        let mut network = Network { weights, matrices, first: None };
        if weights.layout().embedding.is_none() {
            network.first = Some(FirstProjection::new(&network, documents));
        }
        network
    }

    /// Some outputs of dense weights, as a matrix with one row per input.
    pub fn matrix(&self, layer: usize, which: Dense, outputs: Range<usize>) -> Right<'_> {
        let ranges = &self.weights.layout().layers[layer];
        let (range, all) = (which.range(ranges), which.outputs(ranges));
        let inputs = range.len() / all;
        let index = layer * DENSE.len() + which as usize;
        match &self.matrices {
            Matrices::Packed(packed) => Right::Packed(&packed[index], [outputs.start, outputs.end]),
            Matrices::Transposed(transposed) => {
                View::new(&transposed[index][outputs.start..], inputs, outputs.len(), all).into()
            }
            Matrices::AsStored => {
                let values = &self.weights.dense[range];
                let outputs = View::new(&values[outputs.start * inputs..], outputs.len(), inputs, inputs);
                outputs.transposed().into()
            }
        }
    }
}

impl<'a> BackwardNetwork<'a> {
    pub fn new(weights: &'a Weights) -> BackwardNetwork<'a> {
        let packed = match weights.products() {
            Products::F32 => None,
            Products::Bf16(cpu) => Some(each_dense(weights, |ranges, which| {
                PackedRight::new(cpu, stored(weights, ranges, which), &[])
            })),
        };
        BackwardNetwork { weights, packed }
    }

    /// Dense weights as a matrix with one row per output.
    pub fn matrix(&self, layer: usize, which: Dense) -> Right<'_> {
        let matrix = stored(self.weights, &self.weights.layout().layers[layer], which);
        match &self.packed {
            Some(packed) => {
                Right::Packed(&packed[layer * DENSE.len() + which as usize], [0, matrix.columns()])
            }
            None => matrix.into(),
        }
    }
}

/// Prepares each of the dense weights, in the order of layers and of [`DENSE`].
fn each_dense<T: Send>(weights: &Weights, prepare: impl Fn(&LayerRanges, Dense) -> T + Sync) -> Vec<T> {
    let layers = &weights.layout().layers;
    let every: Vec<(&LayerRanges, Dense)> =
        layers.iter().flat_map(|ranges| DENSE.map(|which| (ranges, which))).collect();
    every.into_par_iter().with_max_len(1).map(|(ranges, which)| prepare(ranges, which)).collect()
}

/// Dense weights as stored, one row per output.
fn stored<'a>(weights: &'a Weights, ranges: &LayerRanges, which: Dense) -> View<'a> {
    let (values, outputs) = (&weights.dense[which.range(ranges)], which.outputs(ranges));
    let inputs = values.len() / outputs;
    View::new(values, outputs, inputs, inputs)
}

fn transposed(weights: &Weights, ranges: &LayerRanges, which: Dense) -> Vec<f32> {
    let (values, outputs) = (&weights.dense[which.range(ranges)], which.outputs(ranges));
    let inputs = values.len() / outputs;
    let mut out = vec![0.0; values.len()];
    transpose(values, outputs, inputs, inputs, &mut out);
    out
}
