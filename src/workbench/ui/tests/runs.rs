//! Train, Curves and Log as people see them, on runs that were written here.

use super::{Workbench, demo_store, picture};
use crate::{
    base::workspace::Workspace,
    corpus::CorpusReference,
    model::{ComputeDevice, DeviceInfo},
    runs::curves::{Horizontal, Marker, Scale},
    runs::devices::FoundDevice,
    runs::{LogLevel, MetricsRow, RunConfig, RunDirectory, RunState, Status, Timestamp},
    train::{ObjectiveKind, Preset, TrainSettings},
    workbench::app::{Effect, Msg, pane::PaneId},
    workbench::session::Session,
};

/// When everything happened: long ago, so that nothing is taken for alive.
fn at(seconds: u64) -> Timestamp {
    Timestamp::from_milliseconds(1_790_000_000_000 + seconds * 1000)
}

/// A run with this number of steps that ended in this state.
fn write_run(workspace: &Workspace, name: &str, settings: TrainSettings, steps: u64, state: RunState) {
    write_seeded(workspace, name, 7, settings, steps, state);
}

fn write_seeded(
    workspace: &Workspace,
    name: &str,
    seed: u64,
    settings: TrainSettings,
    steps: u64,
    state: RunState,
) {
    let corpus = CorpusReference { path: "demo".into(), fingerprint: "6f1e".to_owned() };
    let config = RunConfig::new(seed, corpus, settings);
    let run = RunDirectory::create(workspace, &name.parse().unwrap(), &config, at(0)).unwrap();
    let lock = run.lock().unwrap();
    let mut metrics = lock.metrics_after(None).unwrap();
    let slope = name.len() as f64;
    for step in 1..=steps {
        let (epoch, time) = (step as f64 / 10.0, at(step));
        let wave = 0.2 * (step as f64 / 5.0).sin();
        let loss = match step {
            40 => f64::NAN,
            60 => 9.0,
            _ => 3.0 / (1.0 + step as f64 / (8.0 * slope)) + wave,
        };
        let row = MetricsRow::step(step, epoch, time)
            .with("loss", loss)
            .with("lr", 0.003)
            .with("gradient_norm", 1.0 + wave);
        metrics.append(&row.with("tokens_per_second", 12_500.0)).unwrap();
        if step % 20 == 0 {
            let mrr = 0.6 - (step as f64 - 80.0).abs() / 400.0;
            metrics
                .append(
                    &MetricsRow::evaluation("dev", step, epoch, time)
                        .with("mrr", mrr)
                        .with("accuracy", mrr - 0.1),
                )
                .unwrap();
        }
    }
    drop(metrics);
    let mut log = lock.log().unwrap();
    log.write(at(0), LogLevel::Info, "trains on 249 pairs").unwrap();
    log.write(at(1), LogLevel::Warning, "a checkpoint was refused\nit was torn").unwrap();
    if state == RunState::Failed {
        log.write(at(steps), LogLevel::Error, "the loss is not a number").unwrap();
    }
    let cause = (state == RunState::Failed).then(|| "the loss is not a number".to_owned());
    let latest = [("loss", 0.73), ("tokens_per_second", 12_500.0)];
    let status = Status {
        state,
        cause,
        step: steps,
        epoch: steps / 10,
        total_steps: Some(300),
        host: "stove".to_owned(),
        latest: latest.map(|(name, value)| (name.to_owned(), value)).into(),
        ..Status::queued(at(steps))
    };
    lock.write_status(&status).unwrap();
}

fn runs() -> (tempfile::TempDir, Workspace) {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    let tiny = Preset::Tiny.settings();
    write_run(&workspace, "broken", tiny.clone(), 45, RunState::Failed);
    write_run(&workspace, "first", tiny.clone(), 120, RunState::Finished);
    let full = TrainSettings { level: "full+p".parse().unwrap(), objective: ObjectiveKind::Hybrid, ..tiny };
    write_run(&workspace, "full-hybrid", full, 200, RunState::Stopped);
    (home, workspace)
}

/// Hides the paths, which are in a temporary folder.
fn settled(text: &str) -> String {
    let settled =
        |line: &str| if line.contains(".tmp") { " <the run's folder>" } else { line }.to_owned() + "\n";
    text.lines().map(settled).collect()
}

/// The run and the numbers of `tests/suite/tracking.rs`, which asserts the same of every command.
#[test]
fn every_pane_shows_the_same_scores_of_a_run() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    for name in ["new", "old"] {
        let corpus = CorpusReference { path: "demo".into(), fingerprint: "6f1e".to_owned() };
        let config = RunConfig::new(1, corpus, Preset::Tiny.settings());
        let run = RunDirectory::create(&workspace, &name.parse().unwrap(), &config, at(0)).unwrap();
        let lock = run.lock().unwrap();
        let mut metrics = lock.metrics_after(None).unwrap();
        let evaluations = [(0.912, 0.25), (0.612_35, 0.512_349_999), (0.434_349_999, 0.375)];
        for (step, epoch, (mrr, accuracy)) in [10, 20, 30]
            .into_iter()
            .zip([1.0, 2.0, 3.0])
            .zip(evaluations)
            .map(|((s, e), scores)| (s, e, scores))
        {
            metrics.append(&MetricsRow::step(step, epoch, at(step)).with("loss", 1.0)).unwrap();
            let row = MetricsRow::evaluation("dev", step, epoch, at(step));
            metrics.append(&row.with("mrr", mrr).with("accuracy", accuracy)).unwrap();
        }
        drop(metrics);
        let status = Status { state: RunState::Finished, step: 30, ..Status::queued(at(40)) };
        lock.write_status(&status).unwrap();
    }
    let scores = ["61.23 @2", "51.23 @2", "43.43 @3", "37.50 @3"];
    let mut workbench = Workbench::with_runs(&workspace, 200, 50);
    let train = workbench.press("3").text();
    for name in ["new", "old"] {
        let row = train.lines().find(|line| line.contains(&format!(" {name} "))).unwrap_or_default();
        assert!(scores.iter().all(|score| row.contains(score)), "{train}");
    }
    let compared = workbench.press("space j space =").text();
    assert!(scores.iter().all(|score| compared.matches(score).count() == 2), "{compared}");
    let table = workbench.press("esc t enter").text();
    assert!(table.contains("61.23 [61.23, 61.23] (2)"), "{table}");
    let curves = workbench.press("esc 4").text();
    assert!(curves.contains("43.43") && curves.contains("37.50") && curves.contains("▼2"), "{curves}");
}

#[test]
fn without_runs_each_pane_says_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    let mut workbench = Workbench::with_runs(&workspace, 80, 24);
    let [train, curves, log] = ["3", "4", "8"].map(|key| workbench.press(key).text());
    assert!(train.contains("There are no runs yet") && train.contains("n  opens a form"), "{train}");
    assert!(curves.contains("3  shows the Train pane; n there starts a run"), "{curves}");
    assert!(log.contains("There are no runs yet"), "{log}");
    // Whatever is pressed, nothing is done to runs that are not there.
    workbench.press("3 . r x X d R a enter v 4 space p B e m enter 8 n / a enter n y");
    workbench.buffer();
}

#[test]
fn the_table_at_four_sizes() {
    let (_home, workspace) = runs();
    for (width, height) in [(80, 24), (120, 40), (200, 50), (20, 5)] {
        let mut workbench = Workbench::with_runs(&workspace, width, height);
        workbench.press("3 space j j");
        insta::assert_snapshot!(format!("table_{width}x{height}"), settled(&workbench.text()));
    }
}

#[test]
fn curves_at_four_sizes() {
    let (_home, workspace) = runs();
    for (width, height) in [(80, 24), (120, 40), (200, 50), (20, 5)] {
        let mut workbench = Workbench::with_runs(&workspace, width, height);
        workbench.press("4 a");
        insta::assert_snapshot!(format!("grid_{width}x{height}"), workbench.text());
        workbench.press("tab");
        insta::assert_snapshot!(format!("curves_{width}x{height}"), workbench.text());
    }
}

#[test]
fn curves_name_the_engine_of_the_selected_run() {
    let (_home, workspace) = runs();
    let directory = RunDirectory::open(&workspace, &"full-hybrid".parse().unwrap()).unwrap();
    let engine = Some("candle on cuda:0 (NVIDIA A100, 80 GB), tf32".to_owned());
    let status = Status { engine, ..directory.status().unwrap() };
    status.write(&directory.status_path()).unwrap();
    let mut workbench = Workbench::with_runs(&workspace, 120, 30);
    workbench.press("4 tab a");
    let text = workbench.text();
    assert!(text.contains("loss · by step · candle on cuda:0 (NVIDIA A100, 80 GB), tf32"), "{text}");
}

#[test]
fn curves_with_a_pinned_run_smoothed_at_a_cursor_in_letters() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 30);
    workbench.press("4 tab a p u w w w b b b H H Y");
    insta::assert_snapshot!(workbench.text());
    insta::assert_snapshot!(
        "curves_colours",
        picture(&Workbench::with_runs(&workspace, 60, 12).press("4 tab").buffer())
    );
}

#[test]
fn what_is_not_a_number_is_marked_and_a_spike_is_seen() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 100, 30);
    workbench.press("4 tab enter");
    let plot = workbench.app.curves.plot().unwrap();
    assert_eq!(plot.curves.len(), 1);
    let (curve, y) = (&plot.curves[0], plot.y);
    assert_eq!((curve.not_finite, curve.highest), (1, Some(9.0)));
    assert!(y.end > 9.0);
    assert!(workbench.text().contains('×'));
    workbench.press("t t");
    assert_eq!(workbench.app.curves.metric().to_string(), "dev/accuracy");
    assert!(workbench.text().contains('▼'), "the best evaluation is marked");
}

#[test]
fn zoom_and_pan_stay_in_the_axis_and_sessions_remember_them() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("4 tab a p t u X Y w w b l h h h + + < ) K");
    let before = workbench.app.curves.snapshot();
    assert!(before.x.is_some() && before.y.is_some() && before.cursor.is_some());
    assert_eq!((before.axis, before.x_scale, before.y_scale), (Horizontal::Epoch, Scale::Log, Scale::Log));
    assert_eq!(
        (before.marker, before.smoothing, before.runs.as_ref().map(Vec::len)),
        (Marker::Block, 0.8, Some(3))
    );
    let snapshot = workbench.app.snapshot();
    let session = Session { workbench: snapshot.clone().map_pairs(|_| None), ..Session::default() };
    let text = toml::to_string(&session).unwrap();
    let read = toml::from_str::<Session>(&text).unwrap().workbench;
    assert_eq!(
        (&read.panes.curves, &read.panes.training, &read.panes.log, read.pane),
        (&before, &snapshot.panes.training, &snapshot.panes.log, PaneId::Curves)
    );
    let mut again = Workbench::with_runs(&workspace, 120, 40);
    again.app.restore(&read.map_pairs(|_| None));
    again.press("4");
    assert_eq!(again.text(), workbench.text());
    assert_eq!(workbench.press("0 esc").app.curves.snapshot().x, None);
}

#[test]
fn curves_are_written_to_files() {
    let (home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    for ending in ["svg", "csv"] {
        let path = home.path().join(format!("loss.{ending}"));
        workbench.press("4 a e ctrl-u");
        workbench.send(Msg::Paste(path.display().to_string()));
        workbench.press("enter");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("full-hybrid"), "{ending}");
        workbench.press("a");
        // A file that is there is replaced only by a second enter.
        workbench.press("a e ctrl-u");
        workbench.send(Msg::Paste(path.display().to_string()));
        workbench.press("enter");
        assert!(workbench.text().contains("already exists"), "{}", workbench.text());
        workbench.press("enter");
        assert!(workbench.text().contains("written to"), "{}", workbench.text());
        workbench.press("a");
    }
    let rows = std::fs::read_to_string(home.path().join("loss.csv")).unwrap().lines().count();
    assert_eq!(rows, 1 + 120 + 200 + 45);
}

#[test]
fn the_grid_has_a_chart_for_each_metric_and_sessions_keep_its_order() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 160, 50);
    workbench.press("4 a");
    let metrics = |workbench: &Workbench| -> Vec<String> {
        workbench.app.curves.grid_metrics().iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        metrics(&workbench),
        ["loss", "dev/mrr", "dev/accuracy", "lr", "tokens_per_second", "gradient_norm"]
    );
    assert_eq!((workbench.app.curves.charts().len(), workbench.app.curves.page()), (6, (0, 1)));
    // The cursor is at the same step in all of them.
    workbench.press("h h");
    let cursor = workbench.app.curves.cursor().unwrap();
    for chart in workbench.app.curves.charts() {
        assert!(chart.plot.x.start <= cursor && cursor <= chart.plot.x.end, "{}", chart.metric);
    }
    // A chart is moved, another hidden; enter enlarges the chosen one, and esc leads back.
    workbench.press("t }");
    workbench.press("m").write("learning");
    workbench.press("enter esc");
    let expected = ["loss", "dev/accuracy", "dev/mrr", "tokens_per_second", "gradient_norm"];
    assert_eq!(metrics(&workbench), expected);
    let snapshot = workbench.app.curves.snapshot();
    let read: crate::workbench::app::curves::CurvesSnapshot =
        toml::from_str(&toml::to_string(&snapshot).unwrap()).unwrap();
    assert_eq!(read, snapshot);
    workbench.press("enter");
    assert!(!workbench.app.curves.is_grid());
    workbench.press("esc esc");
    assert!(workbench.app.curves.is_grid());
    // On a small screen there are pages, and the chosen chart is on the shown one.
    let mut small = Workbench::with_runs(&workspace, 80, 24);
    small.press("4 a T");
    let (page, pages) = small.app.curves.page();
    assert!(pages > 1 && page == pages - 1, "{page} of {pages}");
}

#[test]
fn seeds_are_drawn_as_a_mean_with_a_band() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    for (name, seed, lr) in [("a", 1, 0.1), ("ab", 2, 0.1), ("abc", 3, 0.1), ("x", 1, 0.2), ("xy", 2, 0.2)] {
        let settings = TrainSettings { lr, ..Preset::Tiny.settings() };
        write_seeded(&workspace, name, seed, settings, 100, RunState::Finished);
    }
    let mut workbench = Workbench::with_runs(&workspace, 130, 40);
    workbench.press("4 tab a r").write("seeds");
    workbench.press("enter");
    let plot = workbench.app.curves.plot().unwrap();
    let names: Vec<&str> = plot.curves.iter().map(|curve| curve.run.as_str()).collect();
    assert_eq!((names, plot.has_bands), (vec!["lr 0.2", "lr 0.1"], true));
    insta::assert_snapshot!(workbench.text());
    // A group is drawn or hidden as a whole.
    workbench.press("space");
    assert_eq!(workbench.app.curves.shown().len(), 3);
    workbench.press("r").write("no groups");
    workbench.press("enter");
    assert_eq!(workbench.app.curves.listed().len(), 5);
}

#[test]
fn a_pinned_run_is_counted_and_runs_that_are_gone_are_replaced() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("4 j p");
    assert!(workbench.text().contains("2 of 3 runs drawn"), "{}", workbench.text());
    // A session that names runs which are gone opens with those that are there.
    let mut again = Workbench::with_runs(&workspace, 120, 40);
    let mut snapshot = again.app.snapshot();
    snapshot.panes.curves.runs = Some(vec!["gone".to_owned()]);
    again.app.restore(&snapshot.map_pairs(|_| None));
    again.press("4");
    assert_eq!(again.app.curves.shown(), ["full-hybrid"]);
}

#[test]
fn the_table_is_filtered_sorted_and_has_the_columns_one_chooses() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    let listed = |workbench: &Workbench| workbench.app.training.listed().to_vec();
    workbench.press("3 /").write("level:full best-mrr>50");
    assert_eq!(listed(&workbench), ["full-hybrid"]);
    workbench.press("enter W").write("strong");
    workbench.press("enter");
    insta::assert_snapshot!("table_filtered", settled(&workbench.text()));
    workbench.press("esc");
    assert_eq!(listed(&workbench), ["full-hybrid", "first", "broken"]);
    workbench.press("F").write("strong");
    workbench.press("enter");
    assert_eq!(listed(&workbench), ["full-hybrid"]);
    workbench.press("esc s").write("name");
    workbench.press("enter");
    assert_eq!(listed(&workbench), ["broken", "first", "full-hybrid"]);
    workbench.press("S");
    assert_eq!(listed(&workbench), ["full-hybrid", "first", "broken"]);
    workbench.press("c").write("split");
    workbench.press("enter esc");
    let text = workbench.text();
    assert!(text.contains(" split") && text.contains("unmixed"), "{text}");
    // What is typed and is no filter changes nothing; a cancelled filter is undone.
    workbench.press("/").write("lr>fast");
    workbench.press("enter");
    assert_eq!(listed(&workbench).len(), 3);
    assert!(workbench.text().contains("`fast` in `lr>fast` is not a number"), "{}", workbench.text());
    workbench.press("/").write("state:failed");
    assert_eq!(listed(&workbench), ["broken"]);
    workbench.press("esc");
    assert_eq!(listed(&workbench).len(), 3);
    let snapshot = workbench.app.training.snapshot();
    assert_eq!(
        (snapshot.order.to_string(), &snapshot.columns[..2]),
        ("-name".to_owned(), &["state".to_owned(), "split".to_owned()][..])
    );
}

#[test]
fn rows_do_not_swap_under_the_cursor() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("3 s").write("loss");
    workbench.press("enter j");
    let before = (workbench.app.training.listed().to_vec(), workbench.app.training.run().map(str::to_owned));
    // The values change, and the order that was chosen before stays.
    for (place, name) in ["first", "full-hybrid", "broken"].iter().enumerate() {
        let run = RunDirectory::open(&workspace, &name.parse().unwrap()).unwrap();
        let mut status = run.status().unwrap();
        status.latest.insert("loss".to_owned(), place as f64);
        status.heartbeat = at(1000 - place as u64);
        run.lock().unwrap().write_status(&status).unwrap();
    }
    workbench.send(Msg::Tick(5000));
    workbench.send(Msg::Tick(9000));
    assert_eq!(workbench.app.host.runs.line("broken").unwrap().latest.loss, Some(2.0));
    let after = (workbench.app.training.listed().to_vec(), workbench.app.training.run().map(str::to_owned));
    assert_eq!(before, after);
    // Choosing the order again sorts by the new values.
    workbench.press("S S");
    assert_eq!(workbench.app.training.listed(), ["first", "full-hybrid", "broken"]);
}

#[test]
fn marked_runs_are_compared() {
    let (home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("3 =");
    assert!(workbench.text().contains("mark the runs to compare"), "{}", workbench.text());
    workbench.press("space j space =");
    insta::assert_snapshot!("comparison", workbench.text());
    let path = home.path().join("comparison.tex");
    workbench.press("e ctrl-u");
    workbench.send(Msg::Paste(path.display().to_string()));
    workbench.press("enter");
    assert!(std::fs::read_to_string(&path).unwrap().contains("\\toprule"), "{}", workbench.text());
    workbench.press("esc");
    assert!(workbench.app.training.comparison().is_none());
}

#[test]
fn a_log_is_read_searched_and_narrowed() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 80, 24);
    workbench.press("8 o").write("broken");
    workbench.press("enter");
    insta::assert_snapshot!(workbench.text());
    workbench.press("f");
    assert_eq!(workbench.app.log.lines().shown_count(), 3);
    workbench.press("f");
    assert_eq!(workbench.app.log.lines().shown_count(), 1);
    workbench.press("f /").write("NOT A");
    workbench.press("enter");
    assert_eq!(workbench.app.log.cursor(), 3);
    // Lines that the run writes while the log is open appear by themselves.
    let run = RunDirectory::open(&workspace, &"broken".parse().unwrap()).unwrap();
    run.lock().unwrap().log().unwrap().write(at(99), LogLevel::Info, "one more line").unwrap();
    workbench.send(Msg::Tick(5000));
    workbench.send(Msg::Tick(9000));
    assert!(workbench.text().contains("one more line"), "{}", workbench.text());
}

#[test]
fn the_form_checks_while_one_types_and_shows_the_command() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 100, 30);
    workbench.press("3 n");
    change(&mut workbench, "level", "l l");
    insta::assert_snapshot!(workbench.text());
    change(&mut workbench, "epochs", "");
    workbench.write("0");
    assert!(workbench.text().contains("`0` should be a whole number from 1"), "{}", workbench.text());
    workbench.press("backspace").write("15");
    workbench.press("enter");
    let text = workbench.text();
    assert!(text.contains("--preset tiny --level full --epochs 15 --detach"), "{text}");
    // In a text every letter is input, also those that are commands elsewhere.
    change(&mut workbench, "name", "");
    workbench.write("rhyzZ?: jk");
    let form = workbench.app.training.form().unwrap();
    assert_eq!(form.line().map(|line| line.text()), Some("rhyzZ?: jk"));
    workbench.press("ctrl-u").write("first");
    assert!(workbench.text().contains("the run first already exists"), "{}", workbench.text());
    workbench.press("esc down y");
    assert!(
        matches!(workbench.effects.last(), Some(Effect::Copy(text)) if text.as_str().contains("--epochs 15"))
    );
    assert!(Workbench::with_runs(&workspace, 20, 5).press("3 n").text().contains("preset"));
}

#[test]
fn leaving_a_changed_form_asks_and_the_name_is_a_change() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 100, 30);
    workbench.press("3 n esc");
    assert!(workbench.app.training.form().is_none(), "nothing was changed");
    workbench.press("n");
    change(&mut workbench, "name", "");
    workbench.write("mine");
    // The first undoes what was typed, the second leaves.
    workbench.press("esc");
    assert!(workbench.text().contains("run-1"), "{}", workbench.text());
    workbench.press("esc");
    assert!(workbench.app.training.form().is_none());
    workbench.press("n");
    change(&mut workbench, "name", "");
    workbench.write("mine");
    workbench.press("up down esc");
    assert!(workbench.text().contains("Discard it?"), "{}", workbench.text());
    workbench.press("n");
    assert!(workbench.app.training.form().unwrap().command().contains("--run mine "));
}

/// The key sequence that goes to a row of the form.
fn row_of(workbench: &Workbench, flag: &str) -> String {
    let form = workbench.app.training.form().unwrap();
    let is_it = |row: &crate::workbench::app::training::FormRow| form.about(*row).flag == flag;
    let place = form.rows().iter().position(is_it).unwrap_or_else(|| panic!("there is no row {flag}"));
    let (key, steps) = match place.checked_sub(form.place()) {
        Some(steps) => ("down ", steps),
        None => ("up ", form.place() - place),
    };
    key.repeat(steps)
}

/// Changes a row of the form, in whichever section it is.
fn change(workbench: &mut Workbench, flag: &str, keys: &str) {
    let form = workbench.app.training.form().unwrap();
    if !form.rows().iter().any(|row| form.about(*row).flag == flag) {
        workbench.press("Z");
    }
    let keys = format!("{}{keys}", row_of(workbench, flag));
    if !keys.is_empty() {
        workbench.press(keys.trim_end());
    }
}

#[test]
fn a_bert_begins_with_a_folder_that_is_looked_at_before_it_is_started() {
    let (home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("3 n");
    change(&mut workbench, "encoder", "l l");
    let text = workbench.text();
    assert!(text.contains("scratchbert needs initial weights"), "{text}");
    assert!(!text.contains("feed-forward") && text.contains("freeze"), "{text}");
    change(&mut workbench, "init", "");
    workbench.write("no-such-run");
    workbench.press("enter");
    assert!(workbench.text().contains("neither a folder nor a run"), "{}", workbench.text());
    workbench.press("ctrl-s");
    assert!(workbench.app.training.form().is_some(), "it is not started");
    // A folder of transformers, as pre-training writes it.
    let shape = crate::model::EncoderShape::bert_of(40, 2, 16, 2);
    let weights = crate::model::Weights::new(&shape, 1).unwrap();
    let folder = home.path().join("my bert");
    std::fs::create_dir(&folder).unwrap();
    for (name, bytes) in crate::model::bert::write(&weights).unwrap() {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let words: Vec<String> = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        .map(str::to_owned)
        .into_iter()
        .chain(('a'..='z').map(String::from))
        .collect();
    std::fs::write(folder.join("vocab.txt"), words.join("\n")).unwrap();
    change(&mut workbench, "init", "ctrl-u");
    workbench.write(&folder.display().to_string());
    workbench.press("enter");
    let text = workbench.text();
    assert!(text.contains("2 layers of width 16, 2 heads") && text.contains("of memory"), "{text}");
    change(&mut workbench, "freeze", "");
    workbench.write("3");
    assert!(
        workbench.text().contains("cannot freeze 3 layers of an encoder that has 2"),
        "{}",
        workbench.text()
    );
    workbench.press("backspace").write("1");
    workbench.press("enter");
    let command = workbench.app.training.form().unwrap().command();
    assert!(
        command.contains("--preset tiny --encoder scratchbert --init '")
            && command.contains("my bert' --freeze 1"),
        "{command}"
    );
    // Other sizes are another BERT's; an NPT has none of this.
    change(&mut workbench, "encoder", "h");
    let command = workbench.app.training.form().unwrap().command();
    assert_eq!(command, "matchbook train demo --run run-1 --preset tiny --encoder npt --detach");
}

#[test]
fn protected_symbols_devices_and_the_cluster_are_rows_where_they_matter() {
    let (home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 60);
    workbench.press("3 n");
    assert!(!workbench.text().contains("protected symbols by category"));
    change(&mut workbench, "level", "h");
    let file = home.path().join("mine.toml");
    change(&mut workbench, "protected", "");
    workbench.write(&file.display().to_string());
    workbench.press("enter");
    assert!(workbench.text().contains("mine.toml"), "{}", workbench.text());
    assert!(workbench.app.training.form().unwrap().problem(&workbench.app.host).is_some(), "it is not there");
    std::fs::write(&file, "\"*\" = [\"x\"]\n").unwrap();
    change(&mut workbench, "protected", "ctrl-u");
    workbench.write(&format!("{}", file.display()).replace("mine", "./mine"));
    workbench.press("enter");
    let form = workbench.app.training.form().unwrap();
    assert_eq!(form.problem(&workbench.app.host), None);
    assert!(form.command().contains("--level full+p --protected "), "{}", form.command());

    change(&mut workbench, "device", "l l");
    if !cfg!(feature = "cuda") {
        let text = workbench.text();
        assert!(text.contains("built without cuda"), "{text}");
    }
    workbench.press("h");
    change(&mut workbench, "where", "h");
    change(&mut workbench, "time", "");
    workbench.write("1 hour");
    assert!(workbench.text().contains("is not a valid time for a job"), "{}", workbench.text());
    workbench.press("ctrl-u").write("1:00:00");
    workbench.press("enter");
    let command = workbench.app.training.form().unwrap().command();
    assert!(command.ends_with("--device cpu --on slurm --time 1:00:00"), "{command}");
}

#[test]
fn the_form_offers_the_gpus_of_the_machine_and_warns_of_a_batch_that_does_not_fit() {
    let (home, workspace) = runs();
    // a build that supports them
    let config = home.path().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let program = home.path().join("matchbook-cuda");
    std::fs::write(&program, "").unwrap();
    std::fs::write(
        config.join("config.toml"),
        format!("[programs]\ncuda = {:?}\n", program.to_str().unwrap()),
    )
    .unwrap();
    let gpu = |number, model: &str, memory| FoundDevice {
        device: ComputeDevice::Cuda(vec![number]),
        info: DeviceInfo { model: model.to_owned(), memory: Some(memory), has_tf32: number == 0 },
    };
    let gpus = vec![gpu(0, "NVIDIA A100", 80_000_000_000), gpu(1, "Tesla T4", 330_000_000)];
    let mut workbench = Workbench::unstarted(demo_store(), 120, 60).with_workspace(workspace).with_gpus(gpus);
    workbench.start();
    workbench.press("3 n");
    change(&mut workbench, "device", "l l");
    let text = workbench.text();
    assert!(text.contains("cuda:0 NVIDIA A100, 80 GB; cuda:1 Tesla T4, 330 MB"), "{text}");
    assert!(text.contains("on cuda:0 (a rough guess)") && text.contains("of its memory"), "{text}");
    assert!(!text.contains("too large for"), "{text}");
    workbench.press("l");
    let text = workbench.text();
    assert!(text.contains("on cuda:1") && text.contains("too large for the 330 MB of cuda:1"), "{text}");
    workbench.press("l");
    let form = workbench.app.training.form().unwrap();
    assert_eq!(form.problem(&workbench.app.host), None);
    assert!(form.command().ends_with("--device 'cuda:0,1' --detach"), "{}", form.command());
    // a speed is that of its device: the runs here were trained on the processor
    workbench.press("h h h");
    assert!(!workbench.text().contains("a rough guess"), "{}", workbench.text());
}

#[test]
fn a_pre_training_is_started_from_the_form_too() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("3 n");
    change(&mut workbench, "task", "l");
    change(&mut workbench, "masked", "");
    workbench.write("2");
    assert!(workbench.text().contains("`2` should be a number above 0 and below 1"), "{}", workbench.text());
    workbench.press("backspace").write("0.15");
    workbench.press("enter");
    insta::assert_snapshot!(workbench.text());
    change(&mut workbench, "preset", "h");
    let command = workbench.app.training.form().unwrap().command();
    assert_eq!(command, "matchbook pretrain demo --run run-1 --preset base --detach");
}

#[test]
fn a_run_like_another_begins_with_its_settings() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("3 d");
    let text = workbench.text();
    assert!(text.contains("a copy of full-hybrid, on demo") && text.contains("full-hybrid-1"), "{text}");
    assert!(text.contains("--objective hybrid --level full+p --seed 7"), "{text}");
    assert!(text.contains("no estimate: another corpus is open"), "{text}");
}

#[test]
fn runs_are_renamed_noted_tagged_and_removed_after_a_question() {
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("3 N").write("looks good");
    workbench.press("enter #").write("paper, good");
    workbench.press("enter R ctrl-u").write("renamed");
    workbench.press("enter");
    let text = workbench.text();
    assert!(
        text.contains("looks good") && text.contains("#good #paper") && text.contains("renamed"),
        "{text}"
    );
    assert_eq!(workbench.app.training.run(), Some("renamed"));
    workbench.press("x");
    assert!(workbench.text().contains("Move the run renamed to the trash?"));
    workbench.press("n");
    assert_eq!(workbench.app.training.listed().len(), 3);
    workbench.press("x y");
    assert_eq!(workbench.app.training.listed().len(), 2);
    // An action that is not possible is reported.
    workbench.press(".");
    assert!(workbench.text().contains("nothing to stop"), "{}", workbench.text());
}

#[test]
fn a_run_is_matched_in_assignments_like_the_models_that_are_always_there() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("5 b b b b enter");
    let text = workbench.text();
    assert!(text.contains("demo-conservation") && text.contains("matched"), "{text}");
    let method = workbench.app.assignments.evaluation().unwrap().about.method.clone();
    assert!(method.starts_with("demo-conservation "), "{method}");
    workbench.press("B").write("dice");
    workbench.press("enter");
    assert_eq!(workbench.app.assignments.settings().method.to_string(), "dice");
    let (_home, workspace) = runs();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("3 a");
    assert_eq!(workbench.app.pane, PaneId::Assignments);
    let inquiry = workbench.app.assignments.settings();
    assert_eq!((inquiry.method.to_string(), inquiry.level.name()), ("full-hybrid".to_owned(), "full"));
    workbench.press("enter");
    assert!(workbench.text().contains("has no model yet"), "{}", workbench.text());
}

/// A newcomer sees the models of the demo, and not a run of the study; someone with runs sees the newest.
#[test]
fn the_models_of_the_demo_are_drawn_until_there_are_other_runs() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path().join("config"));
    crate::runs::built_in::install(&workspace).unwrap();
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    let curves = workbench.press("4").text();
    assert!(curves.contains("2 of 9 runs drawn"), "{curves}");
    assert!(["demo-conservation", "demo-full"].iter().all(|run| workbench.app.curves.is_shown(run)));
    let log = workbench.press("8").text();
    assert!(log.contains("✓ demo-"), "{log}");
    let table = workbench.press("3").text();
    assert!(table.contains("✓ study-…conservation-renamed"), "{table}");
}
