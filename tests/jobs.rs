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

/// A model so small that a step takes milliseconds; how long it trains is for each test to say.
const SMALL: &str = "demo --preset tiny --split mixed --width 8 --heads 1 --key 8 --value 8 --feed-forward 8 --layers 1 \
                     --longest 12 --batch 100 --checkpoint-every 1";
/// For a run that goes on until it is stopped.
const ENDLESS: [&str; 4] = ["--epochs", "1000000", "--evaluate-every", "100"];
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
        let small: Vec<&str> = SMALL.split_whitespace().collect();
        self.ok(&[&["train", "--run", run][..], &small, more].concat())
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

    /// What was measured up to a step, without what depends on the clock.
    fn measured(&self, run: &str, last: u64) -> Vec<Value> {
        let text = fs::read_to_string(self.run(run).join("metrics.jsonl")).unwrap();
        let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut rows: Vec<Value> = rows.filter(|row| row["step"].as_u64() <= Some(last)).collect();
        for row in &mut rows {
            row.as_object_mut().unwrap().retain(|name, _| name != "time" && name != "tokens_per_second");
        }
        rows
    }
}

#[test]
fn a_detached_run_outlives_its_starter_and_the_queue_goes_on_by_itself() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    // A shell of its own group starts the run and is killed with everything in its group.
    let script = format!(
        "{} train --run a {SMALL} {} --detach --workspace work && exec sleep 60",
        env!("CARGO_BIN_EXE_matchbook"),
        ENDLESS.join(" ")
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

    assert!(place.train("b", &[&ENDLESS[..], &["--queue"]].concat()).contains("queued, number 1 for cpu"));
    let once = ["--epochs", "1", "--evaluate-every", "1", "--queue"];
    assert!(place.train("c", &once).contains("number 2"));
    place.ok(&["runs", "duplicate", "c", "d", "--set", "seed=2", "--queue"]);
    place.ok(&["runs", "queue", "d"]);
    assert!(place.ok(&["runs", "stop", "a"]).contains("stops after its step"));
    let stopped = place.wait_until("a", |status| status["state"] == "stopped")["step"].as_u64();
    // In their turn, one after the other, though nobody looks: d, b until it is stopped, c.
    let further = |status: &Value| status["step"].as_u64() > stopped;
    place.wait_until("b", |status| status["state"] == "running" && further(status));
    assert_eq!([&place.status("d")["state"], &place.status("c")["state"]], ["finished", "queued"]);
    place.ok(&["runs", "stop", "b"]);
    place.wait_until("c", |status| status["state"] == "finished");

    place.ok(&["runs", "resume", "a"]);
    place.wait_until("a", |status| status["state"] == "running" && further(status));
    place.ok(&["runs", "stop", "a"]);
    let last = |run: &str| place.wait_until(run, |status| status["state"] == "stopped")["step"].as_u64();
    let both = last("a").min(last("b")).unwrap();
    assert!(Some(both) > stopped && place.measured("a", both).len() as u64 >= both);
    assert!(place.measured("a", both) == place.measured("b", both), "stopped and resumed, to the same bits");

    place.ok(&["runs", "tag", "c", "kept", "first"]);
    place.ok(&["runs", "note", "c", "the", "one"]);
    place.ok(&["runs", "rename", "c", "renamed"]);
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
    place.train("victim", &[&ENDLESS[..], &["--detach"]].concat());
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
