//! The whole model against candle, against finite differences, and against itself.

use std::num::NonZeroUsize;

use candle_core::{DType, Device, Tensor};

use super::{graph::Graph, *};

const TRAIN: Mode = Mode::Train { step_seed: 41 };

/// Every dimension differs, so that no two can be confused.
fn shape() -> NptShape {
    NptShape {
        vocabulary: 50,
        width: 22,
        layers: 2,
        heads: 3,
        key: 7,
        value: 9,
        feed_forward: 26,
        dropout: 0.2,
        positions: 40,
        pooling: Pooling::Max,
        family: Family::Npt,
        unseen: tokenizer::UnseenFeatures::Ignore,
    }
}

/// Ragged statements and proofs, one of a single token.
fn batch(pairs: usize) -> Packed {
    let mut packed = Packed::new();
    for document in 0..2 * pairs {
        let length = 1 + document * 11 % 37;
        let tokens: Vec<u32> =
            (0..length).map(|at| 1 + ((document * 17 + at * at * 5 + at) % 49) as u32).collect();
        packed.push(1000 + document as u64, &tokens);
    }
    packed
}

/// Fresh weights whose norms are not the identity, so that their gradients matter.
fn weights() -> Weights {
    pooled(Pooling::Max)
}

fn pooled(pooling: Pooling) -> Weights {
    let mut weights = Weights::new(&NptShape { pooling, ..shape() }, 9).unwrap();
    for parameter in weights.layout().parameters.clone().iter().filter(|each| each.name.contains("norm")) {
        for (index, value) in weights.dense[parameter.range.clone()].iter_mut().enumerate() {
            *value += ((index * 7 % 5) as f32 - 2.0) / 10.0;
        }
    }
    weights
}

fn gradients(weights: &Weights, batch: &Packed, mode: Mode, chunk: Option<usize>) -> (f32, Gradients) {
    let mut gradients = Gradients::new(weights);
    let chunk = chunk.and_then(NonZeroUsize::new);
    let loss = step(weights, batch, Objective::Local, mode, chunk, &mut gradients).unwrap();
    (loss.value, gradients)
}

/// Loss and gradients of the same step in candle, by name.
fn candle_step(
    weights: &Weights,
    batch: &Packed,
    mode: Mode,
    kind: DType,
) -> (Tensor, Vec<(String, Vec<f32>)>) {
    let graph = Graph::new(weights, &Device::Cpu, kind).unwrap();
    let vectors = graph.encode(batch, mode).unwrap();
    let pairs = batch.len() / 2;
    let (statements, proofs) =
        (vectors.narrow(0, 0, pairs).unwrap(), vectors.narrow(0, pairs, pairs).unwrap());
    let loss = graph.local_loss(&graph.scores(&statements, &proofs).unwrap()).unwrap();
    let gradients = graph.gradients(&loss).unwrap().into_iter();
    let flat = |tensor: Tensor| tensor.flatten_all()?.to_dtype(DType::F32)?.to_vec1();
    (loss, gradients.map(|(name, tensor)| (name, flat(tensor).unwrap())).collect())
}

/// The gradient of a named parameter, dense even for the words.
fn named(weights: &Weights, gradients: &Gradients, name: &str) -> Vec<f32> {
    if name == WORDS {
        let (rows, width) = (weights.shape().vocabulary, weights.shape().width);
        let row = |word| gradients.words.row(word).map_or(vec![0.0; width], <[f32]>::to_vec);
        return (0..rows as u32).flat_map(row).collect();
    }
    let parameter = weights.layout().parameters.iter().find(|each| each.name == name).unwrap();
    gradients.dense[parameter.range.clone()].to_vec()
}

/// The largest difference, relative to the largest value.
fn apart(left: &[f32], right: &[f32]) -> f32 {
    assert_eq!(left.len(), right.len());
    let most = right.iter().fold(1e-12f32, |most, value| most.max(value.abs()));
    left.iter().zip(right).fold(0.0, |worst, (left, right)| f32::max(worst, (left - right).abs())) / most
}

#[test]
fn vectors_are_those_of_candle_with_ragged_lengths_and_dropout() {
    for pooling in [Pooling::Max, Pooling::Padded, Pooling::Mean] {
        compare_vectors(&pooled(pooling));
    }
}

fn compare_vectors(weights: &Weights) {
    let batch = batch(6);
    let graph = Graph::new(weights, &Device::Cpu, DType::F32).unwrap();
    for mode in [Mode::Evaluate, TRAIN] {
        let expected: Vec<f32> =
            graph.encode(&batch, mode).unwrap().flatten_all().unwrap().to_vec1().unwrap();
        let (vectors, _) = encode(weights, &batch, mode).unwrap();
        assert!(apart(&vectors.values, &expected) < 1e-5, "{mode:?}");
        assert_eq!(vectors, encode_only(weights, &batch, mode).unwrap());
    }
    assert_ne!(
        encode_only(weights, &batch, TRAIN).unwrap(),
        encode_only(weights, &batch, Mode::Evaluate).unwrap()
    );
}

#[test]
fn gradients_are_those_of_candle_and_no_parameter_is_without() {
    for pooling in [Pooling::Max, Pooling::Padded, Pooling::Mean] {
        compare_gradients(&pooled(pooling));
    }
}

fn compare_gradients(weights: &Weights) {
    let batch = batch(6);
    for mode in [Mode::Evaluate, TRAIN] {
        let (loss, ours) = gradients(weights, &batch, mode, None);
        let (expected, theirs) = candle_step(weights, &batch, mode, DType::F64);
        let expected = expected.to_dtype(DType::F32).unwrap().to_scalar::<f32>().unwrap();
        assert!((loss / expected - 1.0).abs() < 1e-5, "{loss} {expected}");
        assert_eq!(theirs.len(), 1 + weights.layout().parameters.len());
        for (name, theirs) in theirs {
            let ours = named(weights, &ours, &name);
            // The bias of a key adds the same value to a whole row of scores, which softmax cancels, and so does the bias of
            // the score: their gradients are zero up to rounding.
            if name.ends_with("key.bias") || name == "score.bias" {
                assert!(ours.iter().chain(&theirs).all(|value| value.abs() < 1e-6), "{name}");
            } else {
                assert!(theirs.iter().any(|value| *value != 0.0), "{name} has no gradient");
                let apart = apart(&ours, &theirs);
                assert!(apart < 1e-4, "{name} {mode:?}: {apart}");
            }
        }
    }
}

#[test]
fn the_whole_gradient_matches_finite_differences() {
    for pooling in [Pooling::Max, Pooling::Padded, Pooling::Mean] {
        compare_slopes(&pooled(pooling));
    }
}

fn compare_slopes(weights: &Weights) {
    let batch = batch(5);
    let (_, found) = gradients(weights, &batch, TRAIN, None);
    for name in weights.tensors().into_iter().map(|(name, _, _)| name) {
        let gradient = named(weights, &found, name);
        let size = gradient.iter().map(|value| f64::from(value * value)).sum::<f64>().sqrt();
        if name.ends_with("key.bias") || name == "score.bias" {
            continue;
        }
        // the derivative in the direction of the parameter's gradient is the gradient's length
        let step = 1e-6;
        let slope = (moved_loss(weights, &batch, name, &gradient, step / size)
            - moved_loss(weights, &batch, name, &gradient, -step / size))
            / (2.0 * step);
        assert!((slope / size - 1.0).abs() < 1e-4, "{name}: {slope} {size}");
    }
}

/// The loss after one parameter moved, in double precision, so that a small step is not lost in rounding.
fn moved_loss(weights: &Weights, batch: &Packed, name: &str, direction: &[f32], by: f64) -> f64 {
    let graph = Graph::new(weights, &Device::Cpu, DType::F64).unwrap();
    let variable = &graph.variables()[name];
    let direction = Tensor::from_slice(direction, variable.shape(), &Device::Cpu).unwrap();
    let direction = (direction.to_dtype(DType::F64).unwrap() * by).unwrap();
    variable.set(&(variable.as_tensor() + direction).unwrap()).unwrap();
    let vectors = graph.encode(batch, TRAIN).unwrap();
    let pairs = batch.len() / 2;
    let (statements, proofs) =
        (vectors.narrow(0, 0, pairs).unwrap(), vectors.narrow(0, pairs, pairs).unwrap());
    let loss = graph.local_loss(&graph.scores(&statements, &proofs).unwrap()).unwrap();
    loss.to_scalar::<f64>().unwrap()
}

#[test]
fn a_vector_does_not_depend_on_its_batch() {
    let (weights, batch) = (weights(), batch(6));
    let together = encode_only(&weights, &batch, TRAIN).unwrap();
    for index in 0..batch.len() {
        let alone = encode_only(&weights, &batch.part(index..index + 1), TRAIN).unwrap();
        assert_eq!(alone.row(0), together.row(index), "document {index}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (weights, batch) = (weights(), batch(20));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (loss, found) = pool.install(|| gradients(&weights, &batch, TRAIN, None));
        let words: Vec<(u32, Vec<f32>)> =
            found.words.iter().map(|(word, row)| (word, row.to_vec())).collect();
        (loss, found.dense, words)
    };
    let one = run(1);
    assert!(one == run(2) && one == run(4));
}

#[test]
fn a_cached_gradient_equals_the_uncached_one() {
    let (weights, batch) = (weights(), batch(10));
    let (loss, whole) = gradients(&weights, &batch, TRAIN, None);
    for chunk in [1, 3, 7, 20] {
        let (again, cached) = gradients(&weights, &batch, TRAIN, Some(chunk));
        assert_eq!(loss, again);
        assert!(apart(&cached.dense, &whole.dense) < 1e-5, "chunk {chunk}");
        let words = |gradients: &Gradients| named(&weights, gradients, WORDS);
        assert!(apart(&words(&cached), &words(&whole)) < 1e-5, "chunk {chunk}");
    }
}

/// The cosine of the angle between two gradients.
fn cosine(left: &[f32], right: &[f32]) -> f64 {
    let dot = |left: &[f32], right: &[f32]| -> f64 {
        left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
    };
    dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()
}

#[test]
fn products_in_bf16_change_results_by_rounding_only() {
    let (exact, batch) = (weights(), batch(6));
    let mut rounded = exact.clone();
    rounded.set_precision(Precision::Bf16);
    if rounded.products() == exact.products() {
        return eprintln!("skipped: no AVX512-BF16 here");
    }
    for mode in [Mode::Evaluate, TRAIN] {
        let (loss, gradient) = gradients(&rounded, &batch, mode, None);
        let (expected, theirs) = gradients(&exact, &batch, mode, None);
        assert!(loss != expected && (loss / expected - 1.0).abs() < 0.05, "{loss} {expected}");
        assert!(cosine(&gradient.dense, &theirs.dense) > 0.99);
        let [ours, theirs] = [&gradient, &theirs].map(|each| named(&exact, each, WORDS));
        assert!(cosine(&ours, &theirs) > 0.99);
        // a vector depends on its document alone, and not on what is kept for a backward pass
        let whole = encode(&rounded, &batch, mode).unwrap().0;
        assert_eq!(whole, encode_only(&rounded, &batch, mode).unwrap());
        for index in 0..batch.len() {
            let alone = encode_only(&rounded, &batch.part(index..index + 1), mode).unwrap();
            assert_eq!(alone.values, whole.row(index));
        }
    }
}

#[test]
fn gradients_add_up_until_they_are_cleared() {
    let (weights, batch) = (weights(), batch(4));
    let (_, once) = gradients(&weights, &batch, TRAIN, None);
    let mut twice = once.clone();
    step(&weights, &batch, Objective::Local, TRAIN, None, &mut twice).unwrap();
    let half: Vec<f32> = twice.dense.iter().map(|value| value / 2.0).collect();
    assert!(apart(&half, &once.dense) < 1e-6);
    assert!((twice.norm() / once.norm() - 2.0).abs() < 1e-5);
    twice.clear();
    assert_eq!((twice.norm(), twice.words.rows().len()), (0.0, 0));
}

#[test]
fn a_flat_batch_adds_nothing_and_an_odd_one_is_refused() {
    let (weights, batch) = (weights(), batch(4));
    let mut gradients = Gradients::new(&weights);
    let gold = |scores: &Scores| (0..scores.rows()).collect::<Vec<_>>();
    let loss = step(&weights, &batch, Objective::Global(&gold), TRAIN, None, &mut gradients).unwrap();
    assert!(loss.flat && loss.value == 0.0 && gradients.norm() == 0.0);
    let turned =
        |scores: &Scores| (0..scores.rows()).map(|row| (row + 1) % scores.rows()).collect::<Vec<_>>();
    let loss = step(&weights, &batch, Objective::Global(&turned), TRAIN, None, &mut gradients).unwrap();
    assert!(!loss.flat && gradients.norm() > 0.0);
    let odd = step(&weights, &batch.part(0..3), Objective::Local, TRAIN, None, &mut gradients);
    assert!(matches!(odd, Err(ModelError::OddBatch(3))));
}

#[test]
fn descending_along_the_gradient_learns_a_batch() {
    let (mut weights, batch) = (weights(), batch(6));
    let mut gradients = Gradients::new(&weights);
    let mut losses = Vec::new();
    for _ in 0..60 {
        gradients.clear();
        let loss = step(&weights, &batch, Objective::Local, TRAIN, None, &mut gradients).unwrap();
        losses.push(loss.value);
        weights
            .dense
            .iter_mut()
            .zip(&gradients.dense)
            .for_each(|(weight, gradient)| *weight -= 0.05 * gradient);
    }
    assert!(losses[59] < losses[0] / 10.0, "{losses:?}");
}

#[test]
fn a_step_in_candle_is_a_step_by_hand_for_both_objectives() {
    let (mut weights, batch) = (weights(), batch(5));
    let graph = Graph::new(&weights, &Device::Cpu, DType::F32).unwrap();
    weights.dense.iter_mut().for_each(|weight| *weight *= 1.01);
    graph.set(&weights).unwrap();
    let turned =
        |scores: &Scores| (0..scores.rows()).map(|row| (row + 1) % scores.rows()).collect::<Vec<_>>();
    for objective in [Objective::Local, Objective::Global(&turned)] {
        let (mut ours, mut theirs) = (Gradients::new(&weights), Gradients::new(&weights));
        let by_hand = step(&weights, &batch, objective, TRAIN, None, &mut ours).unwrap();
        let in_candle = graph.step(&batch, objective, TRAIN, &mut theirs).unwrap();
        assert!((by_hand.value / in_candle.value - 1.0).abs() < 1e-5);
        assert!(apart(&ours.dense, &theirs.dense) < 1e-5);
        assert!(apart(&named(&weights, &ours, WORDS), &named(&weights, &theirs, WORDS)) < 1e-5);
    }
}

#[test]
fn weights_survive_the_way_through_candle() {
    let weights = weights();
    assert_eq!(Graph::new(&weights, &Device::Cpu, DType::F32).unwrap().weights().unwrap(), weights);
}
