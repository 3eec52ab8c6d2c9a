//! Fine-tuning of a BERT as a matching model. The initial weights are a folder of `matchbook pretrain` or of `transformers`.

use std::path::Path;

use super::{
    error::TrainError,
    optimizer::{Asgd, OptimizerConfig},
    pretrain::PretrainSettings,
    settings::{Preset, ShapeSettings, TrainSettings, WeightInit},
    weight_init::init_score,
};
use crate::{
    base::task::CancelToken,
    model::tokenizer::{Tokenize, Tokenizer, WordPiece},
    model::{
        EncoderShape, Pooling, Weights,
        bert::{Bert, Folder, Head},
    },
};

/// The length that texts are truncated to, as in the paper.
pub const LONGEST: usize = 200;

/// Returns the settings for fine-tuning a BERT, whose sizes are those of its folder. `paper` has the values of the paper:
/// ASGD, 2e-3, batches of 16, 60 epochs.
pub fn fine_tuning(preset: Preset) -> TrainSettings {
    match preset {
        Preset::Paper => TrainSettings {
            epochs: 60,
            batch: 16,
            lr: 2e-3,
            lr_decay: 0.99,
            start: WeightInit::Random,
            optimizer: OptimizerConfig::Asgd(Asgd::default()),
            ..Preset::Paper.settings()
        },
        Preset::Tiny | Preset::Small => TrainSettings {
            epochs: 20,
            batch: 32,
            lr: 3e-4,
            // keep the pre-trained word embeddings
            word_lr: 1.0,
            score_lr: 1.0,
            lr_decay: 0.9,
            start: WeightInit::Similarity,
            rename: 0.0,
            leave_out: 0.0,
            ..Preset::Small.settings()
        },
    }
}

/// Returns the sizes that [`read_shape`] will find in the folder of a pre-training run, before there is one.
pub fn shape_after(pretraining: &PretrainSettings, pooling: Pooling, longest: usize) -> ShapeSettings {
    let mut shape = pretraining.shape.clone();
    shape.pooling = pooling;
    if let Some(Bert { head, position_rows, .. }) = &mut shape.bert {
        *head = Head::Match;
        shape.longest = longest.min(*position_rows);
    }
    shape
}

/// Reads the folder with a run's initial weights, with weights and tokenizer, so that an unusable folder is reported
/// before there is a run. Returns the sizes of its encoder.
pub fn read_shape(
    folder: &Path,
    pooling: Pooling,
    longest: usize,
    dropout: Option<f32>,
) -> Result<ShapeSettings, TrainError> {
    let folder = Folder { path: folder.to_owned(), head: Head::Match, pooling, longest, dropout, seed: 0 };
    let found = folder.read()?;
    tokenizer(&folder.path, found.weights.shape())?;
    Ok(ShapeSettings::of(found.weights.shape()))
}

/// Returns the tokenizer and the initial weights of a run, and descriptions of the weights that the folder lacks.
/// Fails once the token is cancelled.
pub(super) fn start(
    settings: &TrainSettings,
    cancel: &CancelToken,
) -> Result<(Tokenizer, Weights, Vec<String>), TrainError> {
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
        true => (Weights::new_until(&folder.shape(&mut vec![])?, settings.seed, cancel)?, vec![]),
        false => folder.read_until(cancel).map(|found| (found.weights, found.notes))?,
    };
    init_score(settings, &mut weights);
    let tokenizer = tokenizer(path, weights.shape())?;
    Ok((tokenizer, weights, notes))
}

fn tokenizer(folder: &Path, shape: &EncoderShape) -> Result<Tokenizer, TrainError> {
    let pieces = WordPiece::open(folder)?;
    match pieces.len() <= shape.vocabulary {
        true => Ok(Tokenizer::WordPiece(pieces)),
        false => Err(TrainError::Words {
            tokenizer: format!("the tokenizer of {}", folder.display()),
            words: pieces.len(),
            rows: shape.vocabulary,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::demo,
        model::bert::write,
        train::pretrain::{PretrainPreset, Pretrainer},
    };

    #[test]
    fn the_sizes_that_a_pretraining_leaves_are_known_before_it() {
        let tiny = PretrainPreset::Tiny.settings();
        let shape = EncoderShape { feed_forward: 32, positions: 16, ..EncoderShape::bert_of(2, 1, 16, 1) };
        let shape = ShapeSettings::of(&shape.with_head(Head::Masked));
        let settings = PretrainSettings { vocabulary: 200, shape, ..tiny };
        let run = Pretrainer::start(&demo::corpus().unwrap(), settings.clone()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in write(&run.weights()).unwrap() {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        std::fs::write(folder.path().join("tokenizer.json"), run.pieces().file().1).unwrap();
        for longest in [12, LONGEST] {
            let found = read_shape(folder.path(), Pooling::Cls, longest, None).unwrap();
            assert_eq!(shape_after(&settings, Pooling::Cls, longest), found);
        }
    }
}
