//! Training of the formula-window encoder: presets and initial weights.

use super::{
    optimizer::{AdamW, OptimizerConfig},
    settings::{Encoder, ObjectiveKind, Preset, ShapeSettings, TrainSettings, WeightInit},
    weight_init::{init_score, inverse_frequencies},
};
use crate::{
    model::tokenizer::{FeatureVocabulary, SymbolNames, TokenizedPairs, UnseenFeatures},
    model::{ModelError, Weights},
};

/// Returns the settings of a preset. Those of `small` were chosen on the dev part of real articles; `paper` has the larger
/// batches and the narrower vectors that make an epoch of 150,000 pairs take minutes on two cores.
pub(super) fn settings(preset: Preset) -> TrainSettings {
    let small = TrainSettings {
        encoder: Encoder::Windows,
        objective: ObjectiveKind::Symmetric,
        symbols: SymbolNames::Both,
        epochs: 12,
        batch: 256,
        // pairs of the same article are the hardest to tell apart: worth half a point of dev MRR
        neighbors: 8,
        lr: 3e-2,
        word_lr: 0.05,
        score_lr: 0.03,
        warm_up: 0,
        lr_decay: 1.0,
        clip: None,
        evaluate_every: 1,
        start: WeightInit::Bag,
        rename: 0.0,
        leave_out: 0.0,
        // rows without a gradient then need no update at all
        optimizer: OptimizerConfig::AdamW(AdamW { decay: 0.0, ..AdamW::default() }),
        shape: ShapeSettings::windows(1536, 200_000),
        ..Preset::Paper.settings()
    };
    match preset {
        Preset::Small => small,
        // the values of narrower vectors are larger, and so are their steps
        Preset::Tiny => {
            TrainSettings { batch: 64, word_lr: 0.12, shape: ShapeSettings::windows(256, 50_000), ..small }
        }
        Preset::Paper => TrainSettings {
            batch: 1024,
            epochs: 10,
            word_lr: 0.1,
            shape: ShapeSettings::windows(384, 400_000),
            ..small
        },
    }
}

/// Returns the initial weights: the cosine of two texts is nearly that of TF-IDF, with document frequencies of the training
/// part.
pub(super) fn weights(
    settings: &TrainSettings,
    vocabulary: usize,
    training: &TokenizedPairs,
) -> Result<Weights, ModelError> {
    let mut weights = Weights::new(&settings.model_shape(vocabulary), settings.seed)?;
    init_score(settings, &mut weights);
    if settings.start == WeightInit::Bag {
        // scikit-learn's smoothing without its lower bound: a feature that occurs in every text carries no information
        let frequencies = inverse_frequencies(training, vocabulary);
        for (weight, frequency) in weights.feature_weights_mut().iter_mut().zip(frequencies) {
            *weight = frequency - 1.0;
        }
        if settings.shape.unseen == UnseenFeatures::Hash {
            // as rare as a feature that occurs only in a statement and its proof
            let texts = 1.0 + 2.0 * training.len() as f32;
            let rows = vocabulary.saturating_sub(settings.shape.unseen.rows());
            weights.feature_weights_mut()[rows..].fill((texts / 3.0).ln());
        }
    }
    // a text without known features is similar to no other
    weights.feature_weights_mut()[FeatureVocabulary::NONE as usize] = 0.0;
    Ok(weights)
}
