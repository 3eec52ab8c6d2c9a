//! What can go wrong with weights, documents and batches.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the model's shape is impossible: {0}")]
    Shape(String),
    #[error("document {index} has no tokens; give it at least one")]
    EmptyDocument { index: usize },
    #[error("document {index} has {length} tokens, but the model reads at most {longest}; cut it first")]
    LongDocument { index: usize, length: usize, longest: usize },
    #[error("document {index} holds token {token}, but the vocabulary's tokens are {first} to {}", .vocabulary - 1)]
    Token { index: usize, token: u32, first: u32, vocabulary: usize },
    #[error("the model has no {0}; it was made for something else")]
    Head(&'static str),
    #[error("places were picked that are in no document of the batch")]
    Picked,
    #[error("{words} masked words for {places} masked places")]
    Targets { words: usize, places: usize },
    #[error("a batch holds statements and then as many proofs; found {0} documents")]
    OddBatch(usize),
    #[error("{found} vector gradients for {expected} vectors")]
    VectorGradients { expected: usize, found: usize },
    #[error(
        "the assignment solver answered {found} columns for {expected} rows, or a column that is not there"
    )]
    Assignment { expected: usize, found: usize },
    #[error("cannot read weights from {path}: {reason}; is it a safetensors file of this program?")]
    Read { path: PathBuf, reason: String },
    #[error("cannot write weights to {path}: {reason}")]
    Write { path: PathBuf, reason: String },
    #[error("the weights lack the tensor {name}; expected one of shape {expected:?}")]
    MissingTensor { name: String, expected: Vec<usize> },
    #[error("the tensor {name} should have shape {expected:?}, found {found:?}")]
    TensorShape { name: String, expected: Vec<usize>, found: Vec<usize> },
    #[error(
        "the tensor {name} has values that are not finite, such as {value}; the file is damaged, or its training failed"
    )]
    NotFinite { name: String, value: f32 },
    #[error("the tensor {name} should hold 32-bit floats, found {found}")]
    TensorType { name: String, found: String },
    #[error("the parameter {0} received no gradient: an operation on its way has none")]
    NoGradient(String),
    #[error("cannot compute on {name}: {reason}")]
    Device { name: &'static str, reason: String },
    #[error("candle could not compute: {0}")]
    Candle(#[from] candle_core::Error),
}
