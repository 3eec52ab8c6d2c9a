//! A matching model that begins as a BERT: the folder of a pre-training of ours, or one of `transformers`.

use std::path::Path;

use super::{
    error::TrainError,
    settings::{Settings, Shape},
    start::start_score,
};
use crate::{
    model::{
        EncoderShape, Pooling, Weights,
        bert::{Folder, Head},
    },
    text::{Reader, Reads, WordPiece},
};

/// What a folder says that a run begins with.
pub struct Beginning {
    /// The sizes of the encoder.
    pub shape: Shape,
    /// What the folder lacks, in words.
    pub notes: Vec<String>,
}

/// Looks at a folder, before a run begins with it. Weights and tokenizer are read too, so that a folder that cannot be
/// used is told before there is a run.
pub fn look(
    folder: &Path,
    pooling: Pooling,
    longest: usize,
    dropout: Option<f32>,
) -> Result<Beginning, TrainError> {
    let folder = Folder { path: folder.to_owned(), head: Head::Match, pooling, longest, dropout, seed: 0 };
    let found = folder.read()?;
    reader(&folder.path, found.weights.shape())?;
    Ok(Beginning { shape: Shape::of(found.weights.shape()), notes: found.notes })
}

/// The reader and the weights that a run begins with, and what the folder lacks.
pub(super) fn start(settings: &Settings) -> Result<(Reader, Weights, Vec<String>), TrainError> {
    let path = settings.init.as_deref().unwrap_or(Path::new(""));
    let folder = Folder {
        path: path.to_owned(),
        head: Head::Match,
        pooling: settings.shape.pooling,
        longest: settings.shape.longest,
        dropout: Some(settings.shape.dropout),
        seed: settings.seed,
    };
    let (mut weights, notes) = match settings.untrained {
        true => (Weights::new(&folder.shape(&mut vec![])?, settings.seed)?, vec![]),
        false => folder.read().map(|found| (found.weights, found.notes))?,
    };
    start_score(settings, &mut weights);
    let reader = reader(path, weights.shape())?;
    Ok((reader, weights, notes))
}

fn reader(folder: &Path, shape: &EncoderShape) -> Result<Reader, TrainError> {
    let pieces = WordPiece::open(folder)?;
    match pieces.len() <= shape.vocabulary {
        true => Ok(Reader::Pieces(pieces)),
        false => Err(TrainError::Words {
            tokenizer: format!("the tokenizer of {}", folder.display()),
            words: pieces.len(),
            rows: shape.vocabulary,
        }),
    }
}
