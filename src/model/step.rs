//! Loss and gradient of one batch, with the memory of the batch or of a chunk of it.
//!
//! The gradient cache (Gao, Zhang, Han and Callan, "Scaling Deep Contrastive Learning Batch Size under
//! Memory Limited Setup", 2021): encode everything without keeping anything, compute the gradient of the loss with
//! respect to the vectors, then encode chunk by chunk again, keeping what one backward pass needs. Dropout
//! is reproducible because a mask is a function of the step's seed and the document's key.

use std::num::NonZeroUsize;

use super::{
    Gradients, Mode, ModelError, Objective, Packed, Scores, Vectors, Weights, backward, encode, encode_only,
    score::{scores, scores_backward},
};

/// The result of a step.
#[derive(Debug, Clone)]
pub struct StepLoss {
    pub value: f32,
    /// The loss was flat; no gradient was added.
    pub flat: bool,
    /// The scores of the batch, gold on the diagonal.
    pub scores: Scores,
}

/// Adds a batch's gradient to `gradients`. The batch holds its statements and then, in the same order, their
/// proofs. With a `chunk`, only that many documents are kept at a time; the price is a second forward pass.
pub fn step(
    weights: &Weights,
    batch: &Packed,
    objective: Objective,
    mode: Mode,
    chunk: Option<NonZeroUsize>,
    gradients: &mut Gradients,
) -> Result<StepLoss, ModelError> {
    if weights.layout().score_weight.is_empty() {
        return Err(ModelError::Head("score of pairs"));
    }
    if !batch.len().is_multiple_of(2) {
        return Err(ModelError::OddBatch(batch.len()));
    }
    let chunk = chunk.map(NonZeroUsize::get).filter(|&chunk| chunk < batch.len());
    let (vectors, saved) = match chunk {
        Some(_) => (encode_only(weights, batch, mode)?, None),
        None => encode(weights, batch, mode).map(|(vectors, saved)| (vectors, Some(saved)))?,
    };
    let width = vectors.width;
    let (statements, proofs) = vectors.values.split_at(batch.len() / 2 * width);
    let statements = Vectors { width, values: statements.to_vec() };
    let proofs = Vectors { width, values: proofs.to_vec() };
    let scores = scores(weights, &statements, &proofs);
    let loss = objective.loss(&scores)?;
    if loss.is_flat() {
        return Ok(StepLoss { value: loss.value, flat: true, scores });
    }
    let (mut by_vectors, by_proofs) =
        scores_backward(weights, &statements, &proofs, &loss.gradient, gradients);
    by_vectors.values.extend(by_proofs.values);
    match saved {
        Some(saved) => backward(weights, saved, &by_vectors, gradients)?,
        None => {
            let chunk = chunk.unwrap_or(batch.len());
            for (index, by_vectors) in by_vectors.values.chunks(chunk * width).enumerate() {
                let by_vectors = Vectors { width, values: by_vectors.to_vec() };
                let start = index * chunk;
                let (_, saved) = encode(weights, &batch.part(start..start + by_vectors.len()), mode)?;
                backward(weights, saved, &by_vectors, gradients)?;
            }
        }
    }
    Ok(StepLoss { value: loss.value, flat: false, scores })
}
