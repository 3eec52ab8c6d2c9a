//! The model against PyTorch: a recorded file always, a fresh one where PyTorch is found.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::support::python;
use matchbook::model::{Gradients, Mode, Objective, Packed, WORDS, Weights, encode, step};
use safetensors::SafeTensors;

#[test]
fn forward_loss_and_gradients_are_those_recorded_from_pytorch() {
    compare(&here("tests/fixtures/model/npt.safetensors"));
}

#[test]
fn forward_loss_and_gradients_are_those_of_pytorch_now() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("npt.safetensors");
    let arguments = [out.as_os_str(), "--seed".as_ref(), "7".as_ref()];
    if python::run("npt_reference.py", &["numpy", "torch", "safetensors.torch"], &arguments).is_some() {
        compare(&out);
    }
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Agreement to 1e-4, relative to the largest value of each tensor.
fn compare(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let recorded = SafeTensors::deserialize(&bytes).unwrap();
    let weights = Weights::from_safetensors(path, &bytes).unwrap();
    let (mut batch, mut start) = (Packed::new(), 0);
    let tokens: Vec<u32> = numbers(&recorded, "tokens").map(u32::from_le_bytes).collect();
    for (key, length) in numbers(&recorded, "lengths").map(u32::from_le_bytes).enumerate() {
        let end = start + length as usize;
        batch.push(key as u64, &tokens[start..end]);
        start = end;
    }
    let near = |name: &str, found: &[f32]| {
        let expected: Vec<f32> = numbers(&recorded, name).map(f32::from_le_bytes).collect();
        assert_eq!(expected.len(), found.len(), "{name}");
        // what is zero but for rounding (a key's bias) is compared with the loss's own rounding
        let most = expected.iter().fold(1e-2f32, |most, value| most.max(value.abs()));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-4 * most, "{name}: {found} is not {expected}");
        }
    };
    near("vectors", &encode(&weights, &batch, Mode::Evaluate).unwrap().0.values);
    let mut gradients = Gradients::new(&weights);
    let loss = step(&weights, &batch, Objective::Local, Mode::Evaluate, None, &mut gradients).unwrap();
    near("scores", &loss.scores.values);
    near("loss", &[loss.value]);
    for parameter in &weights.layout().parameters {
        near(&format!("gradient.{}", parameter.name), &gradients.dense[parameter.range.clone()]);
    }
    let width = weights.shape().width;
    let row = |word| gradients.words.row(word).map_or(vec![0.0; width], <[f32]>::to_vec);
    let words: Vec<f32> = (0..weights.shape().vocabulary as u32).flat_map(row).collect();
    near(&format!("gradient.{WORDS}"), &words);
}

fn numbers<'a>(tensors: &SafeTensors<'a>, name: &str) -> impl Iterator<Item = [u8; 4]> + use<'a> {
    tensors.tensor(name).unwrap().data().as_chunks::<4>().0.iter().copied()
}
