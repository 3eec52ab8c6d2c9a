//! The resident engine on a CPU, and on a pair of them, against the native engine.

use candle_core::Device;

use super::*;
use crate::model::{
    ComputeDevice, EncoderShape, Gradients, Mode, Objective, Packed, Pooling, Precision, Scores, WORDS,
    bert::{Head, Targets, masked_step},
    tokenizer::{UnseenFeatures, unseen},
};

const TRAIN: Mode = Mode::Train { step_seed: 41 };
const PLAIN: UpdateRule = UpdateRule { decay: 1.0, rate: 1.0, share: 1.0, adam: None };

fn plan(frozen: usize, chunk: Option<usize>) -> StepPlan {
    StepPlan {
        frozen,
        clip: None,
        skips_flat: true,
        chunk,
        averages: false,
        encoder: PLAIN,
        words: PLAIN,
        score: PLAIN,
    }
}

/// Every dimension differs, so that no two can be confused.
fn npt(pooling: Pooling) -> EncoderShape {
    EncoderShape {
        width: 22,
        layers: 2,
        heads: 3,
        key: 7,
        value: 9,
        feed_forward: 26,
        dropout: 0.2,
        positions: 37,
        pooling,
        ..EncoderShape::tiny(50)
    }
}

fn bert() -> EncoderShape {
    EncoderShape { feed_forward: 40, positions: 40, dropout: 0.2, ..EncoderShape::bert_of(50, 3, 24, 2) }
}

fn windows() -> EncoderShape {
    EncoderShape { dropout: 0.2, ..EncoderShape::windows(50, 22) }
}

/// Wider than a block has threads.
fn hashed_windows() -> EncoderShape {
    EncoderShape {
        dropout: 0.2,
        unseen: UnseenFeatures::Hash,
        ..EncoderShape::windows(50 + unseen::KINDS, 150)
    }
}

fn weights(shape: &EncoderShape) -> Weights {
    let mut weights = Weights::new(shape, 9).unwrap();
    for parameter in weights.layout().parameters.clone() {
        // weights of BERT's size give gradients that rounding hides
        let scale = if shape.bert().is_some() && parameter.name.ends_with("weight") { 5.0 } else { 1.0 };
        for (index, value) in weights.dense[parameter.range].iter_mut().enumerate() {
            *value = *value * scale + ((index * 7 % 5) as f32 - 2.0) / 50.0;
        }
    }
    weights
}

/// Ragged statements and proofs, one of a single token and one of the longest length.
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

/// The id of an unseen feature.
fn unseen_id(kind: u32, hash: u32) -> u32 {
    (1 << 31) | ((kind % 8) << 28) | hash
}

/// The same with unseen features of every kind, in any order, for a model that hashes them. The second text has no others.
fn batch_for(shape: &EncoderShape, pairs: usize) -> Packed {
    let plain = batch(pairs);
    if shape.unseen == UnseenFeatures::Ignore {
        return plain;
    }
    let mut packed = Packed::new();
    for document in 0..plain.len() {
        let hash = |&token: &u32| match token % 3 == 0 || document == 1 {
            true => unseen_id(token, token * 54_321),
            false => token,
        };
        packed.push(plain.key(document), &plain.document(document).iter().map(hash).collect::<Vec<_>>());
    }
    packed
}

/// Weights after plain descent by the gradients of the native engine.
fn descended(weights: &Weights, gradients: &Gradients) -> Weights {
    let (mut weights, width) = (weights.clone(), weights.shape().width);
    weights.dense.iter_mut().zip(&gradients.dense).for_each(|(weight, slope)| *weight -= slope);
    for (word, row) in gradients.words.iter() {
        let to = &mut weights.words[word as usize * width..][..width];
        to.iter_mut().zip(row).for_each(|(weight, slope)| *weight -= slope);
    }
    weights
}

fn is_cuda() -> bool {
    std::env::var_os("MATCHBOOK_TEST_CUDA").is_some()
}

/// CPUs; or GPUs, real or of `tests/softgpu`, where `MATCHBOOK_TEST_CUDA` is set.
fn devices(count: usize) -> Vec<Device> {
    if is_cuda() {
        ComputeDevice::Cuda((0..count).collect()).open().unwrap()
    } else {
        vec![Device::Cpu; count]
    }
}

fn resident(count: usize, precision: Precision, weights: &Weights) -> Resident {
    Resident::new(&devices(count), precision, weights, HostState::default()).unwrap()
}

/// The largest difference of each parameter, relative to the largest change of it. The bias of keys changes no weight of
/// attention and the bias of the score no softmax, so their gradients are what rounding leaves of zero: they are compared with
/// the largest change of all.
fn compare(before: &Weights, expected: &Weights, found: &Weights, bound: f32, what: &str) {
    let changes = before.dense.iter().zip(&expected.dense);
    let largest = changes.fold(0f32, |most, (before, expected)| most.max((before - expected).abs()));
    let near = |name: &str, before: &[f32], expected: &[f32], found: &[f32]| {
        let change = before.iter().zip(expected).fold(0f32, |most, (b, e)| most.max((b - e).abs()));
        let apart = found.iter().zip(expected).fold(0f32, |most, (f, e)| most.max((f - e).abs()));
        let change =
            if name.ends_with("key.bias") || name == "score.bias" { largest / 100.0 } else { change };
        assert!(apart <= bound * change + 1e-7, "{what}: {name} is {apart} from a change of {change}");
    };
    near(WORDS, &before.words, &expected.words, &found.words);
    for parameter in &before.layout().parameters {
        let range = || parameter.range.clone();
        near(&parameter.name, &before.dense[range()], &expected.dense[range()], &found.dense[range()]);
    }
}

fn check(shape: &EncoderShape, objective: Objective, frozen: usize, chunk: Option<usize>, devices: usize) {
    let (before, batch) = (weights(shape), batch_for(shape, 6));
    let mut gradients = Gradients::new(&before);
    gradients.frozen_layers = frozen;
    let loss = crate::model::step(&before, &batch, objective, TRAIN, None, &mut gradients).unwrap();
    let mut engine = resident(devices, Precision::F32, &before);
    let report = engine.step(&batch, objective, TRAIN, &plan(frozen, chunk)).unwrap();
    let what = format!("{:?} frozen {frozen} chunk {chunk:?} devices {devices}", shape.pooling);
    assert!((report.loss - loss.value).abs() < 1e-4 * loss.value.abs(), "{what}: {report:?} {}", loss.value);
    assert_eq!((report.accuracy, report.broken), (loss.scores.accuracy(), 0));
    let norm = gradients.norm();
    assert!((report.norm - norm).abs() < 1e-4 * norm, "{what}: {} {norm}", report.norm);
    let mut found = before.clone();
    engine.download(&mut found).unwrap();
    compare(&before, &descended(&before, &gradients), &found, 2e-4, &what);
}

#[test]
fn steps_are_those_of_the_native_engine() {
    let reversed = |scores: &Scores| (0..scores.rows()).rev().collect::<Vec<_>>();
    for pooling in [Pooling::Max, Pooling::Padded, Pooling::Mean] {
        check(&npt(pooling), Objective::Local, 0, None, 1);
    }
    check(&npt(Pooling::Max), Objective::Global(&reversed), 0, None, 1);
    for objective in [Objective::Local, Objective::Symmetric, Objective::Global(&reversed)] {
        check(&windows(), objective, 0, None, 1);
        check(&hashed_windows(), objective, 0, None, 1);
    }
    check(&bert(), Objective::Local, 0, None, 1);
    check(&bert(), Objective::Global(&reversed), 0, None, 1);
}

#[test]
fn chunks_and_several_devices_change_nothing_but_rounding() {
    for (chunk, devices) in [(Some(3), 1), (None, 2), (Some(2), 2), (None, 3)] {
        check(&npt(Pooling::Max), Objective::Local, 0, chunk, devices);
        check(&bert(), Objective::Local, 1, chunk, devices);
        check(&windows(), Objective::Symmetric, 0, chunk, devices);
        check(&hashed_windows(), Objective::Local, 0, chunk, devices);
    }
}

#[test]
fn texts_of_unseen_features_only_are_encoded_and_trained() {
    let shape = EncoderShape { dropout: 0.0, ..hashed_windows() };
    let (before, mut batch) = (weights(&shape), Packed::new());
    for text in 0..6u32 {
        let features: Vec<u32> = (0..9).map(|at| unseen_id(at, (text % 3 * 7 + at) * 12_345)).collect();
        batch.push(u64::from(text), &features);
    }
    let expected = crate::model::encode_only(&before, &batch, Mode::Evaluate).unwrap();
    let found = DeviceEncoder::new(&devices(2), Precision::F32, &before).unwrap().encode(&batch).unwrap();
    let apart = expected.values.iter().zip(&found.values).fold(0f32, |most, (l, r)| most.max((l - r).abs()));
    assert!(apart < 1e-6, "{apart}");
    let mut gradients = Gradients::new(&before);
    let loss =
        crate::model::step(&before, &batch, Objective::Local, TRAIN, None, &mut gradients).unwrap().value;
    let mut engine = resident(1, Precision::F32, &before);
    let report = engine.step(&batch, Objective::Local, TRAIN, &plan(0, None)).unwrap();
    assert!((report.loss - loss).abs() < 1e-4 * loss.abs(), "{report:?} {loss}");
    let mut found = before.clone();
    engine.download(&mut found).unwrap();
    assert_eq!(found.words, before.words);
    compare(&before, &descended(&before, &gradients), &found, 2e-4, "unseen features");
}

#[test]
fn frozen_layers_neither_change_nor_count_in_the_norm() {
    for frozen in 1..=3 {
        check(&bert(), Objective::Local, frozen, None, 1);
    }
}

#[test]
fn without_dropout_and_in_lower_precision_the_gradients_are_near() {
    let shape = EncoderShape { dropout: 0.0, ..npt(Pooling::Mean) };
    check(&shape, Objective::Local, 0, None, 1);
    let (before, batch) = (weights(&shape), batch(6));
    let changed = |precision: Precision| {
        let mut engine = resident(1, precision, &before);
        let report = engine.step(&batch, Objective::Local, TRAIN, &plan(0, None)).unwrap();
        let mut found = before.clone();
        engine.download(&mut found).unwrap();
        (report, found)
    };
    let (exact, expected) = changed(Precision::F32);
    // the CPU has no tf32
    let (near, found) = changed(Precision::Tf32);
    assert!((exact.loss - near.loss).abs() < 0.002 * exact.loss, "{exact:?} {near:?}");
    assert_eq!(expected == found, !is_cuda());
    compare(&before, &expected, &found, 0.02, "tf32");
    let (near, found) = changed(Precision::Bf16);
    assert!((exact.loss - near.loss).abs() < 0.02 * exact.loss, "{exact:?} {near:?}");
    assert!((exact.norm - near.norm).abs() < 0.05 * exact.norm, "{exact:?} {near:?}");
    assert_ne!(expected, found);
    compare(&before, &expected, &found, 0.15, "bf16");
}

#[test]
fn masked_words_are_guessed_as_by_the_native_engine() {
    let shape = bert().with_head(Head::Masked);
    let (before, batch) = (weights(&shape), batch(4));
    let mut targets = Targets::default();
    for document in 0..batch.len() {
        let length = batch.document(document).len() as u32;
        let places: Vec<u32> = (0..length).filter(|place| (place + document as u32) % 5 == 1).collect();
        targets.words.extend(places.iter().map(|place| 1 + (place * 13) % 49));
        targets.places.push(&places);
    }
    let mut gradients = Gradients::new(&before);
    let loss = masked_step(&before, &batch, &targets, TRAIN, &mut gradients).unwrap();
    for devices in [1, 2] {
        let mut engine = resident(devices, Precision::F32, &before);
        let report = engine.masked_step(&batch, &targets, TRAIN, &plan(0, None)).unwrap();
        assert!((f64::from(report.loss) - loss.mean()).abs() < 1e-4, "{report:?} {loss:?}");
        let accuracy = loss.right as f32 / loss.places as f32;
        assert!((report.accuracy - accuracy).abs() < 1e-6);
        let mut found = before.clone();
        engine.download(&mut found).unwrap();
        compare(&before, &descended(&before, &gradients), &found, 2e-4, "masked");
    }
}

#[test]
fn a_batch_without_a_slope_changes_nothing_and_clipping_shortens() {
    let shape = npt(Pooling::Max);
    let (before, one) = (weights(&shape), batch(1));
    let mut engine = resident(1, Precision::F32, &before);
    let decaying = UpdateRule { decay: 0.5, ..PLAIN };
    let flat = StepPlan { encoder: decaying, words: decaying, ..plan(0, None) };
    let report = engine.step(&one, Objective::Local, TRAIN, &flat).unwrap();
    assert!(report.is_flat && report.norm == 0.0, "{report:?}");
    let mut found = before.clone();
    engine.download(&mut found).unwrap();
    assert_eq!(found, before);
    let clipped = StepPlan { clip: Some(1e-3), ..plan(0, None) };
    let report = engine.step(&batch(6), Objective::Local, TRAIN, &clipped).unwrap();
    engine.download(&mut found).unwrap();
    let squares = |left: &[f32], right: &[f32]| -> f64 {
        left.iter().zip(right).map(|(left, right)| f64::from(left - right).powi(2)).sum()
    };
    let moved = (squares(&found.dense, &before.dense) + squares(&found.words, &before.words)).sqrt();
    assert!(report.norm > 1e-2 && (moved - 1e-3).abs() < 2e-5, "{moved} {report:?}");
}

#[test]
fn scores_that_are_not_finite_leave_the_weights_alone() {
    let mut before = weights(&npt(Pooling::Max));
    let layout = before.layout().clone();
    before.dense[layout.score_weight.start] = f32::NAN;
    let mut engine = resident(1, Precision::F32, &before);
    let report = engine.step(&batch(4), Objective::Local, TRAIN, &plan(0, None)).unwrap();
    assert!(report.broken > 0, "{report:?}");
    let mut found = before.clone();
    engine.download(&mut found).unwrap();
    assert_eq!(found.words, before.words);
}
