//! The weights before the first step.
//!
//! From random weights, a few thousand pairs are too few to learn that a proof resembles its statement: the model memorizes
//! its pairs instead. A model can therefore start as a good untrained one. [`WeightInit::Bag`] makes it compare bags of
//! tokens, each weighted by the logarithm of its inverse document frequency, in a random projection to the width of the
//! model. The architecture is unchanged, only the values of the weights are special:
//!
//! - The last linear map of each sub-layer is zero, so that a layer is the identity.
//! - A token's vector is random, as long as its weight. Norms would make all vectors equally long, so two columns,
//!   which cancel in the mean, hold a number that is large beside the rest; after a norm, a token of small weight is
//!   nearly all in these two. The gain of the last norm is zero there, which leaves the weighted rest.
//! - The score's matrix is a multiple of the identity.

use super::settings::{TrainSettings, WeightInit};
use crate::{
    base::task::CancelToken,
    model::tokenizer::TokenizedPairs,
    model::{ModelError, Pooling, Weights},
};

/// The trace of the initial matrix of the score for max-pooling. Its vectors are long: with more than this, the first steps
/// are spent on unlearning it.
const SIMILARITY: f32 = 1.0;
/// The diagonal for vectors of length one: a cosine greater by 0.1 makes a match seven times as likely.
const SHARPNESS: f32 = 20.0;
/// The magnitude of the two columns that carry no meaning, relative to a token of weight 1.
const BALLAST: f32 = 10.0;
/// The scale of the word embeddings. Position embeddings keep theirs, so that they matter less: otherwise their mean, which
/// all texts share, is as long as that of the words of a text. On real articles this raises the dev MRR of the untrained
/// model from .44 to .48.
const WORD_SCALE: f32 = 6.0;

/// Returns the initial weights. Document frequencies are those of the training part. Fails once the token is cancelled.
pub(super) fn weights(
    settings: &TrainSettings,
    vocabulary: usize,
    training: &TokenizedPairs,
    cancel: &CancelToken,
) -> Result<Weights, ModelError> {
    let mut weights = Weights::new_until(&settings.model_shape(vocabulary), settings.seed, cancel)?;
    init_score(settings, &mut weights);
    if settings.start == WeightInit::Bag {
        for layer in 0..settings.shape.layers {
            for name in ["attention.out.weight", "attention.out.bias", "feed.down.weight", "feed.down.bias"] {
                part(&mut weights, &format!("layers.{layer}.{name}")).fill(0.0);
            }
        }
        weight_words_by_idf(&mut weights, training);
    }
    Ok(weights)
}

/// Initializes the matrix of the score.
pub(super) fn init_score(settings: &TrainSettings, weights: &mut Weights) {
    if settings.start != WeightInit::Random {
        let value = match settings.shape.pooling {
            Pooling::Max | Pooling::Padded | Pooling::Cls => SIMILARITY / settings.shape.width as f32,
            Pooling::Mean => SHARPNESS,
        };
        let matrix = part(weights, "score.weight");
        matrix.fill(0.0);
        matrix.iter_mut().step_by(settings.shape.width + 1).for_each(|each| *each = value);
    }
}

fn weight_words_by_idf(weights: &mut Weights, training: &TokenizedPairs) {
    let (width, layers) = (weights.shape().width, weights.shape().layers);
    if width < 4 {
        return;
    }
    let ballast = WORD_SCALE * BALLAST * (width as f32 / 2.0).sqrt();
    let heaviness = inverse_frequencies(training, weights.shape().vocabulary);
    // row 0 is padding and stays zero
    for (row, weight) in weights.words.chunks_exact_mut(width).zip(heaviness).skip(1) {
        row.iter_mut().for_each(|value| *value *= WORD_SCALE * weight);
        (row[0], row[1]) = (ballast, -ballast);
    }
    part(weights, &format!("layers.{}.feed.norm.weight", layers - 1))[..2].fill(0.0);
}

/// Returns ln((1 + n) / (1 + d)) + 1 for each token, as in the TF-IDF baseline.
pub(super) fn inverse_frequencies(documents: &TokenizedPairs, vocabulary: usize) -> Vec<f32> {
    let mut frequencies = vec![0u32; vocabulary];
    for pair in 0..documents.len() {
        for tokens in [documents.statement(pair), documents.proof(pair)] {
            let mut different = tokens.to_vec();
            different.sort_unstable();
            different.dedup();
            for token in different {
                // the ids of unseen features are beyond the vocabulary
                if let Some(frequency) = frequencies.get_mut(token as usize) {
                    *frequency += 1;
                }
            }
        }
    }
    let texts = 1.0 + 2.0 * documents.len() as f32;
    frequencies.into_iter().map(|found| (texts / (1.0 + found as f32)).ln() + 1.0).collect()
}

fn part<'a>(weights: &'a mut Weights, name: &str) -> &'a mut [f32] {
    let found = weights.layout().parameters.iter().find(|each| each.name == name);
    let range = found.map_or(0..0, |each| each.range.clone());
    &mut weights.dense[range]
}
