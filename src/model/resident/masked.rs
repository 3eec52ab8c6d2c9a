//! The head that guesses masked words.

use std::ops::Range;

use candle_core::{DType, Tensor};

use super::{
    backend::values,
    batch::{Batch, Indices, words_of},
    network::{Network, Slopes},
    ops::{Norm, Unit},
};
use crate::model::{Mode, ModelError, Packed, bert::Targets};

/// Guesses of every word at masked places, and what their gradients need.
struct Guesses {
    /// What the dense layer's unit reads in its backward pass.
    kept: Tensor,
    norm: Norm,
    hidden: Tensor,
    guesses: Tensor,
}

impl Network {
    /// The gradient of masked tokens' rows, and what [`report`](super::Backend::report) reads of each guess.
    pub fn masked_backward(
        &self,
        tokens: &Tensor,
        words: &Indices,
        share: f32,
        slopes: &mut Slopes,
    ) -> Result<(Tensor, Tensor), ModelError> {
        let [weight, bias, norm, offset] = self.masked_places()?;
        let (backend, parameters) = (&self.backend, &self.parameters);
        let found = self.guess(tokens)?;
        let (by_guess, rows) = backend.masked_loss(found.guesses, parameters.exact(offset), words, share)?;
        slopes.add(offset, &backend.columns(&by_guess)?)?;
        let by_table = backend.product(&by_guess.t()?, &found.hidden)?.to_dtype(DType::F32)?;
        slopes.words = Some(match slopes.words.take() {
            Some(others) => (others + by_table)?,
            None => by_table,
        });
        let by_hidden = backend.product(&by_guess, self.table())?;
        let gains = parameters.exact(norm);
        let (by_active, _, by_gains) = backend.norm_backward(&found.norm, gains, &by_hidden, None)?;
        slopes.add(norm, &by_gains)?;
        let (by_sums, _) = backend.activate_backward(&found.kept, by_active, Unit::Gaussian)?;
        Ok((self.linear_backward(tokens, &by_sums, weight, bias, slopes)?, rows))
    }

    /// Loss, success, failure and slope of each masked place of some documents; `range` are their numbers among the targets.
    pub fn masked_rows(
        &self,
        documents: &Packed,
        targets: &Targets,
        range: Range<usize>,
    ) -> Result<Vec<f32>, ModelError> {
        let [.., offset] = self.masked_places()?;
        let device = &self.backend.device;
        let batch = Batch::new(documents, &words_of(documents), &self.shape, Mode::Evaluate, device)?;
        let (which, words) = masked_places(&batch, targets, |place| range.start + place);
        if which.is_empty() {
            return Ok(vec![]);
        }
        let (tokens, _) = self.encode_rows(&batch, &which, false)?;
        let words = Indices { device: Tensor::from_slice(&words, words.len(), device)?, host: words };
        let guesses = self.guess(&tokens)?.guesses;
        let (_, rows) = self.backend.masked_loss(guesses, self.parameters.exact(offset), &words, 1.0)?;
        Ok(values(&rows)?)
    }

    fn guess(&self, tokens: &Tensor) -> Result<Guesses, ModelError> {
        let [weight, bias, norm, _] = self.masked_places()?;
        let (backend, parameters) = (&self.backend, &self.parameters);
        let sums = self.linear(tokens, weight)?;
        let (active, kept) = backend.activate(sums, parameters.exact(bias), Unit::Gaussian)?;
        let gains = parameters.exact(norm);
        let (hidden, norm) = backend.norm(active, None, None, gains, None, self.shape.epsilon())?;
        let guesses = backend.product(&hidden, &self.table().t()?)?;
        Ok(Guesses { kept, norm, hidden, guesses })
    }

    /// The words, in the type of rows.
    fn table(&self) -> &Tensor {
        let words = &self.parameters.words;
        words.half.as_ref().unwrap_or(&words.weights)
    }

    fn masked_places(&self) -> Result<[usize; 4], ModelError> {
        self.parameters.places.masked.ok_or(ModelError::Head("masked language modeling head"))
    }
}

/// Rows and words of the masked places of a batch; `number` is that of a document among the targets.
pub fn masked_places(
    batch: &Batch,
    targets: &Targets,
    number: impl Fn(usize) -> usize,
) -> (Vec<u32>, Vec<u32>) {
    let (mut which, mut words) = (vec![], vec![]);
    for (&place, &start) in batch.order.host.iter().zip(&batch.starts.host) {
        let document = number(place as usize);
        which.extend(targets.places.of(document).iter().map(|place| start + place));
        words.extend_from_slice(&targets.words[targets.places.range(document)]);
    }
    (which, words)
}
