//! `matchbook runs` as users run it, and TensorBoard as it reads what a run wrote.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
    thread,
    time::Duration,
};

use crate::support::{program, python};
use matchbook::{
    base::workspace::Workspace,
    corpus::CorpusReference,
    runs::{LogLevel, MetricsRow, RunConfig, RunDirectory, RunState, Status, Timestamp},
};
use serde_json::Value;

#[test]
fn runs_are_listed_shown_read_and_removed() {
    let home = tempfile::tempdir().unwrap();
    assert!(json(home.path(), &["--json"]).as_array().unwrap().is_empty());
    for name in ["first", "second"] {
        make(home.path(), name);
    }
    fs::write(home.path().join("runs/second/status.json"), "torn").unwrap();
    let listed = json(home.path(), &["list", "--json"]);
    assert_eq!([&listed[0]["name"], &listed[0]["state"]], ["first", "failed"]);
    assert_eq!(listed[1]["state"], Value::Null);
    assert!(listed[1]["problems"][0].as_str().unwrap().contains("status.json"));
    let shown = ok(home.path(), &[]);
    assert!(shown.contains("first ") && shown.contains("0.25") && shown.contains("problem: "), "{shown}");

    let shown = json(home.path(), &["show", "first", "--json"]);
    assert_eq!(shown["config"]["settings"]["encoder"], "npt");
    assert_eq!([&shown["checkpoints"][0], &shown["best"]], [1000, 1000]);
    assert_eq!(shown["last"]["loss"], 0.25);
    let shown = ok(home.path(), &["show", "first"]);
    for words in ["cause: the loss", "step 1,234", "1 checkpoint at 1,000", "encoder = \"npt\"", "going on"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }

    assert_eq!(ok(home.path(), &["log", "first", "-n", "1"]), "1970-01-01 00:00:00Z error   the end\n");
    let removed = ok(home.path(), &["remove", "first"]);
    assert!(removed.contains("trash"), "{removed}");
    fails(home.path(), &["show", "first"], "there is no run first");
    fails(home.path(), &["remove", "../first"], "separator");
}

#[test]
fn a_log_is_followed_until_the_run_ends() {
    let home = tempfile::tempdir().unwrap();
    let run = make(home.path(), "first");
    let lock = run.lock().unwrap();
    let status = Status::running(Timestamp::now());
    lock.write_status(&status).unwrap();
    let mut log = lock.log().unwrap();
    let shown = thread::scope(|scope| {
        let follower = scope.spawn(|| ok(home.path(), &["log", "first", "-f", "-n", "1"]));
        thread::sleep(Duration::from_millis(300));
        log.write(Timestamp::default(), LogLevel::Info, "more").unwrap();
        thread::sleep(Duration::from_millis(300));
        log.write(Timestamp::default(), LogLevel::Info, "last words").unwrap();
        lock.write_status(&Status { state: RunState::Finished, ..status }).unwrap();
        follower.join().unwrap()
    });
    let words: Vec<&str> = shown.lines().map(|line| &line[29..]).collect();
    assert!(matches!(words[..], ["the end", "more", "last words"] | ["more", "last words"]), "{shown}");
}

#[test]
fn tensorboard_reads_the_events_of_a_resumed_run() {
    let home = tempfile::tempdir().unwrap();
    let run = make(home.path(), "first");
    let lock = run.lock().unwrap();
    let write = |after: Option<u64>, steps: std::ops::RangeInclusive<u64>, loss: f64| {
        let mut events = lock.tensorboard_after(after, Timestamp::from_milliseconds(1_000)).unwrap();
        for step in steps {
            let time = Timestamp::from_milliseconds(1_000 * step);
            events.append(&MetricsRow::step(step, 0.0, time).with("loss", loss)).unwrap();
            events.append(&MetricsRow::evaluation("dev", step, 0.0, time).with("mrr", f64::NAN)).unwrap();
        }
        events.path().to_owned()
    };
    let path = write(None, 1..=5, 1.0);
    let torn = fs::read(&path).unwrap();
    fs::write(&path, &torn[..torn.len() - 3]).unwrap();
    assert_eq!(write(Some(3), 4..=6, 2.0), path);
    let Some(found) = read_with_tensorboard(&run.tensorboard_path()) else { return };
    let expected = [
        "dev/mrr 1 1.000 nan",
        "dev/mrr 2 2.000 nan",
        "dev/mrr 3 3.000 nan",
        "dev/mrr 4 4.000 nan",
        "dev/mrr 5 5.000 nan",
        "dev/mrr 6 6.000 nan",
        "train/loss 1 1.000 1",
        "train/loss 2 2.000 1",
        "train/loss 3 3.000 1",
        "train/loss 4 4.000 2",
        "train/loss 5 5.000 2",
        "train/loss 6 6.000 2",
    ];
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}

/// What TensorBoard's own reader finds, or nothing when it is not installed.
fn read_with_tensorboard(folder: &Path) -> Option<String> {
    python::run("read_tensorboard.py", &["tensorboard"], &[folder])
}

/// A run that failed after a checkpoint.
fn make(home: &Path, name: &str) -> RunDirectory {
    let workspace = Workspace::at(home, home.join("config"));
    let settings: BTreeMap<&str, &str> = [("encoder", "npt")].into();
    let config = RunConfig::new(7, CorpusReference::default(), settings);
    let run = RunDirectory::create(&workspace, &name.parse().unwrap(), &config, Timestamp::now()).unwrap();
    let lock = run.lock().unwrap();
    let mut metrics = lock.metrics_after(None).unwrap();
    metrics.append(&MetricsRow::step(1, 0.5, Timestamp::now()).with("loss", 0.25)).unwrap();
    lock.save_checkpoint(1000, [("weights", b"w".as_slice())]).unwrap();
    lock.save_best(1000, [("weights", b"w".as_slice())]).unwrap();
    let mut log = lock.log().unwrap();
    log.write(Timestamp::default(), LogLevel::Info, "going on").unwrap();
    log.write(Timestamp::default(), LogLevel::Error, "the end").unwrap();
    let cause = Some("the loss is not a number".to_owned());
    let status = Status { state: RunState::Failed, cause, step: 1234, ..Status::running(Timestamp::now()) };
    lock.write_status(&status).unwrap();
    run
}

fn matchbook(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.arg("runs").args(arguments).env("MATCHBOOK_WORKSPACE", home).output().unwrap()
}

fn ok(home: &Path, arguments: &[&str]) -> String {
    let output = matchbook(home, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(home: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&ok(home, arguments)).unwrap()
}

fn fails(home: &Path, arguments: &[&str], words: &str) {
    let output = matchbook(home, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
    assert!(errors.contains(words) && errors.lines().count() == 1, "{errors}");
}
