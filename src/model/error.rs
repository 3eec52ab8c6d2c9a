//! Errors about weights, documents and batches.

use std::path::PathBuf;

use crate::base::task::Cancelled;

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the model's dimensions are invalid: {0}")]
    Shape(String),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("document {index} has no tokens; give it at least one")]
    EmptyDocument { index: usize },
    #[error(
        "document {index} has {length} tokens, but the maximum sequence length is {longest}; truncate it first"
    )]
    LongDocument { index: usize, length: usize, longest: usize },
    #[error("document {index} has the token id {token}, but the vocabulary's ids are {first} to {}", .vocabulary - 1)]
    Token { index: usize, token: u32, first: u32, vocabulary: usize },
    #[error("the model has no {0}; it was built for another task")]
    Head(&'static str),
    #[error("masked positions lie outside the documents of the batch")]
    Picked,
    #[error("{words} masked words for {places} masked positions")]
    Targets { words: usize, places: usize },
    #[error("a batch consists of statements followed by the same number of proofs; found {0} documents")]
    OddBatch(usize),
    #[error("{found} vector gradients for {expected} vectors")]
    VectorGradients { expected: usize, found: usize },
    #[error(
        "the assignment solver returned {found} columns for {expected} rows, or a column that does not exist"
    )]
    Assignment { expected: usize, found: usize },
    #[error("cannot read weights from {path}: {reason}; is it a safetensors file written by matchbook?")]
    Read { path: PathBuf, reason: String },
    #[error("cannot write weights to {path}: {reason}")]
    Write { path: PathBuf, reason: String },
    #[error("the weights lack the tensor {name}; expected one of shape {expected:?}")]
    MissingTensor { name: String, expected: Vec<usize> },
    #[error("the tensor {name} should have shape {expected:?}, found {found:?}")]
    TensorShape { name: String, expected: Vec<usize>, found: Vec<usize> },
    #[error(
        "the tensor {name} has values that are not finite, such as {value}; the file is damaged, or training diverged"
    )]
    NotFinite { name: String, value: f32 },
    #[error("the tensor {name} should hold 32-bit floats, found {found}")]
    TensorType { name: String, found: String },
    #[error("the parameter {0} received no gradient: an operation in its graph has no backward pass")]
    NoGradient(String),
    #[error("cannot compute on {name}: {reason}")]
    Device { name: String, reason: String },
    #[error(
        "a single document does not fit into the memory of the device; use --precision bf16, a smaller --batch or --longest, \
         or another --device"
    )]
    OutOfMemory,
    #[error(
        "the model does not fit into the memory of the device; use another --device, or a smaller --width or vocabulary"
    )]
    TooLarge,
    /// The first line of candle's error, which ends with a backtrace where one is enabled. The error is no source of this one,
    /// which would print it again.
    #[error("candle could not compute: {reason}")]
    Candle { reason: String, is_out_of_memory: bool },
}

impl From<candle_core::Error> for ModelError {
    fn from(error: candle_core::Error) -> Self {
        let text = error.to_string();
        let is_out_of_memory =
            ["OUT_OF_MEMORY", "out of memory", "ALLOC_FAILED"].iter().any(|words| text.contains(words));
        Self::Candle { reason: first_line(&text), is_out_of_memory }
    }
}

impl ModelError {
    /// Whether a smaller chunk could succeed.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Self::Candle { is_out_of_memory: true, .. })
    }

    /// The error of an upload.
    pub(super) fn uploading(self) -> ModelError {
        if self.is_out_of_memory() { ModelError::TooLarge } else { self }
    }
}

pub(super) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim().to_owned()
}
