//! The encoder on one device: forward, and backward from the gradients of its vectors.
//!
//! The passes are written out. candle's autograd would keep every intermediate tensor until the end of a step, start every
//! gradient as zeros, and has no room for masks that are computed instead of stored: for BERT base it needed 24 GB and 2,900
//! launches a step.

use candle_core::{DType, Result, Tensor};

use super::{
    super::{
        Activation, EncoderShape, Pooling,
        npt::{attention_site, embedding_site, feed_site},
    },
    backend::Backend,
    batch::{Batch, Indices, Rows},
    ops::{Attention, Heads, Masks, Norm, Unit},
    parameters::{LayerPlaces, Parameters},
};

/// A model on a device.
pub struct Network {
    pub backend: Backend,
    pub shape: EncoderShape,
    pub parameters: Parameters,
}

/// Gradients by parameter; frozen ones have none.
pub struct Slopes {
    pub dense: Vec<Option<Tensor>>,
    pub words: Option<Tensor>,
}

/// What a forward pass keeps.
pub struct Tape {
    embedding: Option<Norm>,
    layers: Vec<LayerTape>,
    taken: Option<(Indices, Rows)>,
    pooling: PoolingTape,
}

struct LayerTape {
    input: Tensor,
    projected: Tensor,
    /// The output of attention, of the rows that are made.
    mixed: Tensor,
    attention: Norm,
    middle: Tensor,
    /// What the unit's backward pass reads.
    hidden: Tensor,
    feed: Norm,
}

enum PoolingTape {
    Maximum {
        winners: Tensor,
    },
    Mean {
        means: Tensor,
    },
    First {
        first: Tensor,
        pooled: Tensor,
    },
    /// The directions and lengths of the sums of features.
    Bag {
        vectors: Tensor,
        lengths: Tensor,
    },
    /// The last layer's rows themselves were wanted.
    Rows,
}

impl Slopes {
    pub fn new(parameters: &Parameters) -> Slopes {
        Slopes { dense: parameters.dense.iter().map(|_| None).collect(), words: None }
    }

    pub fn add(&mut self, index: usize, gradient: &Tensor) -> Result<()> {
        let gradient = gradient.to_dtype(DType::F32)?;
        self.dense[index] = Some(match self.dense[index].take() {
            Some(sum) => (sum + gradient)?,
            None => gradient,
        });
        Ok(())
    }
}

impl Network {
    /// A vector for each document, in single precision. The tape is of use only if it `keeps` something.
    pub fn encode(&self, batch: &Batch, keeps: bool) -> Result<(Tensor, Tape)> {
        if let Some(features) = self.parameters.places.features {
            let (table, weights) = (&self.parameters.words.weights, self.parameters.exact(features));
            let (vectors, lengths) = self.backend.bag(batch, table, weights)?;
            let pooling = PoolingTape::Bag { vectors: vectors.clone(), lengths };
            return Ok((vectors, Tape { embedding: None, layers: vec![], taken: None, pooling }));
        }
        let taken = match self.shape.pooling {
            Pooling::Cls => Some(batch.some_rows(&first_rows(batch))?),
            _ => None,
        };
        let (rows, mut tape) = self.layers(batch, taken, keeps)?;
        let (backend, places) = (&self.backend, &self.parameters.places);
        let (vectors, pooling) = match self.shape.pooling {
            Pooling::Max | Pooling::Padded => {
                let longest = if self.shape.pooling == Pooling::Padded { self.shape.positions } else { 0 };
                let (vectors, winners) = backend.pool_maximum(batch, &rows, longest)?;
                (vectors, PoolingTape::Maximum { winners })
            }
            Pooling::Mean => {
                let (vectors, means) = backend.pool_mean(batch, &rows)?;
                (vectors, PoolingTape::Mean { means })
            }
            Pooling::Cls => {
                let [weight, bias] = places.pooler.ok_or_else(|| missing("pooler"))?;
                let sums = self.linear(&rows, weight)?;
                let (pooled, kept) = backend.activate(sums, self.parameters.exact(bias), Unit::Tangent)?;
                (pooled.to_dtype(DType::F32)?, PoolingTape::First { first: rows, pooled: kept })
            }
        };
        tape.pooling = pooling;
        Ok((vectors, tape))
    }

    /// The last layer's rows of some tokens.
    pub fn encode_rows(&self, batch: &Batch, which: &[u32], keeps: bool) -> Result<(Tensor, Tape)> {
        self.layers(batch, Some(batch.some_rows(which)?), keeps)
    }

    /// Adds the gradients that those of the vectors imply. The first `frozen` layers and what precedes them have none.
    pub fn backward(
        &self,
        batch: &Batch,
        mut tape: Tape,
        gradient: &Tensor,
        frozen: usize,
        slopes: &mut Slopes,
    ) -> Result<()> {
        let (backend, places) = (&self.backend, &self.parameters.places);
        let mut rows = match &tape.pooling {
            PoolingTape::Maximum { winners } => backend.pool_maximum_backward(batch, winners, gradient)?,
            PoolingTape::Mean { means } => backend.pool_mean_backward(batch, means, gradient)?,
            PoolingTape::First { first, pooled } => {
                let [weight, bias] = places.pooler.ok_or_else(|| missing("pooler"))?;
                let gradient = gradient.to_dtype(backend.kind)?;
                let (by_sum, _) = backend.activate_backward(pooled, gradient, Unit::Tangent)?;
                self.linear_backward(first, &by_sum, weight, bias, slopes)?
            }
            PoolingTape::Bag { vectors, lengths } => {
                let features = places.features.ok_or_else(|| missing("weight of features"))?;
                let by_sums = backend.bag_sums(batch, gradient, vectors, lengths)?;
                let (table, weights) = (&self.parameters.words.weights, self.parameters.exact(features));
                let (by_rows, by_weights) =
                    backend.bag_backward(batch, &by_sums, table, weights, slopes.words.take())?;
                slopes.words = Some(by_rows);
                return slopes.add(features, &by_weights);
            }
            PoolingTape::Rows => gradient.clone(),
        };
        tape.pooling = PoolingTape::Rows;
        let mut taken = tape.taken.take();
        for layer in (frozen..self.shape.layers).rev() {
            let Some(kept) = tape.layers.pop() else { return Err(missing("layer")) };
            rows = self.layer_backward(batch, layer, kept, taken.take(), rows, slopes)?;
        }
        if frozen > 0 {
            return Ok(());
        }
        if let (Some(norm), Some([positions, types, gains])) = (&tape.embedding, places.embedding) {
            let rows_dropped = backend.drop_rows(rows, self.masks(batch, &batch.rows, embedding_site()))?;
            let (by_sum, _, by_gains) =
                backend.norm_backward(norm, self.parameters.exact(gains), &rows_dropped, None)?;
            slopes.add(gains, &by_gains)?;
            let table = self.parameters.exact(positions).dim(0)?;
            slopes.add(positions, &backend.positions_backward(batch, &by_sum, table)?)?;
            let kinds = self.parameters.exact(types).dim(0)?;
            let first = backend.columns(&by_sum)?.reshape((1, self.shape.width))?;
            let first = match kinds {
                1 => first,
                _ => first.pad_with_zeros(0, 0, kinds - 1)?,
            };
            slopes.add(types, &first)?;
            rows = by_sum;
        }
        slopes.words = Some(match slopes.words.take() {
            Some(every) if places.masked.is_some() => backend.embed_backward_all(batch, &rows, every)?,
            others => backend.embed_backward(batch, &rows, others)?,
        });
        Ok(())
    }

    fn layers(&self, batch: &Batch, taken: Option<(Indices, Rows)>, keeps: bool) -> Result<(Tensor, Tape)> {
        let (backend, parameters) = (&self.backend, &self.parameters);
        let words = &parameters.words.weights;
        let (mut rows, embedding) = match (&parameters.sinusoids, parameters.places.embedding) {
            (None, Some([positions, types, gains])) => {
                let kind = parameters.exact(types).narrow(0, 0, 1)?;
                let sums = backend.embed(batch, words, parameters.exact(positions), Some(&kind))?;
                let gains = parameters.exact(gains);
                let (rows, norm) = backend.norm(sums, None, None, gains, None, self.shape.epsilon())?;
                let masks = self.masks(batch, &batch.rows, embedding_site());
                (backend.drop_rows(rows, masks)?, Some(norm))
            }
            (Some(sinusoids), _) => (backend.embed(batch, words, sinusoids, None)?, None),
            (None, None) => return Err(missing("table of positions")),
        };
        let mut layers = Vec::new();
        for layer in 0..self.shape.layers {
            let taken = taken.as_ref().filter(|_| layer + 1 == self.shape.layers);
            let (out, tape) = self.layer(batch, layer, rows, taken)?;
            rows = out;
            layers.extend(keeps.then_some(tape));
        }
        Ok((rows, Tape { embedding, layers, taken, pooling: PoolingTape::Rows }))
    }

    fn layer(
        &self,
        batch: &Batch,
        layer: usize,
        input: Tensor,
        taken: Option<&(Indices, Rows)>,
    ) -> Result<(Tensor, LayerTape)> {
        let (backend, parameters, places) = (&self.backend, &self.parameters, self.places(layer));
        let projected = self.linear(&input, places.project[0])?;
        let bias = parameters.exact(places.project[1]);
        let mut mixed = self.attention(batch, layer).forward(backend, &projected, bias)?;
        let mut residual = input.clone();
        if let Some((which, _)) = taken {
            mixed = backend.take_rows(&mixed, which)?;
            residual = backend.take_rows(&residual, which)?;
        }
        let rows = taken.map_or(&batch.rows, |(_, rows)| rows);
        let (middle, attention) = backend.norm(
            self.linear(&mixed, places.out[0])?,
            Some(parameters.exact(places.out[1])),
            Some(&residual),
            parameters.exact(places.attention_norm),
            self.masks(batch, rows, attention_site(layer)),
            self.shape.epsilon(),
        )?;
        let hidden = self.linear(&middle, places.up[0])?;
        let (active, hidden) = backend.activate(hidden, parameters.exact(places.up[1]), self.unit())?;
        let (out, feed) = backend.norm(
            self.linear(&active, places.down[0])?,
            Some(parameters.exact(places.down[1])),
            Some(&middle),
            parameters.exact(places.feed_norm),
            self.masks(batch, rows, feed_site(layer)),
            self.shape.epsilon(),
        )?;
        Ok((out, LayerTape { input, projected, mixed, attention, middle, hidden, feed }))
    }

    fn layer_backward(
        &self,
        batch: &Batch,
        layer: usize,
        tape: LayerTape,
        taken: Option<(Indices, Rows)>,
        gradient: Tensor,
        slopes: &mut Slopes,
    ) -> Result<Tensor> {
        let (backend, parameters, places) = (&self.backend, &self.parameters, self.places(layer));
        let rows = taken.as_ref().map_or(&batch.rows, |(_, rows)| rows);
        let LayerTape { input, projected, mixed, attention, middle, hidden, feed } = tape;

        let masks = self.masks(batch, rows, feed_site(layer));
        let gains = parameters.exact(places.feed_norm);
        let (by_middle, by_feed, by_gains) = backend.norm_backward(&feed, gains, &gradient, masks)?;
        drop((feed, gradient));
        slopes.add(places.feed_norm, &by_gains)?;
        let by_active = self.linear_input(&by_feed, places.down[0])?;
        let (by_hidden, active) = backend.activate_backward(&hidden, by_active, self.unit())?;
        drop(hidden);
        self.linear_weights(&active, &by_feed, places.down[0], places.down[1], slopes)?;
        drop((active, by_feed));
        let by_input = self.linear_backward(&middle, &by_hidden, places.up[0], places.up[1], slopes)?;
        let by_middle = backend.add_rows(by_middle, &by_input)?;
        drop((by_hidden, middle));

        let masks = self.masks(batch, rows, attention_site(layer));
        let gains = parameters.exact(places.attention_norm);
        let (mut by_residual, by_out, by_gains) =
            backend.norm_backward(&attention, gains, &by_middle, masks)?;
        drop((attention, by_middle));
        slopes.add(places.attention_norm, &by_gains)?;
        let mut by_mixed = self.linear_backward(&mixed, &by_out, places.out[0], places.out[1], slopes)?;
        drop((mixed, by_out));
        if let Some((which, _)) = &taken {
            by_mixed = backend.place_rows(&by_mixed, which, batch.rows.count())?;
            by_residual = backend.place_rows(&by_residual, which, batch.rows.count())?;
        }
        let bias = parameters.exact(places.project[1]);
        let by_projected = self.attention(batch, layer).backward(backend, &projected, bias, &by_mixed)?;
        drop((projected, by_mixed));
        let by_input =
            self.linear_backward(&input, &by_projected, places.project[0], places.project[1], slopes)?;
        backend.add_rows(by_residual, &by_input)
    }

    /// `rows weight'`
    pub fn linear(&self, rows: &Tensor, weight: usize) -> Result<Tensor> {
        self.backend.product(rows, &self.parameters.matrix(weight).t()?)
    }

    /// The gradient of the rows of a product, and of its weight and bias.
    pub fn linear_backward(
        &self,
        rows: &Tensor,
        gradient: &Tensor,
        weight: usize,
        bias: usize,
        slopes: &mut Slopes,
    ) -> Result<Tensor> {
        self.linear_weights(rows, gradient, weight, bias, slopes)?;
        self.linear_input(gradient, weight)
    }

    fn linear_input(&self, gradient: &Tensor, weight: usize) -> Result<Tensor> {
        self.backend.product(gradient, self.parameters.matrix(weight))
    }

    fn linear_weights(
        &self,
        rows: &Tensor,
        gradient: &Tensor,
        weight: usize,
        bias: usize,
        slopes: &mut Slopes,
    ) -> Result<()> {
        slopes.add(weight, &self.backend.product(&gradient.t()?, rows)?)?;
        slopes.add(bias, &self.backend.columns(gradient)?)
    }

    fn masks<'a>(&self, batch: &'a Batch, rows: &'a Rows, site: u64) -> Option<Masks<'a>> {
        batch.dropout.as_ref().map(|dropout| Masks { dropout, rows, site })
    }

    fn attention<'a>(&self, batch: &'a Batch, layer: usize) -> Attention<'a> {
        let EncoderShape { heads, key, value, .. } = self.shape;
        Attention { batch, heads: Heads { heads, key, value }, layer }
    }

    fn places(&self, layer: usize) -> LayerPlaces {
        self.parameters.places.layers[layer]
    }

    fn unit(&self) -> Unit {
        match self.shape.activation() {
            Activation::Relu => Unit::Rectifier,
            Activation::Gelu => Unit::Gaussian,
        }
    }
}

/// The row of the first token of each document, in the order of the batch that was given.
fn first_rows(batch: &Batch) -> Vec<u32> {
    let mut rows = vec![0; batch.documents];
    for (&place, &start) in batch.order.host.iter().zip(&batch.starts.host) {
        rows[place as usize] = start;
    }
    rows
}

fn missing(what: &str) -> candle_core::Error {
    candle_core::Error::Msg(format!("the model has no {what}"))
}
