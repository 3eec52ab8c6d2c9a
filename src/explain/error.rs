//! Errors of explaining a pair.

use crate::model::ModelError;

#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    #[error("explaining {pair} was cancelled")]
    Cancelled { pair: String },
    #[error("nothing in {pair} can be removed: the model reads none of its words and symbols")]
    NothingToDrop { pair: String },
    #[error("LIME needs at least 2 samples, the whole pair and one perturbation; found {0}")]
    TooFewSamples(usize),
    #[error(
        "{pair} has {found} features, more than the {most} that LIME supports; use --by word if it is not set, or --method occlusion"
    )]
    TooManyFeatures { pair: String, found: usize, most: usize },
    #[error("integrated gradients need at least one step")]
    NoSteps,
    #[error("the scorer returned {found} scores for {expected} variants of {pair}")]
    Answers { pair: String, expected: usize, found: usize },
    #[error("the score of {pair} is not a number; was the model trained to the end?")]
    NotANumber { pair: String },
    #[error("this scorer has no gradients; use LIME or occlusion")]
    NoGradients,
    #[error("cannot score {pair}: {source}")]
    Model { pair: String, source: ModelError },
}
