//! The gradients of the vectors and weights of features.

use rayon::prelude::*;

use super::{
    super::{Gradients, ModelError, Vectors, Weights, kernels::elementwise::add_scaled, tokenizer::unseen},
    forward::Bag,
};

/// A use of a feature by a text.
#[derive(Clone, Copy)]
struct Use {
    feature: u32,
    text: u32,
    frequency: f32,
}

/// Backpropagates the gradients of the texts' vectors.
pub(in crate::model) fn backward(
    weights: &Weights,
    bag: &Bag,
    vectors: &Vectors,
    gradients: &mut Gradients,
) -> Result<(), ModelError> {
    let (expected, found) = (bag.vectors.len(), vectors.len());
    if expected != found {
        return Err(ModelError::VectorGradients { expected, found });
    }
    let width = weights.shape().width;
    let by_sums = by_sums(bag, vectors);
    let uses = uses(bag);
    // the ids of unseen features are beyond all others
    let (uses, of_unseen) = uses.split_at(uses.partition_point(|each| !unseen::is_unseen(each.feature)));
    let groups: Vec<&[Use]> = uses.chunk_by(|left, right| left.feature == right.feature).collect();
    let features: Vec<u32> = groups.iter().map(|group| group[0].feature).collect();
    let by_feature = weights.feature_weights();
    // the gradient of a vector is that of the feature's term in the sums, times the weight; the gradient of the weight is
    // the inner product of that term's gradient with the vector
    let by_weights = gradients.words.add_rows(&features, |index, row| {
        for each in groups[index] {
            add_scaled(row, each.frequency, &by_sums[each.text as usize * width..][..width]);
        }
        let feature = features[index] as usize;
        let vector = &weights.words[feature * width..][..width];
        let product: f64 =
            row.iter().zip(vector).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum();
        row.iter_mut().for_each(|value| *value *= by_feature[feature]);
        product as f32
    });
    let start = weights.layout().features.start;
    for (feature, by_weight) in features.iter().zip(by_weights) {
        gradients.dense[start + *feature as usize] += by_weight;
    }
    if of_unseen.is_empty() {
        return Ok(());
    }
    let by_kind = by_kind(of_unseen, &by_sums, width);
    let rows = weights.shape().vocabulary.saturating_sub(unseen::KINDS);
    for (by_weight, sum) in gradients.dense[start + rows..].iter_mut().zip(by_kind) {
        *by_weight += sum as f32;
    }
    Ok(())
}

/// The gradients of the weights of the kinds of unseen features, whose vectors are not learned.
fn by_kind(uses: &[Use], by_sums: &[f32], width: usize) -> [f64; unseen::KINDS] {
    let mut sums = [0.0; unseen::KINDS];
    for each in uses {
        let by_sum = &by_sums[each.text as usize * width..][..width];
        let mut product = 0.0;
        unseen::for_each_entry(each.feature, width, |column, value| product += by_sum[column] * value);
        sums[unseen::row(each.feature, unseen::KINDS)] += f64::from(each.frequency * product);
    }
    sums
}

/// The gradients of the sums before normalization.
fn by_sums(bag: &Bag, vectors: &Vectors) -> Vec<f32> {
    let width = vectors.width;
    let mut by_sums = vec![0.0; vectors.values.len()];
    by_sums.par_chunks_exact_mut(width.max(1)).enumerate().for_each(|(text, row)| {
        let (direction, gradient, length) = (bag.vectors.row(text), vectors.row(text), bag.lengths[text]);
        if length == 0.0 {
            return;
        }
        let along: f64 =
            direction.iter().zip(gradient).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum();
        for ((value, direction), gradient) in row.iter_mut().zip(direction).zip(gradient) {
            *value = (gradient - direction * along as f32) / length;
        }
    });
    by_sums
}

/// Every use of every feature, by feature and then by text.
fn uses(bag: &Bag) -> Vec<Use> {
    let mut uses: Vec<Use> = (0..bag.ends.len())
        .flat_map(|text| {
            let entries = bag.entries_of(text).iter();
            entries.map(move |entry| Use {
                feature: entry.feature,
                text: text as u32,
                frequency: entry.frequency,
            })
        })
        .collect();
    uses.par_sort_unstable_by_key(|each| (each.feature, each.text));
    uses
}
