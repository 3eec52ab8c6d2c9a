//! Experiment tracking: one number everywhere, filters and comparisons.

use std::{path::Path, process::Command};

use super::support::{program, python};

use matchbook::{
    base::workspace::Workspace,
    corpus::CorpusReference,
    runs::{MetricsRow, RunConfig, RunDirectory, RunScores, RunState, Status, Timestamp},
};

/// A run with these evaluations: MRR and accuracy after each epoch.
fn write_run(workspace: &Workspace, name: &str, seed: u64, evaluations: &[(f64, f64)], with_scores: bool) {
    let corpus = CorpusReference { path: "demo".into(), fingerprint: "6f1e".to_owned() };
    let settings: toml::Table = toml::toml! {
        encoder = "npt"
        level = "conservation"
        lr = 0.1
    };
    let config = RunConfig::new(seed, corpus, settings);
    let at = Timestamp::from_milliseconds;
    let run = RunDirectory::create(workspace, &name.parse().unwrap(), &config, at(0)).unwrap();
    let lock = run.lock().unwrap();
    let mut metrics = lock.metrics_after(None).unwrap();
    let mut scores = RunScores::default();
    for (place, (mrr, accuracy)) in evaluations.iter().enumerate() {
        let step = 10 * (place as u64 + 1);
        metrics.append(&MetricsRow::step(step, place as f64 + 1.0, at(step)).with("loss", 1.0)).unwrap();
        let row = MetricsRow::evaluation("dev", step, place as f64 + 1.0, at(step))
            .with("mrr", *mrr)
            .with("accuracy", *accuracy);
        metrics.append(&row).unwrap();
        scores.add_row(&row);
    }
    drop(metrics);
    let status = Status {
        state: RunState::Finished,
        step: 10 * evaluations.len() as u64,
        scores: with_scores.then_some(scores),
        ..Status::queued(at(1000))
    };
    lock.write_status(&status).unwrap();
}

fn matchbook(workspace: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program());
    command.args(arguments).env("MATCHBOOK_WORKSPACE", workspace);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What the panes show is asserted with the same numbers in `workbench/ui/tests/runs.rs`.
///
/// Training selects by accuracy, so the best evaluation is the second: not the one with the highest MRR, and not the last.
/// The numbers are such that single precision would round them differently.
#[test]
fn every_command_prints_the_same_scores_of_a_run() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    let evaluations = [(0.912, 0.25), (0.612_35, 0.512_349_999), (0.434_349_999, 0.375)];
    write_run(&workspace, "new", 1, &evaluations, true);
    write_run(&workspace, "old", 2, &evaluations, false);
    let (best_mrr, best_accuracy) = ("61.23 @2", "51.23 @2");
    let (last_mrr, last_accuracy) = ("43.43 @3", "37.50 @3");
    let all = [best_mrr, best_accuracy, last_mrr, last_accuracy];

    let listed = matchbook(home.path(), &["runs"]);
    for name in ["new", "old"] {
        let row = listed.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(all.iter().all(|score| row.contains(score)), "{listed}");
        let shown = matchbook(home.path(), &["runs", "show", name]);
        assert!(shown.contains("best on dev: MRR 61.23, accuracy 51.23 after epoch 2 (step 20)"), "{shown}");
        assert!(shown.contains("last on dev: MRR 43.43, accuracy 37.50 after epoch 3 (step 30)"), "{shown}");
        let chart = matchbook(home.path(), &["curves", name, "--metric", "dev/mrr"]);
        assert!(
            chart.contains("last 43.43") && chart.contains("best evaluation: MRR 61.23 after epoch 2"),
            "{chart}"
        );
    }
    let compared = matchbook(home.path(), &["runs", "diff", "new", "old"]);
    assert!(all.iter().all(|score| compared.matches(score).count() == 2), "{compared}");
    for (cell, score) in [("best-mrr", "61.23"), ("last-accuracy", "37.50")] {
        let table = matchbook(home.path(), &["runs", "table", "--rows", "name", "--cell", cell]);
        assert_eq!(table.matches(&format!("{score} (1)")).count(), 2, "{table}");
    }
    let page = home.path().join("new.html");
    matchbook(home.path(), &["report", "new", "-o", page.to_str().unwrap()]);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(["61.23", "51.23", "43.43", "37.50"].iter().all(|score| page.contains(score)), "{page}");

    let json: serde_json::Value = serde_json::from_str(&matchbook(home.path(), &["runs", "--json"])).unwrap();
    assert_eq!((&json[0]["best"], &json[0]["last"]), (&json[1]["best"], &json[1]["last"]));
    assert_eq!(
        (json[0]["best"]["mrr"].as_f64(), json[0]["last"]["epoch"].as_f64()),
        (Some(0.612_35), Some(3.0))
    );
}

#[test]
fn mlflow_reads_the_runs_back() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    write_run(&workspace, "it's one", 1, &[(0.5, 0.4), (0.625, 0.5)], true);
    write_run(&workspace, "two", 2, &[(f64::NAN, 0.4)], true);
    matchbook(home.path(), &["runs", "tag", "two", "kept"]);
    let store = home.path().join("mlruns");
    // A second export replaces the first.
    for _ in 0..2 {
        matchbook(home.path(), &["runs", "mlflow", "-o", store.to_str().unwrap()]);
    }
    let Some(read) = python::run("read_mlflow.py", &["mlflow"], &[&store]) else { return };
    let mut found: Vec<serde_json::Value> = serde_json::from_str(&read.replace("NaN", "null")).unwrap();
    found.sort_by_key(|run| run["name"].as_str().unwrap().to_owned());
    let [one, two] = found.as_slice() else { panic!("two runs: {read}") };
    assert_eq!(
        (&one["name"], &one["status"], &one["experiment"]),
        (&"it's one".into(), &"FINISHED".into(), &"matchbook".into())
    );
    assert_eq!((&one["params"]["seed"], &one["params"]["encoder"]), (&"1".into(), &"npt".into()));
    assert_eq!(one["history"], serde_json::json!([[10, 0.5, 10], [20, 0.625, 20]]));
    assert_eq!(one["metrics"]["loss"], 1.0);
    assert_eq!((&two["tags"]["kept"], &two["history"][0][1]), (&"true".into(), &serde_json::Value::Null));
}

#[test]
fn tables_have_rows_and_columns_by_any_settings() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    write_run(&workspace, "a", 1, &[(0.5, 0.4)], true);
    write_run(&workspace, "b", 2, &[(0.7, 0.6)], true);
    write_run(&workspace, "c", 2, &[], true);
    let table = matchbook(home.path(), &["runs", "table", "--rows", "encoder,level", "--cell", "best-mrr"]);
    // The t interval of two values is 60 ± 12.706 * 10, and no share lies outside of 0 and 100.
    assert!(table.contains("npt, conservation  60.00 [0.00, 100.00] (2)"), "{table}");
    let losses = matchbook(home.path(), &["runs", "table", "--rows", "level", "--cell", "step"]);
    assert!(losses.contains("6.67 [-7.68, 21.01] (3)"), "{losses}");
    assert!(table.contains("1 run lacks the value"), "{table}");
    let by_seed =
        matchbook(home.path(), &["runs", "table", "--rows", "level", "--columns", "seed", "--format", "csv"]);
    assert_eq!(by_seed, "level,1,2\nconservation,50.00 (1),70.00 (1)\n");
}

#[test]
fn runs_are_filtered_sorted_and_compared_on_the_command_line() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    write_run(&workspace, "a", 1, &[(0.5, 0.4)], true);
    write_run(&workspace, "b", 2, &[(0.7, 0.6)], true);
    write_run(&workspace, "c", 3, &[(0.6, 0.5)], true);
    let names = |arguments: &[&str]| -> Vec<String> {
        let text = matchbook(home.path(), arguments);
        text.lines().skip(1).map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["runs", "list", "--sort", "best-mrr"]), ["b", "c", "a"]);
    assert_eq!(names(&["runs", "list", "--sort", "-seed"]), ["c", "b", "a"]);
    let filter =
        ["runs", "list", "--filter", "best-mrr>55 seed=2,3 level:conservation", "--save-filter", "good"];
    assert_eq!(names(&filter), ["b", "c"]);
    assert_eq!(names(&["runs", "list", "--filter", "@good", "--sort", "-name"]), ["c", "b"]);
    assert_eq!(
        matchbook(home.path(), &["runs", "filters"]),
        "@good  best-mrr>55 seed=2,3 level:conservation\n"
    );
    assert_eq!(names(&["runs", "list", "--filter", "-seed=2"]), ["a", "c"]);
    for unknown in [["--filter", "colour:red"], ["--columns", "colour"], ["--sort", "colour"]] {
        let mut command = Command::new(program());
        command.args(["runs", "list"]).args(unknown).env("MATCHBOOK_WORKSPACE", home.path());
        let listed = command.output().unwrap();
        let printed = String::from_utf8_lossy(&listed.stderr);
        assert!(!listed.status.success() && printed.contains("no column or setting `colour`"), "{printed}");
    }
    matchbook(home.path(), &["runs", "filters", "--remove", "good"]);
    assert_eq!(matchbook(home.path(), &["runs", "filters"]), "");
    let shown = matchbook(home.path(), &["runs", "list", "--columns", "seed,lr,tag"]);
    assert!(shown.lines().next().unwrap().contains("seed  lr"), "{shown}");
    let path = home.path().join("diff.md");
    matchbook(home.path(), &["runs", "diff", "a", "b", "-o", path.to_str().unwrap()]);
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written.contains("| seed | 1 | 2 |") && written.contains("| best dev MRR | 50.00 @1 | 70.00 @1 |"),
        "{written}"
    );
}

/// Runs are searched for, compared pair by pair, and one of them becomes a page.
#[test]
fn a_search_a_paired_comparison_a_log_and_a_report() {
    let home = tempfile::tempdir().unwrap();
    let search = ["study", "search", "demo", "--over", "lr=0.001,0.003", "--epochs", "1", "--at-once", "1"];
    let found = matchbook(home.path(), &search);
    let rows: Vec<&str> = found.lines().filter(|line| line.contains("study-npt-")).collect();
    assert!(rows.len() == 2 && found.contains("lr: best dev accuracy"), "{found}");
    // The same search again trains nothing and finds the same.
    assert_eq!(matchbook(home.path(), &search), found);
    let names: Vec<&str> = rows.iter().map(|row| row.split_whitespace().last().unwrap()).collect();
    for name in &names {
        let kept = ["evaluate", "--run", name, "--decoder", "local,global", "--keep", "--json"];
        let evaluation: serde_json::Value = serde_json::from_str(&matchbook(home.path(), &kept)).unwrap();
        assert_eq!(evaluation["about"]["corpus"], "demo");
    }
    let difference = matchbook(home.path(), &["runs", "diff", names[0], names[1]]);
    assert!(difference.contains("lr  ") && difference.contains("(paired bootstrap of "), "{difference}");
    let data = matchbook(home.path(), &["runs", "diff", names[0], names[1], "--format", "csv"]);
    assert!(data.contains("\"MRR on test, conservation: p\""), "{data}");
    // The runs were tested at the level that they were trained at, once each.
    let table = ["runs", "table", "--rows", "symbols", "--columns", "tested-on", "--cell", "test-mrr"];
    let table = matchbook(home.path(), &table);
    assert!(table.lines().any(|line| line.starts_with("literal") && line.ends_with("(2)")), "{table}");
    assert!(table.contains("differ in more than the seed: lr."), "{table}");
    for (ending, chart) in [("html", "<svg"), ("md", "█"), ("tex", "\\begin{picture}")] {
        let path = home.path().join(format!("search.{ending}"));
        matchbook(home.path(), &[&search[..], &["-o", path.to_str().unwrap()]].concat());
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written.contains(chart) && written.contains("lr: best dev accuracy"), "{written}");
    }
    let log = matchbook(home.path(), &["runs", "log", names[0]]);
    for words in
        ["running with", "dev after epoch 1", "best so far", "checkpoint at step", "finished at step"]
    {
        assert!(log.contains(words), "{words}: {log}");
    }
    let path = home.path().join("report.html");
    let pair = evaluation_pair(home.path(), names[0]);
    matchbook(home.path(), &["report", names[0], "--pair", &pair, "-o", path.to_str().unwrap()]);
    let page = std::fs::read_to_string(&path).unwrap();
    for words in
        ["Scores", "Settings", "<svg", "Assignment distribution", "Confusions", "Importance", "fingerprint"]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("<script") && !page.contains("src=\"http") && !page.contains("<link"));
}

/// A pair that a run was evaluated on.
fn evaluation_pair(workspace: &Path, name: &str) -> String {
    let printed = matchbook(workspace, &["evaluate", "--run", name, "--json"]);
    let evaluation: serde_json::Value = serde_json::from_str(&printed).unwrap();
    evaluation["verdicts"][0]["pair"].as_str().unwrap().to_owned()
}
