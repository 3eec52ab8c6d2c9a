//! `matchbook train` as users run it: repeated, interrupted, killed, resumed.

#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

/// A run of a second or two.
const SHORT: [&str; 15] = [
    "demo",
    "--preset",
    "tiny",
    "--split",
    "mixed",
    "--epochs",
    "6",
    "--width",
    "16",
    "--longest",
    "40",
    "--batch",
    "60",
    "--evaluate-every",
    "2",
];

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    fn command(&self, run: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_matchbook"));
        command
            .current_dir(self.folder.path())
            .args(["train", "--run", run, "--workspace", "work"])
            .args(arguments);
        command
    }

    fn ok(&self, run: &str, arguments: &[&str]) -> String {
        let output = self.command(run, arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn fails(&self, run: &str, arguments: &[&str], words: &str) {
        let output: Output = self.command(run, arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert!(errors.lines().count() == 1 && errors.contains(words), "{errors}");
    }

    fn start(&self, run: &str, arguments: &[&str]) -> Child {
        self.command(run, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn folder(&self, run: &str) -> PathBuf {
        self.folder.path().join("work/runs").join(run)
    }

    fn best(&self, run: &str) -> Vec<u8> {
        fs::read(self.folder(run).join("checkpoints/best/weights.safetensors")).unwrap()
    }

    /// Metrics without what depends on the clock.
    fn metrics(&self, run: &str) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.folder(run).join("metrics.jsonl")).unwrap();
        let mut rows: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        rows.iter_mut().for_each(forget_the_clock);
        rows
    }

    fn status(&self, run: &str) -> serde_json::Value {
        serde_json::from_slice(&fs::read(self.folder(run).join("status.json")).unwrap()).unwrap()
    }
}

fn forget_the_clock(value: &mut serde_json::Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, _| name != "time" && name != "tokens_per_second");
        fields.values_mut().for_each(forget_the_clock);
    }
}

#[test]
fn a_run_is_repeated_by_its_file_and_resumed_only_with_its_own_settings() {
    let place = Place::new();
    let said = place.ok("first", &[&SHORT[..], &["--seed", "9", "--threads", "1", "--tensorboard"]].concat());
    assert!(said.contains("first: 30 steps in") && said.contains("best after epoch"), "{said}");
    let config = place.folder("first").join("run.toml");
    place.ok("again", &["--config", config.to_str().unwrap(), "--threads", "3"]);
    assert!(place.best("first") == place.best("again"));
    assert_eq!(place.metrics("first"), place.metrics("again"));
    assert_eq!(place.status("again")["state"], "finished");
    assert!(place.folder("first").join("tensorboard").read_dir().unwrap().next().is_some());

    place.fails("first", &SHORT, "first");
    place.fails("none", &["--resume"], "none");
    place.fails("first", &["--resume", "--lr", "0.5"], "was started with other settings");
    place.fails("other", &["demo", "--preset", "tiny", "--batch", "1"], "a batch of 1");
    place.fails("other", &["demo", "--device", "metal"], "--device cpu");
    assert!(!place.folder("other").exists());
    let done = place.ok("first", &["--resume"]);
    assert!(done.contains("first: 30 steps"), "{done}");

    let text = fs::read_to_string(&config).unwrap();
    let at = text.find("fingerprint = \"").unwrap() + "fingerprint = \"".len();
    fs::write(&config, format!("{}{}{}", &text[..at], "0".repeat(64), &text[at + 64..])).unwrap();
    place.fails("first", &["--resume"], "is not the one that the run was made for");
}

#[test]
#[cfg(unix)]
fn a_run_that_is_interrupted_and_killed_ends_with_the_same_bits() {
    let place = Place::new();
    let whole = [&SHORT[..], &["--epochs", "12", "--checkpoint-every", "0"]].concat();
    let whole: Vec<&str> =
        whole.iter().enumerate().filter(|(at, _)| !(5..7).contains(at)).map(|(_, word)| *word).collect();
    place.ok("whole", &whole);
    let mut child = place.start("torn", &whole);
    for (round, pause) in [700u64, 350, 500, 420, 610, 300].into_iter().enumerate() {
        thread::sleep(Duration::from_millis(pause));
        let signal = if round % 2 == 0 { "-KILL" } else { "-INT" };
        let _ = Command::new("kill").args([signal, &child.id().to_string()]).status();
        child.wait().unwrap();
        assert!(place.folder("torn").exists() || round == 0);
        if !place.folder("torn").exists() {
            child = place.start("torn", &whole);
            continue;
        }
        child = place.start("torn", &["--resume", "--checkpoint-every", "0"]);
    }
    child.wait().unwrap();
    place.ok("torn", &["--resume"]);
    assert!(place.best("torn") == place.best("whole"), "another model");
    assert_eq!(place.metrics("torn"), place.metrics("whole"));
    let last = |run: &str| read_all(&place.folder(run).join("checkpoints/step-60"));
    assert!(last("torn") == last("whole"), "another last checkpoint");
}

fn read_all(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .into_iter()
        .map(|path| (PathBuf::from(path.file_name().unwrap()), fs::read(&path).unwrap()))
        .collect()
}
