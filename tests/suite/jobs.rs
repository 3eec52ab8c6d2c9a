//! Detached runs and the queue as users see them: the process that starts a run may die, and the queue continues without an observer.

#![cfg(unix)]

use std::{
    fs,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::support::{
    program,
    runs::{TestWorkspace, metrics_until},
};
use serde_json::Value;

/// A model so small that a step takes milliseconds; how long it trains is for each test to say.
const SMALL: &str = "demo --encoder npt --preset tiny --split mixed --width 8 --heads 1 --key 8 --value 8 --feed-forward 8 --layers 1 \
                     --longest 12 --batch 100 --checkpoint-every 1";
/// For a run that trains until it is stopped.
const ENDLESS: [&str; 4] = ["--epochs", "1000000", "--evaluate-every", "100"];
const PATIENCE: Duration = Duration::from_secs(120);

/// A workspace whose runs no other process watches, so that none starts the next.
struct Jobs {
    workspace: TestWorkspace,
}

impl std::ops::Deref for Jobs {
    type Target = TestWorkspace;

    fn deref(&self) -> &TestWorkspace {
        &self.workspace
    }
}

impl Jobs {
    fn new() -> Jobs {
        Jobs { workspace: TestWorkspace::new() }
    }

    fn train(&self, run: &str, more: &[&str]) -> String {
        let small: Vec<&str> = SMALL.split_whitespace().collect();
        self.workspace.train(run, &[&small, more].concat())
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

    /// What was measured up to a step.
    fn measured(&self, run: &str, last: u64) -> Vec<Value> {
        metrics_until(&self.run(run), last)
    }
}

#[test]
fn a_detached_run_outlives_its_starter_and_the_queue_goes_on_by_itself() {
    let workspace = Jobs::new();
    // A shell of its own group starts the run and is killed with everything in its group.
    let script = format!(
        "{} train --run a {SMALL} {} --detach --workspace work && exec sleep 60",
        program(),
        ENDLESS.join(" ")
    );
    let mut shell = Command::new("sh")
        .args(["-c", &script])
        .current_dir(workspace.folder.path())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let until = Instant::now() + PATIENCE;
    while !workspace.run("a").join("status.json").exists() {
        assert!(Instant::now() < until);
        thread::sleep(Duration::from_millis(20));
    }
    workspace.wait_until("a", |status| status["state"] == "running");
    let group = format!("-{}", shell.id());
    assert!(Command::new("kill").args(["-9", "--", &group]).status().unwrap().success());
    shell.wait().unwrap();
    workspace.wait_until("a", |status| status["step"].as_u64() > Some(0));

    assert!(
        workspace.train("b", &[&ENDLESS[..], &["--queue"]].concat()).contains("queued at position 1 for cpu")
    );
    let once = ["--epochs", "1", "--evaluate-every", "1", "--queue"];
    assert!(workspace.train("c", &once).contains("position 2"));
    workspace.ok(&["runs", "duplicate", "c", "d", "--set", "seed=2", "--queue"]);
    workspace.ok(&["runs", "queue", "d"]);
    assert!(workspace.ok(&["runs", "stop", "a"]).contains("will stop after the current step"));
    let stopped = workspace.wait_until("a", |status| status["state"] == "stopped")["step"].as_u64();
    // In their turn, one after the other, although no process watches: d, b until it is stopped, c.
    let further = |status: &Value| status["step"].as_u64() > stopped;
    workspace.wait_until("b", |status| status["state"] == "running" && further(status));
    assert_eq!([&workspace.status("d")["state"], &workspace.status("c")["state"]], ["finished", "queued"]);
    workspace.ok(&["runs", "stop", "b"]);
    workspace.wait_until("c", |status| status["state"] == "finished");

    workspace.ok(&["runs", "resume", "a"]);
    workspace.wait_until("a", |status| status["state"] == "running" && further(status));
    workspace.ok(&["runs", "stop", "a"]);
    let last = |run: &str| workspace.wait_until(run, |status| status["state"] == "stopped")["step"].as_u64();
    let both = last("a").min(last("b")).unwrap();
    assert!(Some(both) > stopped && workspace.measured("a", both).len() as u64 >= both);
    assert!(
        workspace.measured("a", both) == workspace.measured("b", both),
        "stopped and resumed, to the same bits"
    );

    workspace.ok(&["runs", "tag", "c", "kept", "first"]);
    workspace.ok(&["runs", "note", "c", "the", "one"]);
    workspace.ok(&["runs", "rename", "c", "renamed"]);
    let listed: Value = serde_json::from_str(&workspace.ok(&["runs", "--json"])).unwrap();
    let renamed = listed.as_array().unwrap().iter().find(|run| run["name"] == "renamed").unwrap();
    assert_eq!(
        (&renamed["note"], &renamed["tags"][1], &renamed["state"]),
        (&"the one".into(), &"kept".into(), &"finished".into())
    );
    assert!(renamed["best"]["mrr"].as_f64().unwrap() > 0.0 && renamed["loss"].as_f64().is_some());
}

#[test]
fn a_run_that_was_killed_is_dead_with_its_last_words() {
    let workspace = Jobs::new();
    workspace.train("victim", &[&ENDLESS[..], &["--detach"]].concat());
    // A run is running from its first moment, before it has read its corpus.
    let status = workspace.wait_until("victim", |status| status["step"].as_u64() > Some(0));
    let pid = status["process"]["pid"].to_string();
    assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    let until = Instant::now() + PATIENCE;
    let shown = loop {
        let shown = workspace.ok(&["runs", "show", "victim"]);
        if shown.starts_with("victim  dead") {
            break shown;
        }
        assert!(Instant::now() < until, "{shown}");
        thread::sleep(Duration::from_millis(50));
    };
    assert!(shown.contains("the end of its log:") && shown.contains("training on"), "{shown}");
    workspace.ok(&["runs", "remove", "victim"]);
}

/// A BERT so small that a step takes milliseconds.
const WORDS: &str = "demo --split mixed --vocabulary 300 --longest 4 --batch 100 --checkpoint-every 1";

#[test]
fn a_pre_training_waits_its_turn_is_stopped_and_resumed_and_lets_the_next_begin() {
    let workspace = Jobs::new();
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let pretrain =
        |run: &str, more: &[&str]| workspace.ok(&[&["pretrain", "--run", run][..], &words, more].concat());
    assert!(pretrain("words", &["--epochs", "1000000", "--detach"]).contains("words: started, process"));
    assert!(workspace.train("next", &["--epochs", "1", "--queue"]).contains("queued at position 1 for cpu"));
    assert!(pretrain("more", &["--epochs", "1", "--queue"]).contains("position 2"));
    workspace.wait_until("words", |status| status["step"].as_u64() > Some(0));
    workspace.ok(&["runs", "stop", "words"]);
    let stopped = workspace.wait_until("words", |status| status["state"] == "stopped")["step"].as_u64();
    // One after the other, although no process watches.
    workspace.wait_until("next", |status| status["state"] == "finished");
    workspace.wait_until("more", |status| status["state"] == "finished");
    assert!(workspace.run("more").join("checkpoints/best/config.json").exists(), "a folder of transformers");
    workspace.ok(&["runs", "resume", "words"]);
    workspace.wait_until("words", |status| status["step"].as_u64() > stopped);
    workspace.ok(&["runs", "kill", "words"]);
    workspace.ok(&["runs", "duplicate", "more", "copy", "--set", "masked=0.1"]);
    workspace.wait_until("copy", |status| status["state"] == "finished");
    let wrong = workspace.command(&["runs", "duplicate", "more", "x", "--set", "masked=7"]).output().unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("`7` should be a number"));
}
