//! Files from outside that never end, never begin or are enormous: refused at once, with little memory.

#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::symlink,
    process::Command,
    time::{Duration, Instant},
};

use crate::support::{CommandOutput, TestDir, finish, peak_memory, program};

/// What the program may use: it starts with some 20 MB.
const MOST_MEMORY: u64 = 200 << 20;

/// The kinds of files that are no regular files of a sensible size.
const KINDS: [&str; 3] = ["zero", "pipe", "sparse"];

fn place() -> TestDir {
    let dir = TestDir::new();
    symlink("/dev/zero", dir.path("zero")).unwrap();
    assert!(Command::new("mkfifo").arg(dir.path("pipe")).status().unwrap().success());
    fs::File::create(dir.path("sparse")).unwrap().set_len(1 << 40).unwrap();
    for kind in KINDS {
        for file in ["config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "pytorch_model.bin"] {
            let folder = dir.path(format!("{kind}-{file}"));
            fs::create_dir(&folder).unwrap();
            let config = r#"{"vocab_size": 30, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1,
                "intermediate_size": 8}"#;
            fs::write(folder.join("config.json"), config).unwrap();
            fs::write(folder.join("vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n").unwrap();
            let _ = fs::remove_file(folder.join(file));
            symlink(dir.path(kind), folder.join(file)).unwrap();
        }
    }
    dir
}

/// Runs a command and measures its memory, again if it ended before it could be measured.
fn measure(command: impl Fn() -> Command) -> (CommandOutput, u64) {
    (0..50).find_map(|_| peak_memory(command())).unwrap()
}

#[test]
fn files_that_never_end_or_begin_are_refused() {
    let dir = place();
    let mut commands: Vec<Vec<String>> = Vec::new();
    let mut add = |words: &[&str]| commands.push(words.iter().map(|word| (*word).to_owned()).collect());
    for kind in KINDS {
        for file in ["config.json", "model.safetensors", "pytorch_model.bin"] {
            let folder = format!("{kind}-{file}");
            add(&[
                "train",
                "demo",
                "--run",
                "a",
                "--encoder",
                "mathbert",
                "--init",
                &folder,
                "--workspace",
                "work",
            ]);
        }
        add(&["replace", "demo", "--level", "full", "--audit", "--protected", kind]);
        add(&["screens", kind, "-o", "pictures"]);
        add(&["stats", kind]);
        add(&["import", kind, "-o", "new.corpus", "--format", "parquet"]);
    }
    for kind in ["zero", "pipe"] {
        add(&["extract", "articles", "-o", "new.corpus", "--metadata", kind]);
        add(&["import", kind, "-o", "new.corpus"]);
        add(&["assign", kind, "-o", "new.tsv"]);
        add(&["explain", "--run", "demo-full", "--pairs", kind]);
    }
    for words in commands {
        let started = Instant::now();
        let (answer, memory) = measure(|| dir.command(&words));
        assert_eq!(answer.code, Some(1), "{words:?}: {answer:?}");
        let error = answer.error.lines().last().unwrap_or_default();
        let reasons = ["a pipe or a device", "larger than", "not a corpus", "not a complete Parquet table"];
        let is_reason = reasons.iter().any(|reason| error.contains(reason));
        assert!(error.starts_with("matchbook: ") && is_reason, "{words:?}: {answer:?}");
        assert!(started.elapsed() < Duration::from_secs(20), "{words:?}");
        assert!(memory < MOST_MEMORY, "{words:?}: {} MB", memory >> 20);
        println!("{:>4} MB  {}  {error}", memory >> 20, words.join(" "));
    }
}

/// Pipes beside a corpus and in a run, both of which may be downloaded: each command ends.
#[test]
#[cfg(target_os = "linux")]
fn pipes_among_the_files_of_a_corpus_and_a_run_are_not_waited_for() {
    let dir = TestDir::new();
    dir.write_demo(6);
    dir.extract(&["articles"], &[]);
    let train =
        ["train", "out.corpus", "--run", "r", "--encoder", "windows", "--preset", "tiny", "--split", "mixed"];
    let command = |arguments: &[&str]| {
        let mut command = Command::new("timeout");
        command.arg("20").arg(program()).args(arguments).current_dir(dir.path(""));
        command.env("MATCHBOOK_WORKSPACE", dir.path("work"));
        command
    };
    let trained = finish(command(&[&train[..], &["--epochs", "1", "--width", "8"]].concat()));
    assert_eq!(trained.code, Some(0), "{trained:?}");
    for (pipe, arguments) in [
        ("out.corpus-journal", &["stats", "out.corpus"][..]),
        ("out.corpus.index/tfidf-renamed.idx", &["find", "out.corpus", "compact group"]),
        ("work/runs/r/status.json", &["train", "--run", "r", "--resume"]),
        ("work/runs/r/lock", &["train", "--run", "r", "--resume"]),
        ("work/runs/r/lock", &["runs", "remove", "r"]),
    ] {
        let path = dir.path(pipe);
        let aside = dir.path("aside");
        let is_there = path.exists();
        if is_there {
            fs::rename(&path, &aside).unwrap();
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let answer = finish(command(arguments));
        assert!(matches!(answer.code, Some(0 | 1)), "{pipe}: {answer:?}");
        fs::remove_file(&path).unwrap();
        if is_there {
            fs::rename(&aside, &path).unwrap();
        }
    }
}

#[test]
fn vocabularies_that_never_end_are_refused() {
    use matchbook::model::tokenizer::wordpiece::WordPiece;
    let dir = place();
    for folder in
        KINDS.iter().flat_map(|kind| [format!("{kind}-vocab.txt"), format!("{kind}-tokenizer.json")])
    {
        let error = WordPiece::open(&dir.path(&folder)).err().unwrap().to_string();
        assert!(
            error.contains("not a file") || error.contains("larger than a tokenizer"),
            "{folder}: {error}"
        );
    }
}

/// The settings are a convenience, so what cannot be read of them is a warning.
#[test]
fn settings_and_themes_that_never_end_do_not_matter() {
    let dir = place();
    fs::create_dir_all(dir.path("config/matchbook/themes")).unwrap();
    for kind in KINDS {
        for file in ["config.toml", "themes/mine.toml"] {
            let path = dir.path("config/matchbook").join(file);
            let _ = fs::remove_file(&path);
            symlink(dir.path(kind), path).unwrap();
        }
        for words in [&["themes"][..], &["runs", "--workspace", "work"], &["keys"]] {
            let (answer, memory) = measure(|| {
                let mut command = dir.command(words);
                command.env("XDG_CONFIG_HOME", dir.path("config"));
                command
            });
            assert_eq!(answer.code, Some(0), "{words:?}: {answer:?}");
            assert!(memory < MOST_MEMORY, "{words:?}: {} MB", memory >> 20);
        }
    }
}
