//! Detached runs and the queue as users see them: whoever starts a run may die, and nobody has to look.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::{
    fs,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

const SHORT: [&str; 13] = [
    "demo",
    "--preset",
    "tiny",
    "--split",
    "mixed",
    "--width",
    "16",
    "--longest",
    "40",
    "--batch",
    "60",
    "--evaluate-every",
    "5",
];
const PATIENCE: Duration = Duration::from_secs(120);

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_matchbook"));
        command.args(arguments).args(["--workspace", "work"]).current_dir(self.folder.path());
        command
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn train(&self, run: &str, more: &[&str]) -> String {
        self.ok(&[&["train", "--run", run][..], &SHORT, more].concat())
    }

    fn run(&self, name: &str) -> PathBuf {
        self.folder.path().join("work/runs").join(name)
    }

    /// What the run says of itself; nobody else looks, so nobody starts the next.
    fn status(&self, run: &str) -> Value {
        serde_json::from_slice(&fs::read(self.run(run).join("status.json")).unwrap()).unwrap()
    }

    fn wait_until(&self, run: &str, done: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let status = self.status(run);
            if done(&status) {
                return status;
            }
            let log = || fs::read_to_string(self.run(run).join("log.txt")).unwrap_or_default();
            assert!(Instant::now() < until, "{run}: {status}\n{}", log());
            thread::sleep(Duration::from_millis(30));
        }
    }

    fn best(&self, run: &str) -> Vec<u8> {
        fs::read(self.run(run).join("checkpoints/best/weights.safetensors")).unwrap()
    }
}

#[test]
fn a_detached_run_outlives_its_starter_and_the_queue_goes_on_by_itself() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    // A shell of its own group starts the run and is killed with everything in its group.
    let script = format!(
        "{} train --run a {} --epochs 16 --checkpoint-every 1 --detach --workspace work && exec sleep 60",
        env!("CARGO_BIN_EXE_matchbook"),
        SHORT.join(" ")
    );
    let mut shell = Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.folder.path())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let until = Instant::now() + PATIENCE;
    while !place.run("a").join("status.json").exists() {
        assert!(Instant::now() < until);
        thread::sleep(Duration::from_millis(20));
    }
    place.wait_until("a", |status| status["state"] == "running");
    let group = format!("-{}", shell.id());
    assert!(Command::new("kill").args(["-9", "--", &group]).status().unwrap().success());
    shell.wait().unwrap();
    place.wait_until("a", |status| status["step"].as_u64() > Some(0));

    assert!(place.train("b", &["--epochs", "16", "--queue"]).contains("queued, number 1 for cpu"));
    assert!(place.train("c", &["--epochs", "1", "--queue"]).contains("number 2"));
    place.ok(&["runs", "duplicate", "c", "d", "--set", "seed=2", "--queue"]);
    place.ok(&["runs", "queue", "d"]);
    assert!(place.ok(&["runs", "stop", "a"]).contains("stops after its step"));
    place.wait_until("a", |status| status["state"] == "stopped");
    // In their turn, one after the other, though nobody looks.
    let status = place.wait_until("c", |status| status["state"] == "finished");
    let ended = |run: &str| place.status(run)["heartbeat"].as_f64().unwrap();
    assert!(ended("d") < ended("b") && ended("b") < status["heartbeat"].as_f64().unwrap());

    place.ok(&["runs", "resume", "a"]);
    place.wait_until("a", |status| status["state"] == "finished");
    assert!(place.best("a") == place.best("b"), "stopped and resumed, to the same bits");

    place.ok(&["runs", "tag", "a", "kept", "first"]);
    place.ok(&["runs", "note", "a", "the", "one"]);
    place.ok(&["runs", "rename", "a", "renamed"]);
    let listed: Value = serde_json::from_str(&place.ok(&["runs", "--json"])).unwrap();
    let renamed = listed.as_array().unwrap().iter().find(|run| run["name"] == "renamed").unwrap();
    assert_eq!(
        (&renamed["note"], &renamed["tags"][1], &renamed["state"]),
        (&"the one".into(), &"kept".into(), &"finished".into())
    );
    assert!(renamed["mrr"].as_f64().unwrap() > 0.0 && renamed["loss"].as_f64().is_some());
}

#[test]
fn a_run_that_was_killed_is_dead_with_its_last_words() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    place.train("victim", &["--epochs", "400", "--detach"]);
    let status = place.wait_until("victim", |status| status["state"] == "running");
    let pid = status["process"]["pid"].to_string();
    assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    let until = Instant::now() + PATIENCE;
    let shown = loop {
        let shown = place.ok(&["runs", "show", "victim"]);
        if shown.starts_with("victim  dead") {
            break shown;
        }
        assert!(Instant::now() < until, "{shown}");
        thread::sleep(Duration::from_millis(50));
    };
    assert!(shown.contains("the end of its log:") && shown.contains("trains on"), "{shown}");
    place.ok(&["runs", "remove", "victim"]);
}
