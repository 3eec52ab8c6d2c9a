//! The gradient cache (Gao et al., 2021) on a device: the loss over a batch of any size with the memory of a chunk.
//!
//! First encode everything without keeping activations; then compute the loss and its gradient with respect to each
//! vector; then encode chunk by chunk again, with the same dropout, and backpropagate.

use std::num::NonZeroUsize;

use candle_core::{Tensor, Var, backprop::GradStore};

use super::{Graph, flat};
use crate::model::{Gradients, Mode, ModelError, Objective, Packed, Scores, StepLoss, WORDS};

impl Graph {
    /// The same as [`Graph::step`], to rounding, keeping the activations of `chunk` documents at a time.
    pub fn step_in_chunks(
        &self,
        batch: &Packed,
        objective: Objective,
        mode: Mode,
        chunk: NonZeroUsize,
        gradients: &mut Gradients,
    ) -> Result<StepLoss, ModelError> {
        if !batch.len().is_multiple_of(2) {
            return Err(ModelError::OddBatch(batch.len()));
        }
        let pairs = batch.len() / 2;
        let parts: Vec<Packed> = (0..batch.len())
            .step_by(chunk.get())
            .map(|start| batch.part(start..(start + chunk.get()).min(batch.len())))
            .collect();
        let mut vectors = Vec::new();
        for part in &parts {
            vectors.push(self.encode(part, mode)?.detach());
        }
        let vectors = Var::from_tensor(&Tensor::cat(&vectors, 0)?)?;
        let on_device = self.scores(&vectors.narrow(0, 0, pairs)?, &vectors.narrow(0, pairs, pairs)?)?;
        let scores = Scores { columns: pairs, values: flat(&on_device)? };
        let loss = objective.loss(&scores)?;
        if loss.is_flat() {
            return Ok(StepLoss { value: loss.value, flat: true, scores });
        }
        let slope = self.host(loss.gradient.values, (pairs, pairs))?;
        let mut found = (on_device * slope)?.sum_all()?.backward()?;
        self.add_dense(&mut found, "score.", true, gradients)?;
        let missing = || ModelError::NoGradient("the vectors".to_owned());
        let slopes = found.remove(&vectors).ok_or_else(missing)?;
        let mut start = 0;
        for part in &parts {
            let slopes = slopes.narrow(0, start, part.len())?;
            let mut found = (self.encode(part, mode)? * slopes)?.sum_all()?.backward()?;
            self.add_dense(&mut found, "score.", false, gradients)?;
            self.add_words(&mut found, part, gradients)?;
            start += part.len();
        }
        Ok(StepLoss { value: loss.value, flat: false, scores })
    }

    /// Adds the gradients of the dense variables whose names do, or do not, have the prefix.
    fn add_dense(
        &self,
        found: &mut GradStore,
        prefix: &str,
        begins: bool,
        gradients: &mut Gradients,
    ) -> Result<(), ModelError> {
        let frozen = self.layout.frozen(gradients.frozen_layers);
        let trained = self.layout.parameters.iter().filter(|each| each.range.start >= frozen);
        for parameter in trained.filter(|each| each.name.starts_with(prefix) == begins) {
            let missing = || ModelError::NoGradient(parameter.name.clone());
            let gradient = found.remove(self.variable(&parameter.name)?).ok_or_else(missing)?;
            let sums = &mut gradients.dense[parameter.range.clone()];
            sums.iter_mut().zip(flat(&gradient)?).for_each(|(sum, value)| *sum += value);
        }
        Ok(())
    }

    fn add_words(
        &self,
        found: &mut GradStore,
        part: &Packed,
        gradients: &mut Gradients,
    ) -> Result<(), ModelError> {
        if gradients.frozen_layers > 0 {
            return Ok(());
        }
        let missing = || ModelError::NoGradient(WORDS.to_owned());
        let words = found.remove(self.variable(WORDS)?).ok_or_else(missing)?;
        let mut used = part.tokens().to_vec();
        used.sort_unstable();
        used.dedup();
        let rows = words.index_select(&Tensor::from_slice(&used, used.len(), &self.device)?, 0)?;
        gradients.words.add(&used, &flat(&rows)?);
        Ok(())
    }
}
