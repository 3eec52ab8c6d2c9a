//! The weights before the first step.
//!
//! From chance, a few thousand pairs are too few to find out that a proof resembles its statement: the model learns
//! its pairs by heart instead. So a model can begin as what needs no training. [`WeightInit::Bag`] makes it one that
//! compares bags of tokens, each weighed by the logarithm of its inverse document frequency, in a random
//! projection to the model's width; nothing in the model's form is special, only its numbers:
//!
//! - The last linear map of each sub-layer is zero, so that a layer passes its input on.
//! - A token's vector is random, as long as its weight. Norms would make all vectors equally long, so two columns,
//!   which cancel in the mean, hold a number that is large beside the rest; after a norm, a token of small weight is
//!   nearly all in these two. The gain of the last norm is zero there, which leaves the weighed rest.
//! - The score's matrix is a multiple of the identity.

use super::settings::{TrainSettings, WeightInit};
use crate::{
    model::tokenizer::TokenizedPairs,
    model::{ModelError, Pooling, Weights},
};

/// What the diagonal of a matrix that begins as similarity adds up to where vectors are maxima. Those are long: more than
/// this, and the first steps are spent on unlearning it.
const SIMILARITY: f32 = 1.0;
/// The diagonal for vectors of length one: a cosine that is greater by 0.1 makes a match seven times as probable.
const SHARPNESS: f32 = 20.0;
/// The two columns that carry no meaning, beside a token of weight 1.
const BALLAST: f32 = 10.0;
/// How much louder than usual all words are. Positions are as loud as ever, so they count the less: their mean, which all
/// texts share, is as long as that of a text's words otherwise. On real articles that takes the dev MRR of the untrained
/// model from .44 to .48.
const LOUDNESS: f32 = 6.0;

/// Fresh weights. Document frequencies are those of the training part.
pub(super) fn weights(
    settings: &TrainSettings,
    vocabulary: usize,
    training: &TokenizedPairs,
) -> Result<Weights, ModelError> {
    let mut weights = Weights::new(&settings.model_shape(vocabulary), settings.seed)?;
    start_score(settings, &mut weights);
    if settings.start == WeightInit::Bag {
        for layer in 0..settings.shape.layers {
            for name in ["attention.out.weight", "attention.out.bias", "feed.down.weight", "feed.down.bias"] {
                part(&mut weights, &format!("layers.{layer}.{name}")).fill(0.0);
            }
        }
        weigh_words(&mut weights, training);
    }
    Ok(weights)
}

/// Lets the score begin as the settings say.
pub(super) fn start_score(settings: &TrainSettings, weights: &mut Weights) {
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

fn weigh_words(weights: &mut Weights, training: &TokenizedPairs) {
    let (width, layers) = (weights.shape().width, weights.shape().layers);
    if width < 4 {
        return;
    }
    let ballast = LOUDNESS * BALLAST * (width as f32 / 2.0).sqrt();
    let heaviness = inverse_frequencies(training, weights.shape().vocabulary);
    // the first row is padding's and stays zero
    for (row, weight) in weights.words.chunks_exact_mut(width).zip(heaviness).skip(1) {
        row.iter_mut().for_each(|value| *value *= LOUDNESS * weight);
        (row[0], row[1]) = (ballast, -ballast);
    }
    part(weights, &format!("layers.{}.feed.norm.weight", layers - 1))[..2].fill(0.0);
}

/// ln((1 + n) / (1 + d)) + 1 for each token, as the baseline has it.
fn inverse_frequencies(documents: &TokenizedPairs, vocabulary: usize) -> Vec<f32> {
    let mut frequencies = vec![0u32; vocabulary];
    for pair in 0..documents.len() {
        for tokens in [documents.statement(pair), documents.proof(pair)] {
            let mut different = tokens.to_vec();
            different.sort_unstable();
            different.dedup();
            different.iter().for_each(|&token| frequencies[token as usize] += 1);
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
