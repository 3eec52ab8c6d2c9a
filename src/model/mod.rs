//! The matching model: the encoders (NPT, [BERT](bert) and formula [windows]), the bilinear score, the losses, and the gradients of all of them.
//!
//! # Two encoders, one model
//!
//! candle's own operations take two and a half times as long as PyTorch's on a CPU, and some of them
//! silently cut the gradient. So the CPU path ([`encode`], [`backward`]) is written out by
//! hand over concatenated documents; [`resident`] trains on GPUs without leaving them, with candle's products and a few
//! kernels of our own; [`graph`] is the same encoder in candle's trainable operations, the oracle that tests compare the
//! others with, including dropout and ragged lengths.
//!
//! # How a training loop uses it
//!
//! ```
//! use matchbook::model::{Gradients, Mode, NptShape, Objective, Packed, Weights, step};
//!
//! let shape = NptShape { vocabulary: 40, ..NptShape::tiny(40) };
//! let mut weights = Weights::new(&shape, 1)?;
//! let mut gradients = Gradients::new(&weights);
//!
//! // statements first, then their proofs in the same order; a key that stays with each document
//! let mut batch = Packed::new();
//! batch.push(0, &[1, 7, 9, 2]);
//! batch.push(2, &[1, 8, 3, 3, 2]);
//! batch.push(1, &[1, 7, 7, 2]);
//! batch.push(3, &[1, 3, 2]);
//!
//! gradients.clear();
//! let loss = step(&weights, &batch, Objective::Local, Mode::Train { step_seed: 1 }, None, &mut gradients)?;
//! assert!(loss.value.is_finite());
//!
//! // any optimizer: one flat slice, and the rows of the word table that the batch used
//! for (weight, gradient) in weights.dense.iter_mut().zip(&gradients.dense) {
//!     *weight -= 0.005 * gradient;
//! }
//! for (word, gradient) in gradients.words.iter() {
//!     let row = &mut weights.words[word as usize * shape.width..][..shape.width];
//!     row.iter_mut().zip(gradient).for_each(|(weight, gradient)| *weight -= 0.005 * gradient);
//! }
//! # Ok::<(), matchbook::model::ModelError>(())
//! ```
//!
//! [`step`] is composed of functions that can be used alone: [`encode`] returns vectors and what [`backward`] needs,
//! [`encode_only`] keeps nothing, [`scores`] and [`scores_backward`] are the bilinear score, and
//! [`Objective::loss`] returns the gradient with respect to the scores. [`Layout`] names the parts of the flat slice.
//! [`Weights::to_safetensors`] and [`Weights::read`] write and read files.
//! [`Engine`] makes the same steps with either encoder, so that a training loop is independent of the choice.
//!
//! # Invariants
//!
//! - A document's vector depends on its tokens, its key and the step's seed: not on its batch, not on the
//!   chunk, not on the number of threads, to the bit.
//! - Gradients are the same bits for any number of threads. With another chunk they are equal to rounding.
//! - Everything runs in the current rayon pool. There is no global state; the seed of a step is passed in.
//! - NaN is propagated to the loss, never swallowed.

pub mod bert;
mod device;
mod engine;
mod error;
mod files;
mod gradients;
pub mod graph;
mod kernels;
mod layout;
mod losses;
mod npt;
mod packed;
mod positions;
mod precision;
mod random;
pub mod resident;
mod score;
mod shape;
mod step;
pub mod tokenizer;
mod weights;
mod windows;
pub(crate) mod workload;

#[cfg(test)]
mod tests;

pub(crate) use self::kernels::{lanes::exponential, vectorised};
pub use self::{
    device::{ComputeDevice, DeviceInfo},
    engine::{Encoder, Engine},
    error::ModelError,
    gradients::{Gradients, SparseRows},
    layout::{Layout, Parameter, WORDS},
    losses::{Loss, Objective, Solver},
    npt::{Mode, Saved, Vectors, backward, encode, encode_only, encode_tokens, encode_tokens_only},
    packed::{Packed, Picked},
    precision::Precision,
    resident::{DeviceReport, HostState, PerWeightSlices, Resident, StepPlan, UpdateRule},
    score::{Scores, project, projected_scores, scores, scores_backward},
    shape::{
        Activation, EncoderShape, Family, MOST_FEATURES_OF_A_TEXT, MOST_FEED_FORWARD, MOST_HEADS,
        MOST_LAYERS, MOST_POSITIONS, MOST_WIDTH, MOST_WORDS, NptShape, Pooling,
    },
    step::{StepLoss, step},
    weights::Weights,
};
