//! The same encoder in candle's trainable operations: the oracle of the other engines, and the path for Metal.
//!
//! Documents are padded to the longest and masked, in attention and in pooling, so a vector still does not
//! depend on its neighbors, except for rounding. Softmax and norm are spelled out: candle's fused versions silently have
//! no gradient, which is why [`Graph::gradients`] fails if a variable received none. Dropout masks are those of the CPU
//! encoder, computed on the host and copied to the device, so both engines drop the same elements.

mod chunks;

use std::collections::BTreeMap;

use candle_core::{D, DType, Device, Tensor, Var};

use super::{
    Activation, EncoderShape, Gradients, Mode, ModelError, Objective, Packed, Pooling, Scores, StepLoss,
    WORDS, Weights,
    bert::Targets,
    kernels::mean::SMALL,
    layout::Layout,
    npt::{attention_site, embedding_site, feed_site, head_site},
    random::{Dropout, Site},
};

/// Replaces minus infinity where sums must stay finite.
const NEVER: f64 = -1e9;

/// A model on a device.
pub struct Graph {
    shape: EncoderShape,
    layout: Layout,
    device: Device,
    kind: DType,
    variables: BTreeMap<String, Var>,
    /// The frozen sinusoids; a BERT has none.
    positions: Option<Tensor>,
}

impl Graph {
    pub fn new(weights: &Weights, device: &Device, kind: DType) -> Result<Self, ModelError> {
        let tensor =
            |values: &[f32], shape: &[usize]| Tensor::from_slice(values, shape, device)?.to_dtype(kind);
        let mut variables = BTreeMap::new();
        for (name, shape, values) in weights.tensors() {
            variables.insert(name.to_owned(), Var::from_tensor(&tensor(values, shape)?)?);
        }
        let shape = weights.shape().clone();
        let positions = match shape.bert() {
            Some(_) => None,
            None => Some(tensor(weights.positions(), &[shape.positions, shape.width])?),
        };
        let layout = weights.layout().clone();
        Ok(Self { shape, layout, device: device.clone(), kind, variables, positions })
    }

    pub fn shape(&self) -> &EncoderShape {
        &self.shape
    }

    /// Every variable by its name, which is the name in [`Weights`].
    pub fn variables(&self) -> &BTreeMap<String, Var> {
        &self.variables
    }

    /// Copies the variables back.
    pub fn weights(&self) -> Result<Weights, ModelError> {
        let mut weights = Weights::zeros(&self.shape)?;
        let values = |name: &str| -> Result<Vec<f32>, ModelError> { flat(self.variable(name)?) };
        weights.words = values(WORDS)?;
        for parameter in weights.layout().parameters.clone() {
            weights.dense[parameter.range].copy_from_slice(&values(&parameter.name)?);
        }
        Ok(weights)
    }

    /// Updates the variables with weights that an optimizer changed.
    pub fn set(&self, weights: &Weights) -> Result<(), ModelError> {
        for (name, shape, values) in weights.tensors() {
            let values = Tensor::from_slice(values, shape, &self.device)?.to_dtype(self.kind)?;
            self.variable(name)?.set(&values)?;
        }
        Ok(())
    }

    /// The same as [`step`](super::step) without chunks: adds a batch's gradient to `gradients`, so that one
    /// optimizer serves both paths.
    pub fn step(
        &self,
        batch: &Packed,
        objective: Objective,
        mode: Mode,
        gradients: &mut Gradients,
    ) -> Result<StepLoss, ModelError> {
        if !batch.len().is_multiple_of(2) {
            return Err(ModelError::OddBatch(batch.len()));
        }
        let (vectors, pairs) = (self.encode(batch, mode)?, batch.len() / 2);
        let on_device = self.scores(&vectors.narrow(0, 0, pairs)?, &vectors.narrow(0, pairs, pairs)?)?;
        let scores = Scores { columns: pairs, values: flat(&on_device)? };
        let loss = objective.loss(&scores)?;
        if loss.is_flat() {
            return Ok(StepLoss { value: loss.value, flat: true, scores });
        }
        // the inner product with the loss's gradient has the gradient of the loss, whatever the objective
        let slope = self.host(loss.gradient.values, (pairs, pairs))?;
        let mut found = self.gradients(&(on_device * slope)?.sum_all()?)?;
        let frozen = self.layout.frozen(gradients.frozen_layers);
        for parameter in self.layout.parameters.iter().filter(|each| each.range.start >= frozen) {
            let gradient = found.remove(&parameter.name).map(|tensor| flat(&tensor)).transpose()?;
            let sums = &mut gradients.dense[parameter.range.clone()];
            sums.iter_mut().zip(gradient.unwrap_or_default()).for_each(|(sum, value)| *sum += value);
        }
        if let Some(words) = found.remove(WORDS).filter(|_| gradients.frozen_layers == 0) {
            let mut used = batch.tokens().to_vec();
            used.sort_unstable();
            used.dedup();
            let rows = words.index_select(&Tensor::from_slice(&used, used.len(), &self.device)?, 0)?;
            gradients.words.add(&used, &flat(&rows)?);
        }
        Ok(StepLoss { value: loss.value, flat: false, scores })
    }

    /// One row per document.
    pub fn encode(&self, documents: &Packed, mode: Mode) -> Result<Tensor, ModelError> {
        documents.check(&self.shape)?;
        let batch = Batch::new(documents, &self.shape, mode);
        let (count, length) = (batch.count, batch.length);
        let padding = self.host(batch.padding(), (count, length))?;
        let rows = self.last_layer(&batch, &padding)?;
        match self.shape.pooling {
            Pooling::Max => Ok(rows.broadcast_add(&padding.unsqueeze(2)?)?.max(1)?),
            Pooling::Padded => {
                let most = rows.broadcast_add(&padding.unsqueeze(2)?)?.max(1)?;
                let shorter = self.host(batch.shorter_than(self.shape.positions), (count, 1))?;
                let rest = most.broadcast_mul(&(1.0 - &shorter)?)?;
                Ok((most.relu()?.broadcast_mul(&shorter)? + rest)?)
            }
            Pooling::Mean => {
                let shares = self.host(batch.shares(), (count, length, 1))?;
                let means = rows.broadcast_mul(&shares)?.sum(1)?;
                let lengths = (means.sqr()?.sum_keepdim(1)? + SMALL)?.sqrt()?;
                Ok(means.broadcast_div(&lengths)?)
            }
            Pooling::Cls => {
                let pooled = self.linear(&rows.narrow(1, 0, 1)?, "pooler")?.tanh()?;
                Ok(pooled.reshape((count, self.shape.width))?)
            }
        }
    }

    /// The mean loss of masked language modeling.
    pub fn masked_loss(
        &self,
        documents: &Packed,
        targets: &Targets,
        mode: Mode,
    ) -> Result<Tensor, ModelError> {
        documents.check(&self.shape)?;
        let batch = Batch::new(documents, &self.shape, mode);
        let padding = self.host(batch.padding(), (batch.count, batch.length))?;
        let rows = self.last_layer(&batch, &padding)?.flatten(0, 1)?;
        let places: Vec<u32> = (0..batch.count)
            .flat_map(|index| {
                let start = (index * batch.length) as u32;
                targets.places.of(index).iter().map(move |place| start + place)
            })
            .collect();
        let count = places.len();
        let taken = rows.index_select(&Tensor::from_vec(places, count, &self.device)?, 0)?.unsqueeze(0)?;
        let hidden = self.linear(&taken, "masked.dense")?.gelu_erf()?;
        let hidden = self.norm(&hidden, "masked.norm")?.squeeze(0)?;
        let guesses = hidden.matmul(&self.variable(WORDS)?.t()?)?;
        let guesses = guesses.broadcast_add(self.variable("masked.bias")?)?;
        let words = Tensor::from_slice(&targets.words, targets.words.len(), &self.device)?;
        Ok(candle_nn::loss::cross_entropy(&guesses, &words)?)
    }

    /// The vectors of all tokens, padding included.
    fn last_layer(&self, batch: &Batch, padding: &Tensor) -> Result<Tensor, ModelError> {
        let (count, length, width) = (batch.count, batch.length, self.shape.width);
        let ids = Tensor::from_vec(batch.padded_tokens(), count * length, &self.device)?;
        let words = self.variable(WORDS)?.index_select(&ids, 0)?.reshape((count, length, width))?;
        let mut rows = match &self.positions {
            Some(positions) => words.broadcast_add(&positions.narrow(0, 0, length)?)?,
            None => {
                let positions = self.variable("embedding.positions.weight")?.narrow(0, 0, length)?;
                let kind = self.variable("embedding.types.weight")?.narrow(0, 0, 1)?;
                let sum = words.broadcast_add(&positions.broadcast_add(&kind)?)?;
                self.drop_rows(&self.norm(&sum, "embedding.norm")?, batch, embedding_site())?
            }
        };
        for layer in 0..self.shape.layers {
            rows = self.layer(&rows, layer, batch, padding)?;
        }
        Ok(rows)
    }

    /// `S W P' + b` for all pairs of rows.
    pub fn scores(&self, statements: &Tensor, proofs: &Tensor) -> Result<Tensor, ModelError> {
        let projected = statements.matmul(self.variable("score.weight")?)?;
        Ok(projected.matmul(&proofs.t()?)?.broadcast_add(self.variable("score.bias")?)?)
    }

    /// Mean cross entropy of the rows with the diagonal.
    pub fn local_loss(&self, scores: &Tensor) -> Result<Tensor, ModelError> {
        let most = scores.max_keepdim(1)?.detach();
        let normaliser = (scores.broadcast_sub(&most)?.exp()?.sum_keepdim(1)?.log()? + most)?;
        let gold = Tensor::eye(scores.dim(0)?, self.kind, &self.device)?;
        let gold = (scores * gold)?.sum_keepdim(1)?;
        Ok((normaliser - gold)?.mean_all()?)
    }

    /// The gradient of a loss with respect to every variable; an error if one has none.
    pub fn gradients(&self, loss: &Tensor) -> Result<BTreeMap<String, Tensor>, ModelError> {
        let mut found = loss.backward()?;
        let mut gradients = BTreeMap::new();
        for (name, variable) in &self.variables {
            let gradient = found.remove(variable);
            let gradient = gradient.ok_or_else(|| ModelError::NoGradient(name.clone()))?;
            gradients.insert(name.clone(), gradient);
        }
        Ok(gradients)
    }

    fn layer(
        &self,
        rows: &Tensor,
        layer: usize,
        batch: &Batch,
        padding: &Tensor,
    ) -> Result<Tensor, ModelError> {
        let name = |rest: &str| format!("layers.{layer}.{rest}");
        let attention = self.attention(rows, layer, batch, padding)?;
        let attention = self.drop_rows(&attention, batch, attention_site(layer))?;
        let rows = self.norm(&(attention + rows)?, &name("attention.norm"))?;
        let hidden = self.linear(&rows, &name("feed.up"))?;
        let hidden = match self.shape.activation() {
            Activation::Relu => hidden.relu()?,
            Activation::Gelu => hidden.gelu_erf()?,
        };
        let feed = self.linear(&hidden, &name("feed.down"))?;
        let feed = self.drop_rows(&feed, batch, feed_site(layer))?;
        self.norm(&(feed + rows)?, &name("feed.norm"))
    }

    fn attention(
        &self,
        rows: &Tensor,
        layer: usize,
        batch: &Batch,
        padding: &Tensor,
    ) -> Result<Tensor, ModelError> {
        let (heads, count, length) = (self.shape.heads, batch.count, batch.length);
        let split = |part: &str, size: usize| -> Result<Tensor, ModelError> {
            let projected = self.linear(rows, &format!("layers.{layer}.attention.{part}"))?;
            Ok(projected.reshape((count, length, heads, size))?.transpose(1, 2)?.contiguous()?)
        };
        let queries = split("query", self.shape.key)?;
        let keys = split("key", self.shape.key)?;
        let values = split("value", self.shape.value)?;
        let scores =
            (queries.matmul(&keys.transpose(2, 3)?.contiguous()?)? / (self.shape.key as f64).sqrt())?;
        let scores = scores.broadcast_add(&padding.reshape((count, 1, 1, length))?)?;
        let raised = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?.detach())?.exp()?;
        let mut weights = raised.broadcast_div(&raised.sum_keepdim(D::Minus1)?)?;
        if batch.drops() {
            let sites = (0..heads).map(|head| head_site(layer, head)).collect::<Vec<_>>();
            let mask = self.host(batch.mask(&sites, length), (count, heads, length, length))?;
            weights = (weights * mask)?;
        }
        let mixed = weights.matmul(&values)?.transpose(1, 2)?.contiguous()?;
        let mixed = mixed.reshape((count, length, self.shape.values()))?;
        self.linear(&mixed, &format!("layers.{layer}.attention.out"))
    }

    fn drop_rows(&self, rows: &Tensor, batch: &Batch, site: u64) -> Result<Tensor, ModelError> {
        if !batch.drops() {
            return Ok(rows.clone());
        }
        let width = self.shape.width;
        Ok((rows * self.host(batch.mask(&[site], width), (batch.count, batch.length, width))?)?)
    }

    fn linear(&self, rows: &Tensor, name: &str) -> Result<Tensor, ModelError> {
        let weight = self.variable(&format!("{name}.weight"))?;
        let (count, length, width) = rows.dims3()?;
        let out = rows.reshape((count * length, width))?.matmul(&weight.t()?)?;
        let out = out.broadcast_add(self.variable(&format!("{name}.bias"))?)?;
        Ok(out.reshape((count, length, weight.dim(0)?))?)
    }

    fn norm(&self, rows: &Tensor, name: &str) -> Result<Tensor, ModelError> {
        let centred = rows.broadcast_sub(&rows.mean_keepdim(D::Minus1)?)?;
        let deviation =
            (centred.sqr()?.mean_keepdim(D::Minus1)? + f64::from(self.shape.epsilon()))?.sqrt()?;
        let out = centred.broadcast_div(&deviation)?;
        let out = out.broadcast_mul(self.variable(&format!("{name}.weight"))?)?;
        Ok(out.broadcast_add(self.variable(&format!("{name}.bias"))?)?)
    }

    fn variable(&self, name: &str) -> Result<&Var, ModelError> {
        let missing = || ModelError::MissingTensor { name: name.to_owned(), expected: vec![] };
        self.variables.get(name).ok_or_else(missing)
    }

    /// Copies values from the host to the device.
    fn host(&self, values: Vec<f32>, shape: impl Into<candle_core::Shape>) -> Result<Tensor, ModelError> {
        Ok(Tensor::from_vec(values, shape.into(), &self.device)?.to_dtype(self.kind)?)
    }
}

fn flat(tensor: &Tensor) -> Result<Vec<f32>, ModelError> {
    Ok(tensor.flatten_all()?.to_dtype(DType::F32)?.to_vec1()?)
}

/// The host's side of a padded batch.
struct Batch<'a> {
    documents: &'a Packed,
    count: usize,
    length: usize,
    dropouts: Vec<Dropout>,
}

impl<'a> Batch<'a> {
    fn new(documents: &'a Packed, shape: &EncoderShape, mode: Mode) -> Self {
        let (count, share) = (documents.len(), shape.dropout);
        let length = (0..count).map(|index| documents.document(index).len()).max().unwrap_or(0);
        let dropouts = match mode {
            Mode::Train { step_seed } if share > 0.0 => {
                (0..count).map(|index| Dropout::new(share, step_seed, documents.key(index))).collect()
            }
            _ => vec![],
        };
        Self { documents, count, length, dropouts }
    }

    fn drops(&self) -> bool {
        !self.dropouts.is_empty()
    }

    fn padded_tokens(&self) -> Vec<u32> {
        let mut padded = vec![0; self.count * self.length];
        for (index, row) in padded.chunks_mut(self.length).enumerate() {
            let tokens = self.documents.document(index);
            row[..tokens.len()].copy_from_slice(tokens);
        }
        padded
    }

    /// 0 for a token, [`NEVER`] for padding.
    fn padding(&self) -> Vec<f32> {
        let mut padding = vec![NEVER as f32; self.count * self.length];
        for (index, row) in padding.chunks_mut(self.length).enumerate() {
            row[..self.documents.document(index).len()].fill(0.0);
        }
        padding
    }

    /// 1 for a document that is shorter than the maximum.
    fn shorter_than(&self, length: usize) -> Vec<f32> {
        let is_shorter = |index: usize| self.documents.document(index).len() < length;
        (0..self.count).map(|index| f32::from(u8::from(is_shorter(index)))).collect()
    }

    /// The weight of a token in its document's mean; 0 for padding.
    fn shares(&self) -> Vec<f32> {
        let mut shares = vec![0.0; self.count * self.length];
        for (index, row) in shares.chunks_mut(self.length).enumerate() {
            let length = self.documents.document(index).len();
            row[..length].fill(1.0 / length as f32);
        }
        shares
    }

    /// Dropout masks for each document and site: 0, or the factor of a kept element.
    fn mask(&self, sites: &[u64], columns: usize) -> Vec<f32> {
        let mut mask = Vec::with_capacity(self.count * sites.len() * self.length * columns);
        for dropout in &self.dropouts {
            for site in sites.iter().map(|&site| dropout.at(site)) {
                (0..self.length).for_each(|row| mask.extend(mask_row(site, row, columns)));
            }
        }
        mask
    }
}

fn mask_row(site: Site, row: usize, columns: usize) -> impl Iterator<Item = f32> {
    let mask = site.row(row);
    (0..columns).map(move |column| if mask.keeps(column as u32) { site.scale } else { 0.0 })
}
