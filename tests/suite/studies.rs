//! `matchbook study` as users run it: filled, killed, continued, shown in every format.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::support::program;

/// A grid of three runs that take about a second each.
const SMALL: [&str; 10] = [
    "cross",
    "--levels",
    "conservation,partial,full",
    "--split",
    "mixed",
    "--seeds",
    "1",
    "--epochs",
    "2",
    "--at-once",
];

struct TestWorkspace {
    folder: tempfile::TempDir,
}

impl TestWorkspace {
    fn new() -> TestWorkspace {
        TestWorkspace { folder: tempfile::tempdir().unwrap() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.folder.path()).arg("study").args(arguments).args(["--workspace", "work"]);
        command
    }

    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The folders of the runs by name, with what each status says.
    fn runs(&self) -> BTreeMap<PathBuf, String> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("work/runs")) else { return BTreeMap::new() };
        let runs = entries.flatten().map(|entry| entry.path());
        let visible = runs.filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'));
        visible
            .map(|path| {
                let status = fs::read_to_string(path.join("status.json")).unwrap_or_default();
                let status: Value = serde_json::from_str(&status).unwrap_or_default();
                let state = status["state"].as_str().unwrap_or("unreadable").to_owned();
                (path, state)
            })
            .collect()
    }

    fn finished(&self) -> Vec<PathBuf> {
        self.runs().into_iter().filter(|(_, state)| state == "finished").map(|(path, _)| path).collect()
    }
}

/// What training leaves behind: another training would leave something else.
fn traces(run: &Path) -> (Vec<u8>, String) {
    (fs::read(run.join("metrics.jsonl")).unwrap(), fs::read_to_string(run.join("log.txt")).unwrap())
}

fn small(at_once: &str) -> Vec<&str> {
    SMALL.into_iter().chain([at_once]).collect()
}

#[cfg(unix)]
#[test]
fn a_killed_study_goes_on_and_repeats_no_finished_run() {
    let workspace = TestWorkspace::new();
    let mut study = workspace.command(&small("1"));
    std::os::unix::process::CommandExt::process_group(&mut study, 0);
    let mut child = study.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(120);
    while workspace.finished().is_empty() {
        assert!(Instant::now() < until, "no run has finished: {:?}", workspace.runs());
        assert!(child.try_wait().unwrap().is_none(), "the study ended early");
        thread::sleep(Duration::from_millis(10));
    }
    // the study and whatever it has started
    let killed = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status().unwrap();
    assert!(killed.success());
    child.wait().unwrap();
    let finished = workspace.finished();
    assert!(finished.len() < 3, "it was killed too late to show anything");
    let before: Vec<_> = finished.iter().map(|run| traces(run)).collect();

    let table: Value = serde_json::from_str(&workspace.ok(&[&small("2")[..], &["--json"]].concat())).unwrap();
    assert_eq!(workspace.finished().len(), 3);
    let after: Vec<_> = finished.iter().map(|run| traces(run)).collect();
    assert_eq!(before, after, "a finished run was trained again");
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for cell in rows.iter().flat_map(|row| row["cells"].as_array().unwrap()) {
        assert_eq!(cell["ours"]["is"], "value", "{cell}");
        let (mean, low) =
            (cell["ours"]["mean"].as_f64().unwrap(), cell["ours"]["interval"]["low"].as_f64().unwrap());
        assert!((0.0..=100.0).contains(&mean) && low <= mean, "{cell}");
        assert_eq!(cell["ours"]["interval"]["basis"], "pairs");
        assert!(cell["paper"].is_number() && cell["runs"].as_array().unwrap().len() == 1, "{cell}");
    }
    assert_eq!(table["facts"]["corpora"][0]["pairs"], 311);

    // once more: nothing is left to do, and another table uses the same runs
    let listing = workspace.runs();
    workspace.ok(&small("2"));
    assert_eq!(workspace.runs(), listing);
    let after: Vec<_> = finished.iter().map(|run| traces(run)).collect();
    assert_eq!(before, after);
    let planned = workspace.ok(&[
        "main",
        "--encoders",
        "npt",
        "--levels",
        "full",
        "--seeds",
        "1",
        "--epochs",
        "2",
        "--dry-run",
    ]);
    let there = planned.lines().filter(|line| line.starts_with("finished")).count();
    assert_eq!(there, 1, "{planned}");

    every_format(&workspace);
}

fn every_format(workspace: &TestWorkspace) {
    let show = |format: &str| workspace.ok(&[&small("1")[..], &["--show", "--format", format]].concat());
    let markdown = show("markdown");
    assert!(markdown.contains("| Conservation |") && markdown.contains("(73.73)"), "{markdown}");
    assert!(markdown.contains("Test pairs with a duplicate in training: same article"), "{markdown}");
    assert!(markdown.contains("Generated by matchbook"), "{markdown}");
    let latex = show("latex");
    assert!(
        latex.contains("\\toprule") && latex.contains("\\bottomrule") && latex.contains("(73.73)"),
        "{latex}"
    );
    let csv = show("csv");
    assert_eq!(csv.lines().count(), 1 + 18, "{csv}");
    let html = show("html");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<svg"), "{html}");
    let addresses = html.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    assert!(!addresses.contains("http"), "a page that loads nothing: {html}");
    let folder = workspace.folder.path().join("tables");
    workspace.ok(&[&small("1")[..], &["--show", "--output", "tables"]].concat());
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["cross.csv", "cross.html", "cross.json", "cross.md", "cross.tex"]);
}

#[test]
fn cells_that_cannot_be_filled_say_why() {
    let workspace = TestWorkspace::new();
    let shown = workspace.ok(&["main", "--show"]);
    assert!(shown.contains("[1]: not yet trained.") && shown.contains("[2]: MathBERT does not"), "{shown}");
    assert!(shown.contains("(73.73)"), "the paper's numbers stand there anyway: {shown}");
    let findings = workspace.ok(&["findings", "--show", "--json"]);
    let findings: Value = serde_json::from_str(&findings).unwrap();
    let verdicts: Vec<&Value> = findings["findings"].as_array().unwrap().iter().collect();
    assert_eq!(verdicts.len(), 8);
    assert!(
        verdicts.iter().all(|finding| finding["verdict"] == "undecided" && finding["missing"].is_string())
    );
    let wrong = workspace.command(&["cross", "--seeds", "0"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("at least one seed"));
}

/// A pre-training, a training that begins with it, and an evaluation, by the queue: what the command starts outlives it.
#[cfg(unix)]
#[test]
fn a_scratchbert_is_pretrained_first_and_the_queue_does_both() {
    let workspace = TestWorkspace::new();
    // of the few articles of one category
    let arguments = "protected --encoders scratchbert --levels conservation --seeds 1 --epochs 1 --on queue";
    let arguments: Vec<&str> = arguments.split_whitespace().chain(["--pretraining-epochs", "1"]).collect();
    let planned = workspace.ok(&[&arguments[..], &["--dry-run"]].concat());
    assert!(planned.contains("2 runs, 2 of them to train, and 2 evaluations"), "{planned}");

    // killed during pre-training: it resumes, and is not started a second time
    let mut study = workspace.command(&arguments);
    let mut child = study.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(120);
    while !workspace.runs().values().any(|state| state == "running" || state == "finished") {
        assert!(Instant::now() < until, "{:?}", workspace.runs());
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let table: Value = serde_json::from_str(&workspace.ok(&[&arguments[..], &["--json"]].concat())).unwrap();
    let runs = workspace.finished();
    assert_eq!(runs.len(), 2, "{:?}", workspace.runs());
    let named = |word: &str| runs.iter().find(|run| run.to_string_lossy().contains(word)).unwrap();
    let (first, then) = (named("scratchbert-pretraining-unmixed"), named("scratchbert-local-conservation"));
    let settings: toml::Table = fs::read_to_string(then.join("run.toml")).unwrap().parse().unwrap();
    let init = settings["settings"]["init"].as_str().unwrap();
    assert_eq!(Path::new(init), first.canonicalize().unwrap().join("checkpoints/best"));
    let log = fs::read_to_string(first.join("log.txt")).unwrap();
    assert_eq!(log.matches("info    training on ").count(), 1, "it was started once: {log}");
    for cell in table["rows"][0]["cells"].as_array().unwrap() {
        assert_eq!(cell["ours"]["is"], "value", "{cell}");
    }
    let facts = &table["facts"]["trainings"][0];
    assert_eq!((&facts["encoder"], &facts["pretraining_epochs"]), (&"ScratchBERT".into(), &1.into()));
}
