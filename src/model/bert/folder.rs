//! The folder in which Python's `transformers` keeps a BERT: `config.json`, and the weights as `model.safetensors` or
//! `pytorch_model.bin`. What such a folder lacks is reported; what is wrong in it is an error that names it.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use safetensors::{Dtype, tensor::TensorView};
use serde::{Deserialize, Serialize};

use super::{
    super::{Activation, EncoderShape, ModelError, Pooling, WORDS, Weights, shape::Family},
    Bert, Head, names,
    pickle::Tensors,
    tensor_file::TensorFile,
};
use crate::base::{numbers::grouped, outside, task::CancelToken};

/// How many values are checked between two looks at the token.
const CHECKED: usize = 1 << 20;

/// The file that describes the model, by which such a folder is recognized.
pub const CONFIG: &str = "config.json";

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("cannot read {path}: {reason}")]
    Read { path: PathBuf, reason: String },
    #[error(
        "{path} holds neither model.safetensors nor pytorch_model.bin; a BERT's folder has its weights in one of them"
    )]
    NoWeights { path: PathBuf },
    #[error("{path} lacks the tensor {name}; expected one of shape {expected:?}")]
    Missing { path: PathBuf, name: String, expected: Vec<usize> },
    #[error(
        "the tensor {name} of {path} should have shape {expected:?} according to config.json, found {found:?}"
    )]
    Shape { path: PathBuf, name: String, expected: Vec<usize>, found: Vec<usize> },
    #[error(
        "the tensor {name} of {path} has values that are not finite, such as {value}; the file is damaged, or the \
         training that wrote it failed"
    )]
    NotFinite { path: PathBuf, name: String, value: f32 },
    #[error("{path} describes an unsupported model: {reason}")]
    Config { path: PathBuf, reason: String },
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// How to read a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    pub path: PathBuf,
    pub head: Head,
    pub pooling: Pooling,
    /// Longer texts are cut.
    pub longest: usize,
    /// `None` for the value in config.json.
    pub dropout: Option<f32>,
    /// The seed of the initial weights that the folder lacks.
    pub seed: u64,
}

/// A model that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub weights: Weights,
    /// Descriptions of what the folder lacked.
    pub notes: Vec<String>,
}

/// What `transformers` writes of a BERT, as far as it matters here.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Config {
    #[serde(default)]
    architectures: Option<Vec<String>>,
    #[serde(default = "bert")]
    model_type: String,
    vocab_size: usize,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "tenth")]
    hidden_dropout_prob: f32,
    #[serde(default = "tenth")]
    attention_probs_dropout_prob: f32,
    #[serde(default = "positions")]
    max_position_embeddings: usize,
    #[serde(default = "types")]
    type_vocab_size: usize,
    #[serde(default = "epsilon")]
    layer_norm_eps: f64,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    #[serde(default)]
    pad_token_id: Option<u32>,
    #[serde(default = "spread")]
    initializer_range: f64,
}

fn bert() -> String {
    "bert".to_owned()
}
fn gelu() -> String {
    "gelu".to_owned()
}
fn absolute() -> String {
    "absolute".to_owned()
}
fn tenth() -> f32 {
    0.1
}
fn positions() -> usize {
    512
}
fn types() -> usize {
    2
}
fn epsilon() -> f64 {
    1e-12
}
fn spread() -> f64 {
    0.02
}

impl Folder {
    /// Reads the model. Everything is checked before memory is allocated.
    pub fn read(&self) -> Result<Found, FolderError> {
        self.read_until(&CancelToken::new())
    }

    /// Like [`Folder::read`]; fails once the token is cancelled.
    pub fn read_until(&self, cancel: &CancelToken) -> Result<Found, FolderError> {
        let mut notes = Vec::new();
        let shape = self.shape(&mut notes)?;
        let source = Source::open(&self.path, cancel)?;
        let layout = super::super::Layout::new(&shape);
        let words = vec![shape.vocabulary, shape.width];
        let count = |shape: &[usize]| shape.iter().try_fold(1_u64, |all, size| all.checked_mul(*size as u64));
        let sizes = layout.parameters.iter().map(|each| count(&each.shape)).chain([count(&words)]);
        let values = sizes.reduce(|sum, more| sum?.checked_add(more?)).flatten();
        if values.is_none_or(|values| values > outside::WEIGHTS.largest / 4) {
            let reason = format!("it has more than {} parameters", grouped(outside::WEIGHTS.largest / 4));
            return Err(FolderError::Config { path: self.path.join(CONFIG), reason });
        }
        let all = std::iter::once((WORDS, &words))
            .chain(layout.parameters.iter().map(|each| (each.name.as_str(), &each.shape)));
        let mut places: Vec<(&str, String)> = Vec::new();
        let mut fresh: Vec<&str> = Vec::new();
        for (ours, expected) in all {
            let Some(theirs) = names::of_transformers(ours) else { continue };
            let found = names::candidates(&theirs).into_iter().find(|name| source.shape(name).is_some());
            let Some(found) = found else {
                if ours.starts_with("pooler.") || ours.starts_with("masked.") {
                    fresh.push(ours);
                    continue;
                }
                let (path, expected) = (source.path().to_owned(), expected.clone());
                return Err(FolderError::Missing { path, name: theirs, expected });
            };
            let shape = source.shape(&found).unwrap_or_default();
            if shape != *expected {
                let (path, expected) = (source.path().to_owned(), expected.clone());
                return Err(FolderError::Shape { path, name: found, expected, found: shape });
            }
            places.push((ours, found));
        }
        for (part, what) in [("pooler.", "pooler"), ("masked.", "masked language modeling head")] {
            if fresh.iter().any(|name| name.starts_with(part)) {
                notes.push(format!("{} has no {what}; it is initialized randomly", source.path().display()));
            }
        }
        let mut weights = Weights::zeros(&shape)?;
        weights.init(self.seed, |name| !places.iter().any(|(ours, _)| *ours == name), cancel)?;
        for (ours, theirs) in places {
            let values = source.read(&theirs)?;
            for piece in values.chunks(CHECKED) {
                cancel.check().map_err(ModelError::from)?;
                if let Some(value) = piece.iter().copied().find(|value| !value.is_finite()) {
                    return Err(FolderError::NotFinite {
                        path: source.path().to_owned(),
                        name: theirs,
                        value,
                    });
                }
            }
            if ours == WORDS {
                weights.words = values;
            } else if let Some(parameter) = layout.parameters.iter().find(|each| each.name == ours) {
                weights.dense[parameter.range.clone()].copy_from_slice(&values);
            }
        }
        Ok(Found { weights, notes })
    }

    /// The shape in config.json.
    pub fn shape(&self, notes: &mut Vec<String>) -> Result<EncoderShape, FolderError> {
        let path = self.path.join(CONFIG);
        let text = String::from_utf8_lossy(&read(&path)?).into_owned();
        let wrong = |reason: String| FolderError::Config { path: path.clone(), reason };
        let config: Config = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if config.model_type != "bert" {
            return Err(wrong(format!("its model_type is {}, not bert", config.model_type)));
        }
        if config.position_embedding_type != "absolute" {
            return Err(wrong(format!(
                "its position_embedding_type is {}; only absolute is supported",
                config.position_embedding_type
            )));
        }
        let activation = match config.hidden_act.as_str() {
            "gelu" => Activation::Gelu,
            "relu" => Activation::Relu,
            other => return Err(wrong(format!("its hidden_act is {other}; gelu and relu are supported"))),
        };
        for (name, size, most) in [
            ("vocab_size", config.vocab_size, 1 << 24),
            ("hidden_size", config.hidden_size, 1 << 16),
            ("num_hidden_layers", config.num_hidden_layers, 1 << 10),
            ("num_attention_heads", config.num_attention_heads, 1 << 10),
            ("intermediate_size", config.intermediate_size, 1 << 20),
            ("max_position_embeddings", config.max_position_embeddings, 1 << 20),
            ("type_vocab_size", config.type_vocab_size, 1 << 10),
        ] {
            if size == 0 || size > most {
                return Err(wrong(format!("its {name} is {size}; expected 1 to {most}")));
            }
        }
        if config.attention_probs_dropout_prob != config.hidden_dropout_prob && self.dropout.is_none() {
            notes.push(format!(
                "{} has dropout {} for attention and {} elsewhere; {} is used for both",
                path.display(),
                config.attention_probs_dropout_prob,
                config.hidden_dropout_prob,
                config.hidden_dropout_prob
            ));
        }
        let head = config.hidden_size / config.num_attention_heads;
        let shape = EncoderShape {
            vocabulary: config.vocab_size,
            width: config.hidden_size,
            layers: config.num_hidden_layers,
            heads: config.num_attention_heads,
            key: head,
            value: head,
            feed_forward: config.intermediate_size,
            dropout: self.dropout.unwrap_or(config.hidden_dropout_prob),
            positions: self.longest.min(config.max_position_embeddings),
            pooling: self.pooling,
            family: Family::Bert(Bert {
                position_rows: config.max_position_embeddings,
                types: config.type_vocab_size,
                epsilon: config.layer_norm_eps as f32,
                activation,
                head: self.head,
            }),
            unseen: crate::model::tokenizer::UnseenFeatures::Ignore,
        };
        shape.check().map_err(|error| wrong(error.to_string()))?;
        Ok(shape)
    }
}

/// The folder's files that hold a model: `config.json`, `model.safetensors`, and the score beside them.
pub fn write(weights: &Weights) -> Result<Vec<(&'static str, Vec<u8>)>, ModelError> {
    let shape = weights.shape();
    let bert = shape.bert().ok_or(ModelError::Head("encoder that transformers supports"))?;
    let (architecture, prefix) = match bert.head {
        Head::Match => ("BertModel", ""),
        Head::Masked => ("BertForMaskedLM", "bert."),
    };
    let config = Config {
        architectures: Some(vec![architecture.to_owned()]),
        model_type: "bert".to_owned(),
        vocab_size: shape.vocabulary,
        hidden_size: shape.width,
        num_hidden_layers: shape.layers,
        num_attention_heads: shape.heads,
        intermediate_size: shape.feed_forward,
        hidden_act: if bert.activation == Activation::Gelu { "gelu" } else { "relu" }.to_owned(),
        hidden_dropout_prob: shape.dropout,
        attention_probs_dropout_prob: shape.dropout,
        max_position_embeddings: bert.position_rows,
        type_vocab_size: bert.types,
        layer_norm_eps: f64::from(bert.epsilon),
        position_embedding_type: "absolute".to_owned(),
        pad_token_id: Some(0),
        initializer_range: 0.02,
    };
    let unable = |reason: String| ModelError::Write { path: "memory".into(), reason };
    let config = serde_json::to_vec_pretty(&config).map_err(|error| unable(error.to_string()))?;
    let (mut encoder, mut score) = (Vec::new(), Vec::new());
    for (name, shape, values) in weights.tensors() {
        match names::of_transformers(name) {
            Some(theirs) if theirs.starts_with("cls.") => encoder.push((theirs, shape, values)),
            Some(theirs) => encoder.push((format!("{prefix}{theirs}"), shape, values)),
            None => score.push((name.to_owned(), shape, values)),
        }
    }
    let mut files = vec![(CONFIG, config), ("model.safetensors", to_safetensors(&encoder)?)];
    if !score.is_empty() {
        files.push(("score.safetensors", to_safetensors(&score)?));
    }
    Ok(files)
}

fn to_safetensors(tensors: &[(String, &[usize], &[f32])]) -> Result<Vec<u8>, ModelError> {
    let unable = |reason: String| ModelError::Write { path: "memory".into(), reason };
    let bytes: Vec<Vec<u8>> = tensors
        .iter()
        .map(|(_, _, values)| values.iter().flat_map(|value| value.to_le_bytes()).collect())
        .collect();
    let mut views = Vec::new();
    for ((name, shape, _), bytes) in tensors.iter().zip(&bytes) {
        let view = TensorView::new(Dtype::F32, shape.to_vec(), bytes);
        views.push((name.as_str(), view.map_err(|error| unable(error.to_string()))?));
    }
    // `transformers` refuses a file that does not say whose tensors these are
    let header = HashMap::from([("format".to_owned(), "pt".to_owned())]);
    safetensors::serialize(views, Some(header)).map_err(|error| unable(error.to_string()))
}

/// Where the tensors are.
enum Source {
    Safetensors { path: PathBuf, tensors: TensorFile },
    Pickle { path: PathBuf, tensors: Tensors },
}

impl Source {
    fn open(folder: &Path, cancel: &CancelToken) -> Result<Source, FolderError> {
        let path = folder.join("model.safetensors");
        if path.exists() {
            refuse_pointer(&path, &beginning(&path)?)?;
            let tensors = TensorFile::open(&path, cancel)
                .map_err(|reason| FolderError::Read { path: path.clone(), reason })?;
            return Ok(Source::Safetensors { path, tensors });
        }
        let path = folder.join("pytorch_model.bin");
        if !path.exists() {
            return Err(FolderError::NoWeights { path: folder.to_owned() });
        }
        refuse_pointer(&path, &beginning(&path)?)?;
        let tensors = Tensors::open(&path, cancel)
            .map_err(|reason| FolderError::Read { path: path.clone(), reason })?;
        if tensors.names().next().is_none() {
            let reason = "its pickle contains no tensors".to_owned();
            return Err(FolderError::Read { path, reason });
        }
        Ok(Source::Pickle { path, tensors })
    }

    fn path(&self) -> &Path {
        match self {
            Source::Safetensors { path, .. } | Source::Pickle { path, .. } => path,
        }
    }

    fn shape(&self, name: &str) -> Option<Vec<usize>> {
        match self {
            Source::Safetensors { tensors, .. } => tensors.shape(name),
            Source::Pickle { tensors, .. } => tensors.shape(name).map(<[usize]>::to_vec),
        }
    }

    fn read(&self, name: &str) -> Result<Vec<f32>, FolderError> {
        let wrong = |reason: String| FolderError::Read {
            path: self.path().to_owned(),
            reason: format!("the tensor {name}: {reason}"),
        };
        match self {
            Source::Pickle { tensors, .. } => tensors.read(name).map_err(wrong),
            Source::Safetensors { tensors, .. } => tensors.read(name).map_err(wrong),
        }
    }
}

fn beginning(path: &Path) -> Result<Vec<u8>, FolderError> {
    use std::io::Read;
    let unreadable =
        |error: std::io::Error| FolderError::Read { path: path.to_owned(), reason: error.to_string() };
    let mut bytes = Vec::new();
    outside::open(path).map_err(unreadable)?.take(200).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn read(path: &Path) -> Result<Vec<u8>, FolderError> {
    let bytes = outside::read(path, outside::MODEL_CONFIG)
        .map_err(|error| FolderError::Read { path: path.to_owned(), reason: error.to_string() })?;
    refuse_pointer(path, &bytes)?;
    Ok(bytes)
}

/// Git LFS leaves a small text in the place of a large file.
fn refuse_pointer(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    match bytes.starts_with(b"version https://git-lfs") {
        true => Err(FolderError::Read {
            path: path.to_owned(),
            reason: "it is a Git LFS pointer, not the file itself; fetch it with git lfs pull".to_owned(),
        }),
        false => Ok(()),
    }
}

/// The files that `AutoTokenizer` needs: the tokenizer, and which of its tokens are special.
pub fn tokenizer_files(tokenizer: String) -> Vec<(&'static str, Vec<u8>)> {
    let config = serde_json::json!({
        "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 200,
        "unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
        "mask_token": "[MASK]", "clean_up_tokenization_spaces": true
    });
    vec![
        ("tokenizer.json", tokenizer.into_bytes()),
        ("tokenizer_config.json", format!("{config:#}").into_bytes()),
    ]
}
