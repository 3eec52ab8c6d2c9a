//! BERT against candle, against finite differences, and against itself.

use std::collections::BTreeMap;

use candle_core::{DType, Device, Tensor};

use super::{
    super::{
        EncoderShape, Gradients, Mode, Objective, Packed, Picked, Pooling, Precision, WORDS, Weights, encode,
        encode_only,
        graph::Graph,
        npt::{Way, backward_by},
        scores, scores_backward, step,
    },
    *,
};
use crate::base::task::CancelToken;

const TRAIN: Mode = Mode::Train { step_seed: 41 };

fn shape(pooling: Pooling, head: Head) -> EncoderShape {
    let shape = EncoderShape {
        feed_forward: 26,
        dropout: 0.2,
        positions: 40,
        pooling,
        ..EncoderShape::bert_of(50, 2, 24, 3)
    };
    shape.with_head(head)
}

fn batch(documents: usize) -> Packed {
    let mut packed = Packed::new();
    for document in 0..documents {
        let length = 1 + document * 11 % 37;
        let tokens: Vec<u32> =
            (0..length).map(|at| ((document * 17 + at * at * 5 + at) % 50) as u32).collect();
        packed.push(1000 + document as u64, &tokens);
    }
    packed
}

fn targets(batch: &Packed) -> Targets {
    let mut targets = Targets::default();
    for document in 0..batch.len() {
        let places: Vec<u32> = (0..batch.document(document).len() as u32).filter(|at| at % 3 == 1).collect();
        targets.places.push(&places);
        targets.words.extend(places.iter().map(|place| (place * 7 + document as u32) % 50));
    }
    targets
}

/// Weights large enough for gradients to be more than rounding, with norms that are not the identity.
fn weights(shape: &EncoderShape) -> Weights {
    let mut weights = Weights::new(shape, 9).unwrap();
    weights.words.iter_mut().for_each(|value| *value *= 20.0);
    for parameter in weights.layout().parameters.clone() {
        for (index, value) in weights.dense[parameter.range.clone()].iter_mut().enumerate() {
            let bump = ((index * 7 % 5) as f32 - 2.0) / 10.0;
            *value = if parameter.name.contains("norm") || parameter.name.ends_with("bias") {
                *value + bump
            } else {
                *value * 8.0
            };
        }
    }
    weights
}

fn apart(left: &[f32], right: &[f32]) -> f32 {
    assert_eq!(left.len(), right.len());
    let most = right.iter().fold(1e-12f32, |most, value| most.max(value.abs()));
    left.iter().zip(right).fold(0.0, |worst, (left, right)| f32::max(worst, (left - right).abs())) / most
}

fn named(weights: &Weights, gradients: &Gradients, name: &str) -> Vec<f32> {
    if name == WORDS {
        let (rows, width) = (weights.shape().vocabulary, weights.shape().width);
        let row = |word| gradients.words.row(word).map_or(vec![0.0; width], <[f32]>::to_vec);
        return (0..rows as u32).flat_map(row).collect();
    }
    let parameter = weights.layout().parameters.iter().find(|each| each.name == name).unwrap();
    gradients.dense[parameter.range.clone()].to_vec()
}

/// A key's bias and the score's bias change nothing but rounding.
fn is_idle(name: &str) -> bool {
    name.ends_with("key.bias") || name == "score.bias"
}

fn check(weights: &Weights, ours: &Gradients, theirs: BTreeMap<String, Tensor>) {
    assert_eq!(theirs.len(), 1 + weights.layout().parameters.len());
    for (name, theirs) in theirs {
        let theirs: Vec<f32> = theirs.flatten_all().unwrap().to_dtype(DType::F32).unwrap().to_vec1().unwrap();
        assert!(is_idle(&name) || theirs.iter().any(|value| *value != 0.0), "{name} has no gradient");
        let ours = named(weights, ours, &name);
        match is_idle(&name) {
            true => assert!(ours.iter().all(|value| value.abs() < 1e-5), "{name}"),
            false => assert!(apart(&ours, &theirs) < 2e-4, "{name}: {}", apart(&ours, &theirs)),
        }
    }
}

/// The loss in candle, in double precision, after a parameter moved.
fn candle_loss(graph: &Graph, batch: &Packed) -> Tensor {
    let (vectors, pairs) = (graph.encode(batch, TRAIN).unwrap(), batch.len() / 2);
    let (statements, proofs) =
        (vectors.narrow(0, 0, pairs).unwrap(), vectors.narrow(0, pairs, pairs).unwrap());
    graph.local_loss(&graph.scores(&statements, &proofs).unwrap()).unwrap()
}

#[test]
fn vectors_are_those_of_candle_and_do_not_depend_on_their_batch() {
    for pooling in [Pooling::Cls, Pooling::Mean, Pooling::Max] {
        let (weights, batch) = (weights(&shape(pooling, Head::Match)), batch(12));
        let graph = Graph::new(&weights, &Device::Cpu, DType::F32).unwrap();
        for mode in [Mode::Evaluate, TRAIN] {
            let expected: Vec<f32> =
                graph.encode(&batch, mode).unwrap().flatten_all().unwrap().to_vec1().unwrap();
            let (vectors, _) = encode(&weights, &batch, mode).unwrap();
            assert!(apart(&vectors.values, &expected) < 2e-5, "{pooling:?} {mode:?}");
            assert_eq!(vectors, encode_only(&weights, &batch, mode).unwrap());
            for index in 0..batch.len() {
                let alone = encode_only(&weights, &batch.part(index..index + 1), mode).unwrap();
                assert_eq!(alone.row(0), vectors.row(index), "document {index}");
            }
        }
        let plain = encode_only(&weights, &batch, Mode::Evaluate).unwrap();
        assert_eq!(plain, encode_only(&weights, &batch, Mode::Evaluate).unwrap());
        assert_ne!(plain, encode_only(&weights, &batch, TRAIN).unwrap());
    }
}

#[test]
fn gradients_are_those_of_candle_whichever_way_they_are_summed() {
    // with one layer, the last is also the first
    for (pooling, layers) in [(Pooling::Cls, 2), (Pooling::Cls, 1), (Pooling::Mean, 2), (Pooling::Max, 2)] {
        let shape = EncoderShape { layers, ..shape(pooling, Head::Match) };
        let (weights, batch) = (weights(&shape), batch(12));
        let graph = Graph::new(&weights, &Device::Cpu, DType::F64).unwrap();
        for way in [Way::Lanes, Way::Layers] {
            let (vectors, saved) = encode(&weights, &batch, TRAIN).unwrap();
            let (left, right) = vectors.values.split_at(vectors.values.len() / 2);
            let side = |values: &[f32]| super::super::Vectors { width: 24, values: values.to_vec() };
            let (statements, proofs) = (side(left), side(right));
            let loss = Objective::Local.loss(&scores(&weights, &statements, &proofs)).unwrap();
            let mut ours = Gradients::new(&weights);
            let (mut by, by_proofs) =
                scores_backward(&weights, &statements, &proofs, &loss.gradient, &mut ours);
            by.values.extend(by_proofs.values);
            backward_by(way, &weights, saved, &by, &mut ours).unwrap();
            let theirs = candle_loss(&graph, &batch);
            assert!((f64::from(loss.value) / theirs.to_scalar::<f64>().unwrap() - 1.0).abs() < 1e-4);
            check(&weights, &ours, graph.gradients(&theirs).unwrap());
        }
    }
}

#[test]
fn guesses_of_masked_words_and_their_gradient_are_those_of_candle() {
    let (weights, batch) = (weights(&shape(Pooling::Cls, Head::Masked)), batch(9));
    let targets = targets(&batch);
    let graph = Graph::new(&weights, &Device::Cpu, DType::F64).unwrap();
    let theirs = graph.masked_loss(&batch, &targets, TRAIN).unwrap();
    let mut ours = Gradients::new(&weights);
    let loss = masked_step(&weights, &batch, &targets, TRAIN, &mut ours).unwrap();
    assert!((loss.mean() / theirs.to_scalar::<f64>().unwrap() - 1.0).abs() < 1e-5);
    assert_eq!(loss.places, targets.words.len());
    let again = masked_loss(&weights, &batch, &targets, TRAIN).unwrap();
    assert!((again.sum / loss.sum - 1.0).abs() < 1e-6 && again.right == loss.right);
    check(&weights, &ours, graph.gradients(&theirs).unwrap());
    let none = Targets {
        places: (0..9).fold(Picked::default(), |mut places, _| {
            places.push(&[]);
            places
        }),
        words: vec![],
    };
    assert_eq!(masked_step(&weights, &batch, &none, TRAIN, &mut ours).unwrap().places, 0);
    assert!(masked_loss(&weights, &batch, &Targets { words: vec![1], ..none }, TRAIN).is_err());
}

#[test]
fn the_whole_gradient_matches_finite_differences() {
    let matching = weights(&shape(Pooling::Cls, Head::Match));
    let mut gradients = Gradients::new(&matching);
    let pairs = batch(10);
    step(&matching, &pairs, Objective::Local, TRAIN, None, &mut gradients).unwrap();
    differences(&matching, &gradients, &|graph| candle_loss(graph, &pairs));
    let guessing = weights(&shape(Pooling::Cls, Head::Masked));
    let (texts, mut gradients) = (batch(5), Gradients::new(&guessing));
    let hidden = targets(&texts);
    masked_step(&guessing, &texts, &hidden, TRAIN, &mut gradients).unwrap();
    differences(&guessing, &gradients, &|graph| graph.masked_loss(&texts, &hidden, TRAIN).unwrap());
}

/// The derivative in the direction of a parameter's gradient is the gradient's length.
fn differences(weights: &Weights, gradients: &Gradients, loss: &dyn Fn(&Graph) -> Tensor) {
    for (name, _, _) in weights.tensors().into_iter().filter(|(name, _, _)| !is_idle(name)) {
        let direction = named(weights, gradients, name);
        let size = direction.iter().map(|value| f64::from(value * value)).sum::<f64>().sqrt();
        let moved = |by: f64| {
            let graph = Graph::new(weights, &Device::Cpu, DType::F64).unwrap();
            let variable = &graph.variables()[name];
            let direction = Tensor::from_slice(&direction, variable.shape(), &Device::Cpu).unwrap();
            let direction = (direction.to_dtype(DType::F64).unwrap() * (by / size)).unwrap();
            variable.set(&(variable.as_tensor() + direction).unwrap()).unwrap();
            loss(&graph).to_scalar::<f64>().unwrap()
        };
        let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        assert!((slope / size - 1.0).abs() < 2e-4, "{name}: {slope} {size}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for precision in [Precision::F32, Precision::Bf16] {
        let mut weights = weights(&shape(Pooling::Cls, Head::Masked));
        weights.set_precision(precision);
        compare_threads(&weights);
    }
}

fn compare_threads(weights: &Weights) {
    let batch = batch(30);
    let targets = targets(&batch);
    let run = |threads: usize, way: Way| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut gradients = Gradients::new(weights);
            let loss = masked_step(weights, &batch, &targets, TRAIN, &mut gradients).unwrap();
            let (vectors, saved) =
                super::super::encode_tokens(weights, &batch, &targets.places, TRAIN).unwrap();
            backward_by(way, weights, saved, &vectors, &mut gradients).unwrap();
            let words: Vec<(u32, Vec<f32>)> =
                gradients.words.iter().map(|(word, row)| (word, row.to_vec())).collect();
            (loss, gradients.dense, words)
        })
    };
    for way in [Way::Lanes, Way::Layers] {
        assert!(run(1, way) == run(3, way));
    }
}

#[test]
fn frozen_layers_receive_nothing_and_the_others_what_they_always_did() {
    let (weights, batch) = (weights(&shape(Pooling::Cls, Head::Match)), batch(8));
    let run = |frozen_layers: usize| {
        let mut gradients = Gradients::new(&weights);
        gradients.frozen_layers = frozen_layers;
        step(&weights, &batch, Objective::Local, TRAIN, None, &mut gradients).unwrap();
        gradients
    };
    let (whole, part) = (run(0), run(1));
    let frozen = weights.layout().frozen(1);
    assert!(part.dense[..frozen].iter().all(|value| *value == 0.0) && part.words.rows().is_empty());
    assert_eq!(part.dense[frozen..], whole.dense[frozen..]);
}

#[test]
fn a_folder_gives_back_what_was_written_and_says_what_it_lacks() {
    let home = tempfile::tempdir().unwrap();
    let save = |weights: &Weights| {
        for (name, bytes) in write(weights).unwrap() {
            std::fs::write(home.path().join(name), bytes).unwrap();
        }
    };
    let folder = |head: Head| Folder {
        path: home.path().to_owned(),
        head,
        pooling: Pooling::Cls,
        longest: 40,
        dropout: None,
        seed: 3,
    };
    let original = weights(&shape(Pooling::Cls, Head::Match));
    save(&original);
    let found = folder(Head::Match).read().unwrap();
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    for ((name, _, left), (_, _, right)) in original.tensors().iter().zip(found.weights.tensors()) {
        assert!(name.starts_with("score") || *left == right, "{name}");
    }
    let cancelled = CancelToken::new();
    cancelled.cancel();
    let error = folder(Head::Match).read_until(&cancelled).unwrap_err().to_string();
    assert!(error.contains("stopped before it finished"), "{error}");
    let found = folder(Head::Masked).read().unwrap();
    assert!(found.notes[0].contains("no masked language modeling head"), "{:?}", found.notes);
    save(&weights(&shape(Pooling::Cls, Head::Masked)));
    let found = folder(Head::Match).read().unwrap();
    assert!(found.notes[0].contains("no pooler; it is initialized randomly"), "{:?}", found.notes);
}

#[test]
fn broken_folders_are_told_apart() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name);
    let error = || {
        let folder = Folder {
            path: home.path().to_owned(),
            head: Head::Match,
            pooling: Pooling::Cls,
            longest: 40,
            dropout: None,
            seed: 3,
        };
        folder.read().unwrap_err().to_string()
    };
    assert!(error().contains("config.json"), "{}", error());
    let weights = weights(&shape(Pooling::Cls, Head::Match));
    let files = write(&weights).unwrap();
    std::fs::write(path("config.json"), &files[0].1).unwrap();
    assert!(error().contains("neither model.safetensors nor pytorch_model.bin"), "{}", error());
    std::fs::write(path("pytorch_model.bin"), "version https://git-lfs.github.com/spec/v1\n").unwrap();
    assert!(error().contains("git lfs pull"), "{}", error());
    std::fs::write(path("pytorch_model.bin"), b"\x80\x02cos\nsystem\n").unwrap();
    assert!(error().contains("not a zip archive"), "{}", error());
    std::fs::write(path("model.safetensors"), &files[1].1[..1000]).unwrap();
    assert!(error().contains("cannot read"), "{}", error());
    std::fs::write(path("model.safetensors"), &files[1].1).unwrap();
    let config = String::from_utf8(files[0].1.clone()).unwrap();
    for (from, to, words) in [
        (
            "\"vocab_size\": 50",
            "\"vocab_size\": 51",
            "should have shape [51, 24] according to config.json, found [50, 24]",
        ),
        ("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "lacks the tensor encoder.layer.2."),
        ("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 99999999", "num_hidden_layers is 99999999"),
        ("\"hidden_act\": \"gelu\"", "\"hidden_act\": \"silu\"", "hidden_act is silu"),
        ("\"model_type\": \"bert\"", "\"model_type\": \"t5\"", "model_type is t5"),
        ("\"num_attention_heads\": 3", "\"num_attention_heads\": 5", "heads"),
    ] {
        assert!(config.contains(from), "{config}");
        std::fs::write(path("config.json"), config.replace(from, to)).unwrap();
        assert!(error().contains(words), "{}", error());
    }
}
