//! A scratch directory with a workspace of runs, and the real program to train them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use super::program;

/// A folder to work in, with a workspace `work`, gone in the end.
pub struct TestWorkspace {
    pub folder: TempDir,
}

impl TestWorkspace {
    pub fn new() -> TestWorkspace {
        TestWorkspace { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder of a run.
    pub fn run(&self, name: &str) -> PathBuf {
        self.path("work/runs").join(name)
    }

    /// A program, to be run in this workspace with arguments and the workspace.
    pub fn arrange(&self, command: &mut Command, arguments: &[&str]) {
        command.current_dir(self.folder.path()).args(arguments).args(["--workspace", "work"]);
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        self.arrange(&mut command, arguments);
        command
    }

    /// Runs the program, which must succeed, and returns its output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn train(&self, run: &str, arguments: &[&str]) -> String {
        self.ok(&[&["train", "--run", run], arguments].concat())
    }

    pub fn start(&self, run: &str, arguments: &[&str]) -> Child {
        let mut command = self.command(&[&["train", "--run", run], arguments].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// A training fails, and the last line says what is wrong.
    pub fn fails(&self, run: &str, arguments: &[&str], words: &[&str]) {
        self.fails_as(&mut self.command(&[&["train", "--run", run], arguments].concat()), words);
    }

    pub fn fails_as(&self, command: &mut Command, words: &[&str]) {
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let last = errors.lines().last().unwrap();
        assert!(words.iter().all(|word| last.contains(word)), "{words:?}: {last}");
    }

    /// The status file of a run.
    pub fn status(&self, run: &str) -> Value {
        serde_json::from_slice(&fs::read(self.run(run).join("status.json")).unwrap()).unwrap()
    }

    /// The metrics of a run, without what depends on the clock.
    pub fn metrics(&self, run: &str) -> Vec<Value> {
        metrics_in(&self.run(run))
    }

    /// Names and contents of a checkpoint's files.
    pub fn checkpoint(&self, run: &str, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = self.run(run).join("checkpoints").join(name);
        let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let name = |path: &Path| PathBuf::from(path.file_name().unwrap());
        files.into_iter().map(|path| (name(&path), fs::read(&path).unwrap())).collect()
    }
}

/// The whole lines of a run's metrics, without what depends on the clock.
pub fn metrics_in(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let mut rows: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    rows.iter_mut().for_each(forget_the_clock);
    rows
}

/// The same up to a step.
pub fn metrics_until(run: &Path, last: u64) -> Vec<Value> {
    let mut rows = metrics_in(run);
    rows.retain(|row| row["step"].as_u64() <= Some(last));
    rows
}

fn forget_the_clock(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        let is_measured = |name: &str| {
            ["time", "tokens_per_second", "cpu_utilization", "memory"].contains(&name)
                || name.starts_with("gpu_")
        };
        fields.retain(|name, _| !is_measured(name));
        fields.values_mut().for_each(forget_the_clock);
    }
}
