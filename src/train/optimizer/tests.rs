use std::{env, fs, path::Path, process::Command};

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::model::NptShape;

/// What `tests/scripts/optimizers_reference.py` writes.
#[derive(Deserialize)]
struct Recorded {
    width: usize,
    rate: f64,
    decay_at: usize,
    factor: f64,
    words: Vec<f32>,
    dense: Vec<f32>,
    steps: Vec<RecordedStep>,
    asgd: Vec<After>,
    adamw: Vec<After>,
    sgd: Vec<After>,
}

#[derive(Deserialize)]
struct RecordedStep {
    rows: Vec<u32>,
    words: Vec<f32>,
    dense: Vec<f32>,
}

#[derive(Deserialize)]
struct After {
    words: Vec<f32>,
    dense: Vec<f32>,
    average_words: Option<Vec<f32>>,
    average_dense: Option<Vec<f32>>,
}

#[test]
fn steps_are_those_recorded_from_pytorch() {
    compare(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/train/optimizers.json"));
}

#[test]
fn steps_are_those_of_pytorch_now() {
    let python = env::var("MATCHBOOK_PYTHON").unwrap_or_else(|_| "python3".into());
    let found = Command::new(&python).args(["-c", "import torch"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no torch; set MATCHBOOK_PYTHON to one that has");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("optimizers.json");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/optimizers_reference.py");
    assert!(Command::new(&python).arg(script).arg(&out).args(["--seed", "7"]).status().unwrap().success());
    compare(&out);
}

fn compare(path: &Path) {
    let recorded: Recorded = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let asgd = Asgd { decay: 1e-2, power: 0.75, average_from: 3 };
    check(&recorded, OptimizerConfig::Asgd(asgd), &recorded.asgd);
    // PyTorch's SparseAdam has no decay, so the two halves are checked separately
    let adam = |decay| OptimizerConfig::AdamW(AdamW { decay, ..AdamW::default() });
    check(&recorded, adam(0.0), &only(&recorded.adamw, true));
    check(&recorded, adam(0.1), &only(&recorded.adamw, false));
    check(&recorded, OptimizerConfig::Sgd(Sgd { decay: 0.1 }), &recorded.sgd);
}

fn only(after: &[After], words: bool) -> Vec<After> {
    let take = |values: &Vec<f32>, keep: bool| if keep { values.clone() } else { vec![] };
    let one = |each: &After| After {
        words: take(&each.words, words),
        dense: take(&each.dense, !words),
        average_words: None,
        average_dense: None,
    };
    after.iter().map(one).collect()
}

fn check(recorded: &Recorded, method: OptimizerConfig, expected: &[After]) {
    let mut weights = empty(recorded.words.len() / recorded.width, recorded.width);
    weights.words.copy_from_slice(&recorded.words);
    weights.dense[..recorded.dense.len()].copy_from_slice(&recorded.dense);
    let mut optimizer = Optimizer::new(method.clone(), recorded.rate, &weights);
    for (index, (step, expected)) in recorded.steps.iter().zip(expected).enumerate() {
        let rate = if index < recorded.decay_at { recorded.rate } else { recorded.rate * recorded.factor };
        let mut dense = step.dense.clone();
        dense.resize(weights.dense.len(), 0.0);
        optimizer.prepare(&mut weights, &step.rows);
        let rows = step.rows.iter().copied().zip(step.words.chunks_exact(recorded.width));
        optimizer.apply(&mut weights, &dense, rows, rate);
        let near = |found: &[f32], expected: &[f32], what: &str| {
            for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
                let allowed = 1e-4 * expected.abs().max(1e-2);
                let (method, step) = (method.name(), index + 1);
                assert!(
                    (found - expected).abs() <= allowed,
                    "{method}, step {step}, {what} {place}: {found} is not {expected}"
                );
            }
        };
        let current = optimizer.weights(&weights, false);
        near(&current.words, &expected.words, "word value");
        near(&current.dense, &expected.dense, "dense value");
        if let (Some(words), Some(dense)) = (&expected.average_words, &expected.average_dense) {
            let average = optimizer.weights(&weights, true);
            near(&average.words, words, "average of word value");
            near(&average.dense, dense, "average of dense value");
        }
    }
}

fn empty(vocabulary: usize, width: usize) -> Weights {
    let shape = NptShape { width, heads: 1, key: 1, value: 1, feed_forward: 1, ..NptShape::tiny(vocabulary) };
    Weights::zeros(&shape).unwrap()
}

fn method() -> impl Strategy<Value = OptimizerConfig> {
    let decay = prop_oneof![Just(0.0), 1e-4..0.5];
    let asgd = (decay.clone(), 0u64..12).prop_map(|(decay, average_from)| {
        OptimizerConfig::Asgd(Asgd { decay, average_from, ..Asgd::default() })
    });
    prop_oneof![asgd, decay.prop_map(|decay| OptimizerConfig::Sgd(Sgd { decay }))]
}

proptest! {
    /// A row that is updated lazily has the value that it would have if every step updated every row.
    #[test]
    fn lazy_rows_are_equal_to_dense_ones(
        method in method(),
        used in prop::collection::vec(prop::collection::btree_set(1u32..5, 0..4), 1..30),
        values in prop::collection::vec(-2.0f32..2.0, 40),
    ) {
        let (vocabulary, width) = (5, 2);
        let start = {
            let mut weights = empty(vocabulary, width);
            weights.words.copy_from_slice(&values[..10]);
            weights
        };
        let flat = vec![0.0; start.dense.len()];
        let (mut lazy, mut eager) = (start.clone(), start.clone());
        let mut lazily = Optimizer::new(method.clone(), 0.1, &lazy);
        let mut eagerly = lazily.clone();
        let everything: Vec<u32> = (0..vocabulary as u32).collect();
        for (index, rows) in used.iter().enumerate() {
            let gradient = |row: u32| {
                if rows.contains(&row) { &values[(index * 7 + row as usize * 3) % 38..][..2] } else { &[0.0, 0.0][..] }
            };
            let rows: Vec<u32> = rows.iter().copied().collect();
            lazily.prepare(&mut lazy, &rows);
            lazily.apply(&mut lazy, &flat, rows.iter().map(|&row| (row, gradient(row))), 0.1);
            eagerly.prepare(&mut eager, &everything);
            eagerly.apply(&mut eager, &flat, everything.iter().map(|&row| (row, gradient(row))), 0.1);
        }
        for averaged in [false, true] {
            let (lazy, eager) = (lazily.weights(&lazy, averaged), eagerly.weights(&eager, averaged));
            for (found, expected) in lazy.words.iter().zip(&eager.words) {
                prop_assert!((found - expected).abs() <= 1e-5 * expected.abs().max(1.0), "{found} {expected}");
            }
        }
    }
}

#[test]
fn a_state_is_read_as_it_was_written_and_damage_is_told() {
    for name in ["asgd", "adamw", "sgd"] {
        let mut method = name.parse::<OptimizerConfig>().unwrap();
        if let OptimizerConfig::Asgd(asgd) = &mut method {
            asgd.average_from = 1;
        }
        let mut weights = empty(4, 3);
        let mut optimizer = Optimizer::new(method.clone(), 0.1, &weights);
        for _ in 0..5 {
            let dense = vec![0.5; weights.dense.len()];
            optimizer.prepare(&mut weights, &[2]);
            optimizer.apply(&mut weights, &dense, [(2, &[1.0, 2.0, 3.0][..])].into_iter(), 0.1);
        }
        let bytes = optimizer.to_bytes().unwrap();
        assert_eq!(Optimizer::from_bytes(method.clone(), &weights, &bytes).unwrap(), optimizer);
        assert_eq!(bytes, optimizer.to_bytes().unwrap());
        let error = |method, weights: &Weights, bytes: &[u8]| {
            Optimizer::from_bytes(method, weights, bytes).unwrap_err().to_string()
        };
        assert!(error(method.clone(), &weights, &bytes[..bytes.len() / 2]).contains("damaged"));
        assert!(error(method, &empty(7, 3), &bytes).contains("but the model needs"));
        let other = (if name == "sgd" { "asgd" } else { "sgd" }).parse().unwrap();
        assert!(error(other, &weights, &bytes).contains(&format!("belongs to {name}")));
    }
}

#[test]
fn words_and_the_score_go_as_much_farther_as_they_are_told_to() {
    for method in ["asgd", "adamw", "sgd"].map(|name| name.parse::<OptimizerConfig>().unwrap()) {
        let start = empty(3, 4);
        let (dense, row) = (vec![0.5; start.dense.len()], [0.5; 4]);
        let moved = |rate: LearningRates| {
            let (mut weights, mut optimizer) = (start.clone(), Optimizer::new(method.clone(), 0.1, &start));
            optimizer.prepare(&mut weights, &[1]);
            optimizer.apply(&mut weights, &dense, [(1, &row[..])].into_iter(), rate);
            weights
        };
        let (plain, far) = (moved(0.1.into()), moved(LearningRates { base: 0.1, words: 3.0, score: 5.0 }));
        let score = start.layout().score_start();
        let times = |plain: &[f32], far: &[f32], times: f32| {
            assert!(plain.iter().all(|value| *value < 0.0), "{}", method.name());
            assert!(plain.iter().zip(far).all(|(plain, far)| (far / plain - times).abs() < 1e-5));
        };
        times(&plain.words[4..8], &far.words[4..8], 3.0);
        times(&plain.dense[..score], &far.dense[..score], 1.0);
        times(&plain.dense[score..], &far.dense[score..], 5.0);
        assert!(score < start.dense.len());
    }
}
