//! Training of the formula-window encoder: presets and initial weights.

use super::{
    optimizer::{AdamW, OptimizerConfig},
    settings::{Encoder, ObjectiveKind, Preset, ShapeSettings, TrainSettings, WeightInit},
    weight_init::{init_score, inverse_frequencies},
};
use crate::{
    base::task::CancelToken,
    model::tokenizer::{
        FeatureVocabulary, SymbolNames, Tokenize, TokenizedPairs, Tokenizer, UnseenFeatures, unseen,
    },
    model::{ModelError, Weights},
};

/// Returns the settings of a preset. Those of `small` were chosen on the dev part of real articles; `paper` has the larger
/// batches and the narrower vectors that make an epoch of 150,000 pairs take minutes on two cores.
pub(super) fn settings(preset: Preset) -> TrainSettings {
    let small = TrainSettings {
        encoder: Encoder::Windows,
        objective: ObjectiveKind::Symmetric,
        symbols: SymbolNames::Both,
        epochs: 16,
        // on dev, 512 instead of 256 pairs are worth 0.8 points of MRR and 2.6 of global accuracy
        batch: 512,
        // pairs of the same article are the hardest to tell apart: worth half a point of dev MRR
        neighbors: 8,
        lr: 3e-2,
        word_lr: 0.05,
        score_lr: 0.03,
        warm_up: 0,
        lr_decay: 1.0,
        clip: None,
        evaluate_every: 1,
        start: WeightInit::Balanced,
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
        Preset::Tiny => TrainSettings {
            epochs: 12,
            batch: 64,
            word_lr: 0.12,
            start: WeightInit::Bag,
            shape: ShapeSettings::windows(256, 50_000),
            ..small
        },
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
/// part. Fails once the token is cancelled.
pub(super) fn weights(
    settings: &TrainSettings,
    tokenizer: &Tokenizer,
    training: &TokenizedPairs,
    cancel: &CancelToken,
) -> Result<Weights, ModelError> {
    let vocabulary = tokenizer.len();
    let mut weights = Weights::new_until(&settings.model_shape(vocabulary), settings.seed, cancel)?;
    init_score(settings, &mut weights);
    if matches!(settings.start, WeightInit::Bag | WeightInit::Balanced) {
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
    if settings.start == WeightInit::Balanced {
        balance(settings, tokenizer, weights.feature_weights_mut());
    }
    // a text without known features is similar to no other
    weights.feature_weights_mut()[FeatureVocabulary::NONE as usize] = 0.0;
    Ok(weights)
}

/// Multiplies the weight of each feature by the factor of its kind.
fn balance(settings: &TrainSettings, tokenizer: &Tokenizer, weights: &mut [f32]) {
    let Tokenizer::Features(features) = tokenizer else { return };
    let factors = factors(settings.symbols);
    for (weight, id) in weights.iter_mut().zip(0..) {
        if let Some(name) = features.name(id) {
            *weight *= factors[unseen::kind(name)];
        }
    }
    let rows = weights.len().saturating_sub(settings.shape.unseen.rows());
    weights[rows..].iter_mut().zip(factors).for_each(|(weight, factor)| *weight *= factor);
}

/// The factors of the [kinds](unseen::KINDS) of features. The windows of a formula overlap, and each repeats what the others and
/// the n-grams say, so together they would outweigh the words. Chosen on the train and dev parts of real articles by the MRR
/// and the global accuracy of untrained models.
fn factors(symbols: SymbolNames) -> [f32; unseen::KINDS] {
    let (word, pair, symbol, ngram, formula) = (1.6, 0.8, 1.6, 1.0, 1.0);
    match symbols {
        // without n-grams, windows are all that is known of formulas
        SymbolNames::Renamed => [word, pair, symbol, ngram, formula, 0.8, 0.8, 0.8],
        _ => [word, pair, symbol, ngram, formula, 0.4, 0.5, 0.6],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::demo, train::Trainer};

    #[test]
    fn balanced_weights_are_those_of_a_bag_times_the_factors_of_their_kinds() {
        let store = demo::corpus().unwrap();
        let start = |start| {
            let settings = TrainSettings {
                start,
                shape: ShapeSettings::windows(4, 400),
                ..Preset::Tiny.settings_for(Encoder::Windows)
            };
            Trainer::start(&store, settings).unwrap()
        };
        let (bag, balanced) = (start(WeightInit::Bag), start(WeightInit::Balanced));
        let Tokenizer::Features(features) = bag.tokenizer() else { panic!("windows have features") };
        let (before, after) = (bag.weights(), balanced.weights());
        let (before, after) = (before.feature_weights(), after.feature_weights());
        let mut seen = [0; unseen::KINDS];
        for id in 0..before.len() {
            let kind = match features.name(id as u32) {
                Some(name) => unseen::kind(name),
                None if id >= before.len() - unseen::KINDS => id + unseen::KINDS - before.len(),
                None => continue,
            };
            seen[kind] += 1;
            let factor = factors(SymbolNames::Both)[kind];
            assert!((after[id] - factor * before[id]).abs() < 1e-5, "{id}: {} {}", after[id], before[id]);
        }
        assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
        assert_eq!(after[FeatureVocabulary::NONE as usize], 0.0);
    }
}
