//! The weights of a model and their initialization.
//!
//! Initialization follows the modules of the reference program, whose defaults are PyTorch's:
//! words are normal with deviation 1 (padding zero); queries, keys and values are normal with deviation
//! `sqrt(2 / (width + head))`; the attention's output is Xavier-normal; the feed-forward layers, which are
//! convolutions of width 1 there, and the bilinear score are uniform within `1 / sqrt(inputs)`, as are all
//! biases; norms start as the identity. The random values are a function of seed, name and position.
//!
//! Vectors of features are normal with a length of about one, and their weights are 1; training starts from other values.
//!
//! A BERT is initialized as in `transformers`: everything normal with deviation 0.02, biases zero, norms the identity.

use std::{borrow::Cow, sync::Arc};

use super::{
    EncoderShape, Family, ModelError, Precision,
    kernels::product::Products,
    layout::Layout,
    layout::WORDS,
    positions::sinusoids,
    random::Stream,
    tokenizer::{UnseenFeatures, unseen},
};
use crate::base::task::{CancelToken, Cancelled};

#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    shape: EncoderShape,
    words_shape: [usize; 2],
    layout: Arc<Layout>,
    /// The frozen sinusoids, one row per position; a BERT has none.
    positions: Arc<Vec<f32>>,
    /// The word table: `vocabulary` rows of `width`.
    pub words: Vec<f32>,
    /// Every other parameter; [`Layout`] has their positions.
    pub dense: Vec<f32>,
    /// The precision of products with these weights on the CPU; not part of a model's files.
    products: Products,
}

impl Weights {
    /// Zero weights, to be filled.
    pub fn zeros(shape: &EncoderShape) -> Result<Self, ModelError> {
        shape.check()?;
        let layout = Arc::new(Layout::new(shape));
        Ok(Self {
            positions: Arc::new(match shape.family {
                Family::Npt => sinusoids(shape.positions, shape.width),
                Family::Bert(_) | Family::Windows => vec![],
            }),
            words: vec![0.0; shape.vocabulary * shape.width],
            dense: vec![0.0; layout.len()],
            words_shape: [shape.vocabulary, shape.width],
            shape: shape.clone(),
            layout,
            products: Products::F32,
        })
    }

    /// Returns initial weights, which depend only on the seed.
    pub fn new(shape: &EncoderShape, seed: u64) -> Result<Self, ModelError> {
        Self::new_until(shape, seed, &CancelToken::new())
    }

    /// Like [`Weights::new`]; fails once the token is cancelled.
    pub fn new_until(shape: &EncoderShape, seed: u64, cancel: &CancelToken) -> Result<Self, ModelError> {
        let mut weights = Self::zeros(shape)?;
        weights.init(seed, |_| true, cancel)?;
        Ok(weights)
    }

    /// Draws the initial values of the parameters whose names are wanted. Fails once the token is cancelled.
    pub(super) fn init(
        &mut self,
        seed: u64,
        is_wanted: impl Fn(&str) -> bool,
        cancel: &CancelToken,
    ) -> Result<(), ModelError> {
        let Self { shape, layout, words, dense, .. } = self;
        if is_wanted(WORDS) {
            let start = Start::Normal(match shape.family {
                Family::Npt => 1.0,
                Family::Bert(_) => BERT_SPREAD,
                // a row has a length of about one
                Family::Windows => (shape.width as f64).sqrt().recip(),
            });
            start.fill(words, Stream::named(seed, WORDS), cancel)?;
            // padding
            words[..shape.width].fill(0.0);
        }
        for parameter in layout.parameters.iter().filter(|each| is_wanted(&each.name)) {
            let start = Start::of(&parameter.name, shape);
            start.fill(&mut dense[parameter.range.clone()], Stream::named(seed, &parameter.name), cancel)?;
        }
        Ok(())
    }

    pub fn shape(&self) -> &EncoderShape {
        &self.shape
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn products(&self) -> Products {
        self.products
    }

    /// Computes products on the CPU in this precision from now on, if the processor can.
    pub fn set_precision(&mut self, precision: Precision) {
        self.products = precision.products();
    }

    pub(super) fn words_shape(&self) -> &[usize; 2] {
        &self.words_shape
    }

    pub(super) fn positions(&self) -> &[f32] {
        &self.positions
    }

    /// One dense parameter by name.
    pub fn parameter(&self, name: &str) -> Option<&[f32]> {
        let parameter = self.layout.parameters.iter().find(|each| each.name == name)?;
        Some(&self.dense[parameter.range.clone()])
    }

    /// The weight of each feature; empty unless the encoder reads formula windows.
    pub fn feature_weights(&self) -> &[f32] {
        &self.dense[self.layout.features.clone()]
    }

    /// The same weights, mutable.
    pub fn feature_weights_mut(&mut self) -> &mut [f32] {
        &mut self.dense[self.layout.features.clone()]
    }

    /// The vector of a token or feature, and its weight where features have weights. An unknown id, which scoring rejects, has
    /// the vector of the padding.
    pub fn embedding(&self, id: u32) -> (Cow<'_, [f32]>, f32) {
        let (width, by_feature) = (self.shape.width, self.feature_weights());
        let weight = |row: usize| by_feature.get(row).copied().unwrap_or_default();
        if self.shape.unseen == UnseenFeatures::Hash && unseen::is_unseen(id) {
            let mut vector = vec![0.0; width];
            unseen::for_each_entry(id, width, |column, value| vector[column] += value);
            return (vector.into(), weight(unseen::row(id, self.shape.vocabulary)));
        }
        let start = id as usize * width;
        let row = self.words.get(start..start + width).unwrap_or(&self.words[..width]);
        (row.into(), weight(id as usize))
    }

    pub(super) fn score_weight(&self) -> &[f32] {
        &self.dense[self.layout.score_weight.clone()]
    }

    pub(super) fn score_bias(&self) -> f32 {
        self.dense[self.layout.score_bias.clone()].first().copied().unwrap_or_default()
    }
}

/// BERT's `initializer_range`.
const BERT_SPREAD: f64 = 0.02;

/// How many values are drawn between two looks at the token.
const PIECE: usize = 1 << 16;

/// How the values of one parameter are drawn.
enum Start {
    Constant(f32),
    Normal(f64),
    Uniform(f64),
}

impl Start {
    fn of(name: &str, shape: &EncoderShape) -> Self {
        let (width, values, inner) = (shape.width as f64, shape.values() as f64, shape.feed_forward as f64);
        let (module, kind) = name.rsplit_once('.').unwrap_or((name, ""));
        let module = module.rsplit_once('.').map_or(module, |(_, last)| last);
        match (module, kind) {
            ("norm" | "features", "weight") => Self::Constant(1.0),
            ("norm", _) => Self::Constant(0.0),
            ("score", _) => Self::Uniform(width.sqrt().recip()),
            (_, "weight") if shape.bert().is_some() => Self::Normal(BERT_SPREAD),
            _ if shape.bert().is_some() => Self::Constant(0.0),
            ("query" | "key", "weight") => Self::Normal((2.0 / (width + shape.key as f64)).sqrt()),
            ("value", "weight") => Self::Normal((2.0 / (width + shape.value as f64)).sqrt()),
            ("out", "weight") => Self::Normal((2.0 / (values + width)).sqrt()),
            ("out", _) => Self::Uniform(values.sqrt().recip()),
            ("down", _) => Self::Uniform(inner.sqrt().recip()),
            _ => Self::Uniform(width.sqrt().recip()),
        }
    }

    fn fill(&self, values: &mut [f32], stream: Stream, cancel: &CancelToken) -> Result<(), Cancelled> {
        for (piece, values) in values.chunks_mut(PIECE).enumerate() {
            cancel.check()?;
            for (index, value) in values.iter_mut().enumerate() {
                *value = self.draw(stream, (piece * PIECE + index) as u64);
            }
        }
        Ok(())
    }

    fn draw(&self, stream: Stream, index: u64) -> f32 {
        match self {
            Self::Constant(value) => *value,
            Self::Normal(deviation) => (stream.normal(index) * deviation) as f32,
            Self::Uniform(bound) => ((stream.uniform(index) * 2.0 - 1.0) * bound) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::NptShape, *};

    fn spread(values: &[f32]) -> f32 {
        (values.iter().map(|value| value * value).sum::<f32>() / values.len() as f32).sqrt()
    }

    #[test]
    fn fresh_weights_have_the_spread_that_is_documented_and_depend_on_the_seed() {
        let shape = NptShape::paper(50);
        let weights = Weights::new(&shape, 3).unwrap();
        let near = |name: &str, expected: f32| {
            let found = spread(weights.parameter(name).unwrap());
            assert!((found / expected - 1.0).abs() < 0.03, "{name}: {found} is not {expected}");
        };
        near("layers.1.attention.query.weight", (2f32 / 428.0).sqrt());
        near("layers.0.attention.out.weight", (2f32 / 812.0).sqrt());
        near("layers.0.feed.up.weight", (1f32 / 900.0).sqrt());
        near("score.weight", (1f32 / 900.0).sqrt());
        near("layers.1.feed.norm.weight", 1.0);
        assert!(weights.words[..300].iter().all(|value| *value == 0.0));
        assert!((spread(&weights.words[300..]) - 1.0).abs() < 0.03);
        assert_eq!(weights, Weights::new(&shape, 3).unwrap());
        assert_ne!(weights.dense, Weights::new(&shape, 4).unwrap().dense);
    }

    #[test]
    fn drawing_can_be_cancelled_and_is_the_same_in_parts() {
        let shape = NptShape::paper(50);
        let cancel = CancelToken::new();
        let whole = Weights::new(&shape, 3).unwrap();
        let mut parts = Weights::zeros(&shape).unwrap();
        parts.init(3, |name| name == WORDS, &cancel).unwrap();
        parts.init(3, |name| name != WORDS, &cancel).unwrap();
        assert_eq!(parts, whole);
        cancel.cancel();
        let error = Weights::new_until(&shape, 3, &cancel).unwrap_err();
        assert!(matches!(error, ModelError::Cancelled(_)), "{error}");
    }
}
