//! BERT against Python's `transformers`, and as users run it: pre-trained, fine-tuned, evaluated, exported.
//!
//! What `transformers` computes is recorded in tests/fixtures/bert (by tests/scripts/bert_reference.py), so the comparison
//! always runs; where `MATCHBOOK_PYTHON` or `python3` has transformers, it also opens what we write.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::support::{program, python};
use matchbook::{
    corpus::demo,
    corpus::store::{Store, StoreError},
    model::tokenizer::{Input, Tokenize, WordPiece},
    model::{
        Mode, Packed, Picked, Pooling, Weights,
        bert::{Folder, Head, Targets, masked_loss},
        encode_only, encode_tokens_only,
    },
};
use serde_json::Value;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/bert")
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/bert_reference.py")
}

fn expected(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap()
}

fn folder(path: &Path, head: Head) -> Folder {
    Folder { path: path.to_owned(), head, pooling: Pooling::Cls, longest: 20, dropout: None, seed: 1 }
}

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

fn worst(left: &[f32], right: &[f32]) -> f32 {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).fold(0.0, |worst, (left, right)| worst.max((left - right).abs()))
}

fn batch(expected: &Value) -> Packed {
    let mut batch = Packed::new();
    for (key, tokens) in expected["tokens"].as_array().unwrap().iter().enumerate() {
        let tokens: Vec<u32> = numbers(tokens).into_iter().map(|token| token as u32).collect();
        batch.push(key as u64, &tokens);
    }
    batch
}

#[test]
fn what_is_computed_is_what_transformers_recorded() {
    hidden_states_and_pooled_outputs_agree(&fixtures());
    losses_of_masked_words_agree(&fixtures());
}

#[test]
fn what_is_computed_is_what_transformers_computes_now() {
    let Some(python) = python::with("the comparison with transformers", &["torch", "transformers"]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new(python).arg(script()).arg("record").arg(folder.path()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    hidden_states_and_pooled_outputs_agree(folder.path());
    losses_of_masked_words_agree(folder.path());
}

fn hidden_states_and_pooled_outputs_agree(theirs: &Path) {
    let (expected, found) = (expected(theirs), folder(&theirs.join("encoder"), Head::Match).read().unwrap());
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    let batch = batch(&expected);
    let mut all = Picked::default();
    (0..batch.len()).for_each(|index| all.push(&(0..batch.document(index).len() as u32).collect::<Vec<_>>()));
    let hidden = encode_tokens_only(&found.weights, &batch, &all, Mode::Evaluate).unwrap();
    let theirs: Vec<f32> = expected["hidden"].as_array().unwrap().iter().flat_map(floats).collect();
    assert!(worst(&hidden.values, &theirs) < 1e-4, "{}", worst(&hidden.values, &theirs));
    let pooled = encode_only(&found.weights, &batch, Mode::Evaluate).unwrap();
    let theirs = floats(&expected["pooled"]);
    assert!(worst(&pooled.values, &theirs) < 1e-4, "{}", worst(&pooled.values, &theirs));
}

/// The model is in an old pickle.
fn losses_of_masked_words_agree(theirs: &Path) {
    let expected = expected(theirs);
    let found = folder(&theirs.join("guesser"), Head::Masked).read().unwrap();
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    let (batch, mut targets) = (batch(&expected), Targets::default());
    for labels in expected["labels"].as_array().unwrap() {
        let labels = numbers(labels);
        let masked = labels.iter().enumerate().filter(|(_, label)| **label >= 0);
        let (places, words): (Vec<u32>, Vec<u32>) =
            masked.map(|(workspace, label)| (workspace as u32, *label as u32)).unzip();
        targets.places.push(&places);
        targets.words.extend(words);
    }
    let loss = masked_loss(&found.weights, &batch, &targets, Mode::Evaluate).unwrap().mean();
    assert!((loss - expected["loss"].as_f64().unwrap()).abs() < 1e-4, "{loss} {}", expected["loss"]);
    let without = folder(&theirs.join("guesser"), Head::Match).read().unwrap();
    assert!(without.notes[0].contains("has no pooler"), "{:?}", without.notes);
}

struct TestWorkspace {
    folder: tempfile::TempDir,
}

impl TestWorkspace {
    fn run(&self, arguments: &str) -> std::process::Output {
        Command::new(program())
            .current_dir(self.folder.path())
            .env("MATCHBOOK_WORKSPACE", self.folder.path().join("work"))
            .args(arguments.split_whitespace())
            .output()
            .unwrap()
    }

    fn ok(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn fails(&self, arguments: &str, words: &str) {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {errors}");
        assert!(errors.lines().count() == 1 && errors.contains(words), "{arguments}: {errors}");
    }
}

/// One test, because each command needs what the one before it made.
#[test]
fn a_bert_is_pre_trained_fine_tuned_evaluated_and_exported() {
    let workspace = TestWorkspace { folder: tempfile::tempdir().unwrap() };
    let printed = workspace
        .ok("pretrain demo --run words --epochs 2 --longest 12 --vocabulary 400 --batch 64 --split mixed");
    assert!(printed.contains("finished") && printed.contains("best after epoch 2: loss "), "{printed}");
    workspace.fails("pretrain --run words --resume --epochs 3", "was started with other settings");
    workspace.fails("evaluate --run words", "pre-trained a BERT");

    let tune =
        "train demo --split mixed --epochs 1 --batch 60 --longest 12 --encoder scratchbert --init words";
    let printed = workspace.ok(&format!("{tune} --run whole"));
    assert!(printed.contains("best after epoch 1"), "{printed}");
    workspace.ok(&format!("{tune} --run part --freeze 1 --chunk 16 --objective hybrid --pooling mean"));
    workspace.ok(&format!("{tune} --run fresh --untrained --pooling max --optimizer asgd"));
    assert!(workspace.ok("evaluate --run whole --split mixed").contains("MRR"));
    frozen_stayed(&workspace);

    workspace.ok("runs export whole encoder");
    workspace.fails("runs export whole encoder", "is not empty");
    workspace.ok(
        "train demo --encoder npt --split mixed --epochs 1 --preset tiny --longest 12 --width 16 --run npt",
    );
    workspace.fails("runs export npt elsewhere", "trained an NPT");
    let card = fs::read_to_string(workspace.folder.path().join("encoder/README.md")).unwrap();
    assert!(card.contains("pooler_output") && card.contains("mrr:") && card.contains("[settings]"), "{card}");
    // what was exported is a folder that one can begin with
    workspace
        .ok(&format!("{} --run again", tune.replace("scratchbert --init words", "mathbert --init encoder")));
    python_agrees(&workspace.folder.path().join("encoder"));

    broken_folders(&workspace);
}

/// The first layer and the words of a run that froze them are those that it began with.
fn frozen_stayed(workspace: &TestWorkspace) {
    let best = |run: &str| workspace.folder.path().join(format!("work/runs/{run}/checkpoints/best"));
    let began = Folder { longest: 12, ..folder(&best("words"), Head::Match) }.read().unwrap().weights;
    let ended = Weights::read(&best("part").join("weights.safetensors")).unwrap();
    assert_eq!(began.words, ended.words);
    let frozen = ended.layout().frozen(1);
    assert_eq!(began.dense[..frozen], ended.dense[..frozen]);
    assert_ne!(began.dense[frozen..frozen + 1000], ended.dense[frozen..frozen + 1000]);
}

fn broken_folders(workspace: &TestWorkspace) {
    let bad = workspace.folder.path().join("bad");
    fs::create_dir(&bad).unwrap();
    let try_it = "train demo --run bad --encoder mathbert --init bad";
    workspace.fails("train demo --run bad --encoder mathbert", "mathbert needs initial weights");
    workspace.fails("train demo --run bad --encoder mathbert --init nowhere", "neither a folder nor a run");
    workspace
        .fails("train demo --run bad --encoder scratchbert --init npt", "not made by matchbook pretrain");
    workspace.fails(try_it, "config.json");
    fs::copy(fixtures().join("guesser/config.json"), bad.join("config.json")).unwrap();
    workspace.fails(try_it, "neither model.safetensors nor pytorch_model.bin");
    fs::write(bad.join("pytorch_model.bin"), "version https://git-lfs.github.com/spec/v1\noid sha256:1\n")
        .unwrap();
    workspace.fails(try_it, "git lfs pull");
    let mut archive = zip::ZipWriter::new(fs::File::create(bad.join("pytorch_model.bin")).unwrap());
    archive.start_file("archive/data.pkl", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"\x80\x02cposix\nsystem\nX\x0a\x00\x00\x00touch gone\x85R.").unwrap();
    archive.finish().unwrap();
    workspace.fails(try_it, "asks for posix.system");
    assert!(!workspace.folder.path().join("gone").exists());
    fs::copy(fixtures().join("guesser/pytorch_model.bin"), bad.join("pytorch_model.bin")).unwrap();
    workspace.fails(try_it, "neither tokenizer.json nor vocab.txt");
    let config = fs::read_to_string(bad.join("config.json")).unwrap();
    fs::write(bad.join("config.json"), config.replace("\"hidden_size\": 24", "\"hidden_size\": 48")).unwrap();
    workspace.fails(try_it, "should have shape [60, 48] according to config.json, found [60, 24]");
}

/// Texts of the demo, and of the corpus beside the project where it is.
fn lines(pieces: &WordPiece) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add = |store: &Store| {
        store
            .for_each_pair(None, |_, _, pair| {
                for passage in [&pair.statement, &pair.proof] {
                    lines.push(pieces.line(passage, Input::Both));
                }
                Ok::<(), StoreError>(())
            })
            .unwrap();
    };
    add(&demo::corpus().unwrap());
    match std::env::var_os("MATCHBOOK_SHARED_CORPUS").map(PathBuf::from) {
        Some(path) => add(&Store::open(&path).unwrap()),
        None => eprintln!("only the demo's texts: MATCHBOOK_SHARED_CORPUS names no corpus file"),
    }
    lines
}

fn python_agrees(folder: &Path) {
    let Some(python) = python::with("the comparison with transformers", &["torch", "transformers"]) else {
        return;
    };
    let pieces = WordPiece::open(folder).unwrap();
    let lines: Vec<String> = lines(&pieces).into_iter().take(1_000).collect();
    let mut process = Command::new(&python)
        .arg(script())
        .arg("open")
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let text = lines.join("\n");
    let mut input = process.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = process.wait_with_output().unwrap();
    writer.join().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = Folder { longest: 200, ..self::folder(folder, Head::Match) }.read().unwrap();
    let mut batch = Packed::new();
    for (index, line) in lines.iter().enumerate() {
        let special = pieces.special();
        let mut ours = vec![special.class];
        ours.extend(pieces.token_ids(line).into_iter().take(198));
        ours.push(special.separator);
        let theirs: Vec<u32> =
            numbers(&answer["numbers"][index]).into_iter().map(|number| number as u32).collect();
        assert_eq!(ours, theirs, "{line}");
        if index < 8 {
            batch.push(index as u64, &ours);
        }
    }
    assert!(lines.len() >= 300, "{}", lines.len());
    let pooled = encode_only(&found.weights, &batch, Mode::Evaluate).unwrap();
    let theirs: Vec<f32> = answer["pooled"].as_array().unwrap().iter().flat_map(floats).collect();
    assert!(worst(&pooled.values, &theirs) < 1e-4, "{}", worst(&pooled.values, &theirs));
    eprintln!("transformers reads {} lines as we do, and gives the same vectors", lines.len());
    let _ = pieces.len();
}
