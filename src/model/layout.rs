//! Where each named parameter lies in the one flat slice that holds all dense ones.
//!
//! A single slice lets an optimizer, a norm or a checkpoint walk over every parameter in one loop, always
//! in the same order. Queries, keys and values are adjacent, so that one product computes all three.

use std::ops::Range;

use super::{EncoderShape, Family, Pooling, bert::Head};

/// The name of the word table, which is kept apart because its gradient is sparse.
pub const WORDS: &str = "words.weight";

/// One named parameter of the dense slice; weights are stored as rows of outputs, as PyTorch does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub shape: Vec<usize>,
    pub range: Range<usize>,
}

/// Every dense parameter of a shape, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub parameters: Vec<Parameter>,
    /// A BERT's tables and norm before the layers.
    pub(super) embedding: Option<EmbeddingRanges>,
    pub(super) layers: Vec<LayerRanges>,
    /// A weight for each feature; only the encoder of formula windows has them.
    pub(super) features: Range<usize>,
    /// Weight and bias of the dense layer over the first token.
    pub(super) pooler: Option<[Range<usize>; 2]>,
    /// The head of masked language modeling.
    pub(super) masked: Option<MaskedRanges>,
    /// Empty, like the bias, if the head does not score pairs.
    pub(super) score_weight: Range<usize>,
    pub(super) score_bias: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EmbeddingRanges {
    pub positions: Range<usize>,
    pub types: Range<usize>,
    pub norm: NormRanges,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MaskedRanges {
    pub dense_weight: Range<usize>,
    pub dense_bias: Range<usize>,
    pub norm: NormRanges,
    pub bias: Range<usize>,
}

/// The ranges of one layer as the kernels use them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LayerRanges {
    pub project_weight: Range<usize>,
    pub project_bias: Range<usize>,
    pub out_weight: Range<usize>,
    pub out_bias: Range<usize>,
    pub attention_norm: NormRanges,
    pub up_weight: Range<usize>,
    pub up_bias: Range<usize>,
    pub down_weight: Range<usize>,
    pub down_bias: Range<usize>,
    pub feed_norm: NormRanges,
}

impl LayerRanges {
    /// All parameters of the layer, which are contiguous.
    pub fn range(&self) -> Range<usize> {
        self.project_weight.start..self.feed_norm.bias.end
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NormRanges {
    pub weight: Range<usize>,
    pub bias: Range<usize>,
}

impl Layout {
    pub fn new(shape: &EncoderShape) -> Self {
        let (mut parameters, width) = (Builder::default(), shape.width);
        let embedding = shape.bert().map(|bert| EmbeddingRanges {
            positions: parameters.add("embedding.positions.weight".into(), &[bert.position_rows, width]),
            types: parameters.add("embedding.types.weight".into(), &[bert.types, width]),
            norm: parameters.norm("embedding.norm".into(), width),
        });
        let layers = (0..shape.layers).map(|layer| parameters.layer(shape, layer)).collect();
        let features = match shape.family {
            Family::Windows => parameters.add("features.weight".into(), &[shape.vocabulary]),
            Family::Npt | Family::Bert(_) => 0..0,
        };
        let mut layout = Self {
            parameters: vec![],
            embedding,
            layers,
            features,
            pooler: None,
            masked: None,
            score_weight: 0..0,
            score_bias: 0..0,
        };
        match shape.head() {
            Head::Match => {
                if shape.pooling == Pooling::Cls {
                    let weight = parameters.add("pooler.weight".into(), &[width, width]);
                    layout.pooler = Some([weight, parameters.add("pooler.bias".into(), &[width])]);
                }
                layout.score_weight = parameters.add("score.weight".into(), &[width, width]);
                layout.score_bias = parameters.add("score.bias".into(), &[1]);
            }
            Head::Masked => {
                layout.masked = Some(MaskedRanges {
                    dense_weight: parameters.add("masked.dense.weight".into(), &[width, width]),
                    dense_bias: parameters.add("masked.dense.bias".into(), &[width]),
                    norm: parameters.norm("masked.norm".into(), width),
                    bias: parameters.add("masked.bias".into(), &[shape.vocabulary]),
                });
            }
        }
        layout.parameters = parameters.0;
        layout
    }

    /// Returns the start of the parameters of the score, which are the last; the end if there are none.
    pub fn score_start(&self) -> usize {
        if self.score_weight.is_empty() { self.len() } else { self.score_weight.start }
    }

    /// Returns the number of leading values that belong to the first `layers` layers and to what precedes them: the frozen
    /// part.
    pub fn frozen(&self, layers: usize) -> usize {
        match layers {
            0 => 0,
            _ => self.layers.get(layers.min(self.layers.len()) - 1).map_or(0, |layer| layer.range().end),
        }
    }

    /// The number of dense values.
    pub fn len(&self) -> usize {
        self.parameters.last().map_or(0, |last| last.range.end)
    }

    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }
}

#[derive(Default)]
struct Builder(Vec<Parameter>);

impl Builder {
    fn add(&mut self, name: String, shape: &[usize]) -> Range<usize> {
        let start = self.0.last().map_or(0, |last| last.range.end);
        let range = start..start + shape.iter().product::<usize>();
        self.0.push(Parameter { name, shape: shape.to_vec(), range: range.clone() });
        range
    }

    fn layer(&mut self, shape: &EncoderShape, layer: usize) -> LayerRanges {
        let name = |rest: &str| format!("layers.{layer}.{rest}");
        let (width, keys, values, inner) = (shape.width, shape.keys(), shape.values(), shape.feed_forward);
        let three = [("query", keys), ("key", keys), ("value", values)];
        let project_weight =
            three.map(|(part, rows)| self.add(name(&format!("attention.{part}.weight")), &[rows, width]));
        let project_bias =
            three.map(|(part, rows)| self.add(name(&format!("attention.{part}.bias")), &[rows]));
        LayerRanges {
            project_weight: project_weight[0].start..project_weight[2].end,
            project_bias: project_bias[0].start..project_bias[2].end,
            out_weight: self.add(name("attention.out.weight"), &[width, values]),
            out_bias: self.add(name("attention.out.bias"), &[width]),
            attention_norm: self.norm(name("attention.norm"), width),
            up_weight: self.add(name("feed.up.weight"), &[inner, width]),
            up_bias: self.add(name("feed.up.bias"), &[inner]),
            down_weight: self.add(name("feed.down.weight"), &[width, inner]),
            down_bias: self.add(name("feed.down.bias"), &[width]),
            feed_norm: self.norm(name("feed.norm"), width),
        }
    }

    fn norm(&mut self, name: String, width: usize) -> NormRanges {
        NormRanges {
            weight: self.add(format!("{name}.weight"), &[width]),
            bias: self.add(format!("{name}.bias"), &[width]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_follow_each_other_without_gaps_and_have_different_names() {
        for shape in [
            EncoderShape::paper(10),
            EncoderShape::bert_tiny(10),
            EncoderShape::bert_tiny(10).with_head(Head::Masked),
            EncoderShape::windows(10, 8),
        ] {
            check(&Layout::new(&shape));
        }
        let layout = Layout::new(&EncoderShape::bert_tiny(10));
        let first = layout.parameters.iter().find(|each| each.name == "layers.1.attention.query.weight");
        assert_eq!(first.map(|each| each.range.start), Some(layout.frozen(1)));
        assert_eq!(layout.frozen(0), 0);
    }

    fn check(layout: &Layout) {
        let mut end = 0;
        for parameter in &layout.parameters {
            assert_eq!(parameter.range.start, end, "{}", parameter.name);
            end = parameter.range.end;
        }
        assert_eq!(end, layout.len());
        let mut names: Vec<&str> = layout.parameters.iter().map(|each| each.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), layout.parameters.len());
    }
}
