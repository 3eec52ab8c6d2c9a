//! A run's scores are the same numbers wherever they are shown.

use super::*;
use crate::{
    corpus::{CorpusReference, demo},
    runs::{RunConfig, RunScores, Status},
    study::comparison::RunComparison,
    train::Preset,
    workbench::{
        app::{App, CorpusInfo, Msg, area::Size, key::parse_sequence, keymap::Keymap},
        ui::Headless,
    },
};

/// A run with these evaluations: MRR and accuracy after each epoch. An older version kept no scores in the status.
fn write_run(workspace: &Workspace, name: &str, seed: u64, evaluations: &[(f64, f64)], is_old: bool) {
    let corpus = CorpusReference { path: "demo".into(), fingerprint: "6f1e".to_owned() };
    let config = RunConfig::new(seed, corpus, Preset::Tiny.settings());
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
        scores: (!is_old).then_some(scores),
        ..Status::queued(at(1000))
    };
    lock.write_status(&status).unwrap();
}

/// The screen after keys, as text.
fn screen(workspace: &Workspace, keys: &str) -> String {
    let store = demo::corpus().unwrap();
    let corpus = CorpusInfo { name: "demo".to_owned(), pairs: store.pair_count(), articles: 40 };
    let app = App::new(corpus, Keymap::default(), Size { width: 200, height: 50 });
    let mut workbench = Headless::new(app, store).with_workspace(workspace.clone());
    workbench.start();
    for key in parse_sequence(keys).unwrap() {
        workbench.send(Msg::Key(key));
    }
    workbench.draw();
    let buffer = workbench.drawn();
    let line = |y: u16| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..buffer.area.height).map(|y| line(y) + "\n").collect()
}

/// Training selects by accuracy, so the best evaluation is the second: not the one with the highest MRR, and not the last.
/// In single precision, in which curves are kept, 43.435 would be rounded up.
#[test]
fn every_place_shows_the_same_scores_of_a_run() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    let evaluations = [(0.912, 0.25), (0.612_35, 0.512_349_999), (0.434_349_999, 0.375)];
    write_run(&workspace, "new", 1, &evaluations, false);
    write_run(&workspace, "old", 2, &evaluations, true);
    let (best_mrr, best_accuracy) = ("61.23 @2", "51.23 @2");
    let all = [best_mrr, best_accuracy, "43.43 @3", "37.50 @3"];
    let check = |place: &str, text: &str| {
        for score in all {
            assert_eq!(text.matches(score).count(), 2, "{score} in {place}:\n{text}");
        }
    };
    let rows = Jobs::new(&workspace).list().unwrap();
    let shown: Vec<&JobRow> = rows.iter().collect();
    check("matchbook runs", &list::lines(&shown, &list::columns(None)).join("\n"));
    check("matchbook runs diff", &RunComparison::new(&shown, &workspace).table().text());
    check("Train", &screen(&workspace, "3"));
    check("Train, comparison", &screen(&workspace, "3 space j space ="));
    for row in &rows {
        let text = |scores: &Option<EvaluationScores>| scores_text(scores.as_ref().unwrap());
        let best = "MRR 61.23, accuracy 51.23 after epoch 2 (step 20)";
        let last = "MRR 43.43, accuracy 37.50 after epoch 3 (step 30)";
        assert_eq!((text(&row.scores.best), text(&row.scores.last)), (best.to_owned(), last.to_owned()));
    }
    // In Curves: the last value and the best, for the metric that is shown.
    for (metric, last, best) in [("t", "43.43", best_mrr), ("t t", "37.50", best_accuracy)] {
        let curves = screen(&workspace, &format!("4 a tab {metric}"));
        assert!(curves.matches(best).count() == 2 && curves.matches(last).count() >= 2, "{curves}");
    }
    let notice = screen(&workspace, "4 a tab t B");
    assert!(notice.contains("MRR 61.23 after epoch 2"), "{notice}");
    let models = screen(&workspace, "5 B");
    assert_eq!(models.matches("dev MRR 61.23 @2").count(), 2, "{models}");
}

#[test]
fn a_log_is_not_followed_for_a_run_that_died_before_its_first_status() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    let config = RunConfig::new(1, CorpusReference::default(), Preset::Tiny.settings());
    let jobs = Jobs::new(&workspace);
    let ended = |name: &str, created: Timestamp| {
        let run = RunDirectory::create(&workspace, &name.parse().unwrap(), &config, created).unwrap();
        has_ended(&jobs, &run).unwrap()
    };
    assert!(!ended("new", Timestamp::now()));
    assert!(ended("dead", Timestamp::from_milliseconds(0)));
}
