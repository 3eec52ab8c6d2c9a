use std::num::NonZeroUsize;

use super::super::{
    EncoderShape, Gradients, Mode, Objective, Packed, Weights, encode, encode_only, project,
    projected_scores, step,
    tokenizer::{UnseenFeatures, unseen},
};

const WIDTH: usize = 6;
/// The id of a feature that has no learned vector.
const UNSEEN: u32 = 0x9000_0007;

fn weights() -> Weights {
    let shape =
        EncoderShape { unseen: UnseenFeatures::Hash, ..EncoderShape::windows(12 + unseen::KINDS, WIDTH) };
    let mut weights = Weights::new(&shape, 3).unwrap();
    for (index, weight) in weights.feature_weights_mut().iter_mut().enumerate() {
        *weight = 0.5 + 0.1 * index as f32;
    }
    weights
}

/// Three statements and three proofs; the last proof has only the feature 5. Two pairs share an unseen feature.
fn batch() -> Packed {
    let mut packed = Packed::new();
    let texts: [&[u32]; 6] = [
        &[2, 2, 3, 9, UNSEEN],
        &[4, 5, 6],
        &[7, 8, 8, 8],
        &[2, 3, 10, UNSEEN],
        &[11, 4, 4, UNSEEN + 1],
        &[5],
    ];
    for (key, text) in texts.iter().enumerate() {
        packed.push(key as u64, text);
    }
    packed
}

fn loss(weights: &Weights, mode: Mode) -> f64 {
    let mut gradients = Gradients::new(weights);
    f64::from(step(weights, &batch(), Objective::Symmetric, mode, None, &mut gradients).unwrap().value)
}

#[test]
fn gradients_are_differences_of_the_loss() {
    for mode in [Mode::Evaluate, Mode::Train { step_seed: 4 }] {
        let weights = weights();
        let mut gradients = Gradients::new(&weights);
        step(&weights, &batch(), Objective::Symmetric, mode, None, &mut gradients).unwrap();
        let check = |found: f32, change: &dyn Fn(&mut Weights, f32)| {
            let at = |by: f32| {
                let mut moved = weights.clone();
                change(&mut moved, by);
                loss(&moved, mode)
            };
            let expected = (at(1e-2) - at(-1e-2)) / 2e-2;
            assert!((f64::from(found) - expected).abs() < 2e-3, "{mode:?}: {found} is not {expected}");
        };
        for place in 0..weights.dense.len() {
            check(gradients.dense[place], &|moved, by| moved.dense[place] += by);
        }
        for place in WIDTH..weights.words.len() {
            let row = gradients.words.row((place / WIDTH) as u32);
            check(row.map_or(0.0, |row| row[place % WIDTH]), &|moved, by| moved.words[place] += by);
        }
    }
}

#[test]
fn chunks_and_threads_change_no_vector_and_rows_add_up() {
    let (weights, batch, mode) = (weights(), batch(), Mode::Train { step_seed: 9 });
    let (vectors, _) = encode(&weights, &batch, mode).unwrap();
    assert_eq!(encode_only(&weights, &batch, mode).unwrap(), vectors);
    assert_eq!(encode_only(&weights, &batch.part(2..4), mode).unwrap().row(1), vectors.row(3));
    let gradients = |chunk, threads| {
        let mut gradients = Gradients::new(&weights);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let chunk = NonZeroUsize::new(chunk);
        pool.install(|| step(&weights, &batch, Objective::Symmetric, mode, chunk, &mut gradients)).unwrap();
        gradients
    };
    let [one, four, cached] = [gradients(0, 1), gradients(0, 4), gradients(2, 1)];
    assert_eq!(one.dense, four.dense);
    for feature in 1..12 {
        assert_eq!(one.words.row(feature), four.words.row(feature));
        let near = |left: &[f32], right: &[f32]| left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-5);
        match (one.words.row(feature), cached.words.row(feature)) {
            (Some(left), Some(right)) => assert!(near(left, right), "{feature}"),
            (left, right) => assert_eq!(left, right, "{feature}"),
        }
    }
}

#[test]
fn the_order_of_features_and_the_length_of_a_text_do_not_matter() {
    let weights = weights();
    let vector = |text: &[u32]| {
        let mut packed = Packed::new();
        packed.push(0, text);
        encode_only(&weights, &packed, Mode::Evaluate).unwrap().values
    };
    assert_eq!(vector(&[3, 9, 2, 2]), vector(&[2, 3, 2, 9]));
    let length: f32 = vector(&[4, 7, 7]).iter().map(|value| value * value).sum();
    assert!((length - 1.0).abs() < 1e-5);
    // a feature without a weight is no feature
    let mut unknown = weights.clone();
    unknown.feature_weights_mut()[1] = 0.0;
    let mut packed = Packed::new();
    packed.push(0, &[1]);
    let zero = encode_only(&unknown, &packed, Mode::Evaluate).unwrap();
    assert!(zero.values.iter().all(|value| *value == 0.0));
    let scores = projected_scores(&unknown, &project(&unknown, &zero), &zero);
    assert!(scores.values.iter().all(|score| score.is_finite()));
}
