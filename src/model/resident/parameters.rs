//! The parameters of a model on a device, with what an optimizer keeps of them.

use std::ops::Range;

use candle_core::{DType, Result, Tensor};

use super::{
    super::{Family, Layout, Weights, layout::NormRanges},
    backend::{Backend, values},
    ops::UpdateTarget,
};

/// Every parameter, packed as the kernels read them: queries, keys and values together, gain and shift together.
pub struct Parameters {
    pub words: UpdateTarget,
    pub dense: Vec<UpdateTarget>,
    /// What part of the dense slice each one is.
    pub ranges: Vec<Range<usize>>,
    /// NPT's sinusoids.
    pub sinusoids: Option<Tensor>,
    pub places: Places,
}

/// Indices into [`Parameters::dense`].
#[derive(Default)]
pub struct Places {
    /// Positions, types and norm.
    pub embedding: Option<[usize; 3]>,
    pub layers: Vec<LayerPlaces>,
    /// The weights of the features of a bag.
    pub features: Option<usize>,
    /// Weight and bias.
    pub pooler: Option<[usize; 2]>,
    /// Weight and bias of the dense layer, norm, bias of the words.
    pub masked: Option<[usize; 4]>,
    /// Weight and bias.
    pub score: Option<[usize; 2]>,
}

/// The parameters of a layer; those of products are weight and bias.
#[derive(Clone, Copy)]
pub struct LayerPlaces {
    pub project: [usize; 2],
    pub out: [usize; 2],
    pub attention_norm: usize,
    pub up: [usize; 2],
    pub down: [usize; 2],
    pub feed_norm: usize,
}

/// Values for each weight, laid out as the weights are.
#[derive(Clone, Copy)]
pub struct PerWeightSlices<'a> {
    pub words: &'a [f32],
    pub dense: &'a [f32],
}

/// What an optimizer keeps, on the host.
#[derive(Clone, Copy, Default)]
pub struct HostState<'a> {
    pub moments: Option<[PerWeightSlices<'a>; 2]>,
    pub average: Option<PerWeightSlices<'a>>,
}

impl Parameters {
    pub fn new(backend: &Backend, weights: &Weights, state: HostState) -> Result<Parameters> {
        let (shape, layout) = (weights.shape(), weights.layout());
        let (ranges, shapes, places) = packed(layout, shape.width);
        let sinusoids = match shape.family {
            Family::Bert(_) | Family::Windows => None,
            Family::Npt => Some(backend.upload(weights.positions(), (shape.positions, shape.width))?),
        };
        let target = |part: &dyn Fn(PerWeightSlices<'_>) -> Result<Tensor>, is_product: bool| {
            let of = |slices: PerWeightSlices| part(slices);
            let current = of(PerWeightSlices { words: &weights.words, dense: &weights.dense })?;
            let half = match is_product && backend.kind != DType::F32 {
                true => Some(current.to_dtype(backend.kind)?),
                false => None,
            };
            let moments = match state.moments {
                Some([first, second]) => Some([of(first)?, of(second)?]),
                None => None,
            };
            let average = state.average.map(of).transpose()?;
            Ok::<UpdateTarget, candle_core::Error>(UpdateTarget { weights: current, half, moments, average })
        };
        let words = target(
            &|slices| backend.upload(slices.words, (shape.vocabulary, shape.width)),
            places.masked.is_some(),
        )?;
        let mut dense = Vec::new();
        for (range, sizes) in ranges.iter().zip(&shapes) {
            let is_product = sizes.len() == 2 && !places.is_table(dense.len());
            dense.push(target(
                &|slices| backend.upload(&slices.dense[range.clone()], &sizes[..]),
                is_product,
            )?);
        }
        Ok(Parameters { words, dense, ranges, sinusoids, places })
    }

    /// A matrix in the type of rows.
    pub fn matrix(&self, index: usize) -> &Tensor {
        self.dense[index].half.as_ref().unwrap_or(&self.dense[index].weights)
    }

    /// A parameter in single precision.
    pub fn exact(&self, index: usize) -> &Tensor {
        &self.dense[index].weights
    }

    /// Starts averages of all parameters as copies of them.
    pub fn start_average(&mut self) -> Result<()> {
        for target in self.dense.iter_mut().chain([&mut self.words]).filter(|each| each.average.is_none()) {
            target.average = Some(target.weights.copy()?);
        }
        Ok(())
    }

    /// Copies one value for each weight to the host.
    pub fn download(
        &self,
        of: impl Fn(&UpdateTarget) -> Option<&Tensor>,
        words: &mut [f32],
        dense: &mut [f32],
    ) -> Result<()> {
        if let Some(tensor) = of(&self.words) {
            words.copy_from_slice(&values(tensor)?);
        }
        for (target, range) in self.dense.iter().zip(&self.ranges) {
            if let Some(tensor) = of(target) {
                dense[range.clone()].copy_from_slice(&values(tensor)?);
            }
        }
        Ok(())
    }
}

impl Places {
    /// Whether a matrix is read by rows or columns and not by a product.
    fn is_table(&self, index: usize) -> bool {
        let is_norm = |layer: &LayerPlaces| [layer.attention_norm, layer.feed_norm].contains(&index);
        self.embedding.is_some_and(|tables| tables.contains(&index))
            || self.masked.is_some_and(|masked| masked[2] == index)
            || self.score.is_some_and(|score| score[0] == index)
            || self.layers.iter().any(is_norm)
    }
}

type Packed = (Vec<Range<usize>>, Vec<Vec<usize>>, Places);

fn packed(layout: &Layout, width: usize) -> Packed {
    let (mut ranges, mut shapes) = (Vec::new(), Vec::new());
    let mut add = |range: &Range<usize>, columns: Option<usize>| {
        shapes.push(match columns {
            Some(columns) => vec![range.len() / columns, columns],
            None => vec![range.len()],
        });
        ranges.push(range.clone());
        ranges.len() - 1
    };
    let both = |norm: &NormRanges| norm.weight.start..norm.bias.end;
    let mut places = Places::default();
    if let Some(tables) = &layout.embedding {
        places.embedding = Some([
            add(&tables.positions, Some(width)),
            add(&tables.types, Some(width)),
            add(&both(&tables.norm), Some(width)),
        ]);
    }
    for layer in &layout.layers {
        places.layers.push(LayerPlaces {
            project: [add(&layer.project_weight, Some(width)), add(&layer.project_bias, None)],
            out: [add(&layer.out_weight, Some(layer.out_weight.len() / width)), add(&layer.out_bias, None)],
            attention_norm: add(&both(&layer.attention_norm), Some(width)),
            up: [add(&layer.up_weight, Some(width)), add(&layer.up_bias, None)],
            down: [add(&layer.down_weight, Some(layer.up_bias.len())), add(&layer.down_bias, None)],
            feed_norm: add(&both(&layer.feed_norm), Some(width)),
        });
    }
    if !layout.features.is_empty() {
        places.features = Some(add(&layout.features, None));
    }
    if let Some([weight, bias]) = &layout.pooler {
        places.pooler = Some([add(weight, Some(width)), add(bias, None)]);
    }
    if let Some(masked) = &layout.masked {
        places.masked = Some([
            add(&masked.dense_weight, Some(width)),
            add(&masked.dense_bias, None),
            add(&both(&masked.norm), Some(width)),
            add(&masked.bias, None),
        ]);
    }
    if !layout.score_weight.is_empty() {
        places.score = Some([add(&layout.score_weight, Some(width)), add(&layout.score_bias, None)]);
    }
    (ranges, shapes, places)
}
