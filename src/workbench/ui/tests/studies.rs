//! Studies as people see it, on runs that are made up but lie where real ones do.

use strum::VariantArray;

use super::{Workbench, demo_store, picture};
use crate::{
    base::{task::Task, workspace::Workspace},
    matching::{
        evaluation::{EvaluationInfo, EvaluationOptions, evaluate_scores},
        scores::Matrix,
    },
    runs::{RunDirectory, RunState, Status, Timestamp},
    study::{Plan, Preset, Study, StudyRequest},
    workbench::app::{
        Msg,
        pane::PaneId,
        studies::{Studies, StudiesSnapshot},
    },
};

/// A workspace in which the study `cross` is half done: the mixed half is trained and tested but for two runs.
struct Half {
    _folder: tempfile::TempDir,
    workspace: Workspace,
}

impl Half {
    fn new() -> Half {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(folder.path().join("work"), folder.path().join("config"));
        let store = demo_store();
        let request = StudyRequest::new(Study::Cross, Preset::Tiny);
        let plan = Plan::new(&request, &store, store.path(), &workspace).unwrap();
        for (place, run) in plan.runs.iter().enumerate().take(11) {
            let config = run.config().unwrap();
            let directory = RunDirectory::create(&workspace, &run.name, &config, Timestamp::now()).unwrap();
            let running = Status { step: 96, total_steps: Some(240), ..Status::running(Timestamp::now()) };
            let status = match place {
                9 => running,
                10 => Status {
                    state: RunState::Failed,
                    cause: Some("the loss is not a number".to_owned()),
                    ..running
                },
                _ => Status { state: RunState::Finished, ..running },
            };
            status.write(&directory.status_path()).unwrap();
        }
        for wanted in plan.evaluations().iter().filter(|wanted| wanted.run < 9) {
            let scores = made_up(wanted.run, wanted.level.to_string().len());
            let about = EvaluationInfo {
                level: wanted.level.to_string(),
                part: wanted.part.name().to_owned(),
                fingerprint: plan.runs[wanted.run].corpus.fingerprint.clone(),
                ..EvaluationInfo::default()
            };
            let options = EvaluationOptions { k: 12, ..EvaluationOptions::default() };
            let found = evaluate_scores(&scores, &[], about, &options, &Task::unobserved()).unwrap();
            found.evaluation.save(&wanted.path(&plan, &workspace)).unwrap();
        }
        Half { _folder: folder, workspace }
    }

    fn workbench(&self, width: u16, height: u16) -> Workbench {
        let workbench = Workbench::unstarted(demo_store(), width, height);
        let mut workbench = workbench.with_workspace(self.workspace.clone());
        workbench.start();
        workbench.app.studies.restore(&Default::default());
        workbench.press("7 ] ]");
        workbench
    }
}

/// Scores of twelve pairs, of which some are found.
fn made_up(run: usize, salt: usize) -> Matrix {
    let score = |row: usize, column: usize| {
        let noise = (row * 31 + column * 17 + run * 7 + salt * 5) % 23;
        noise as f32 / 23.0 + if row == column { 0.45 } else { 0.0 }
    };
    let rows: Vec<Vec<f32>> = (0..12).map(|row| (0..12).map(|column| score(row, column)).collect()).collect();
    Matrix::new(&rows)
}

#[test]
fn a_study_half_done_at_four_sizes() {
    let half = Half::new();
    for (width, height) in [(80, 24), (120, 40), (200, 50), (20, 5)] {
        let mut workbench = half.workbench(width, height);
        insta::assert_snapshot!(format!("half_done_{width}x{height}"), workbench.press("j l l").text());
    }
}

#[test]
fn differences_have_signs_and_colours() {
    let half = Half::new();
    insta::assert_snapshot!(picture(&half.workbench(120, 24).press("t l").buffer()));
}

#[test]
fn the_grid_fills_up_while_somebody_trains() {
    let half = Half::new();
    let mut workbench = half.workbench(120, 40);
    assert!(workbench.text().contains("9 of 24 runs"), "{}", workbench.text());
    let run = workbench.app.studies.picture().unwrap().plan.runs[9].name.clone();
    let directory = RunDirectory::open(&half.workspace, &run).unwrap();
    let status = directory.status().unwrap();
    Status { state: RunState::Finished, ..status }.write(&directory.status_path()).unwrap();
    workbench.send(Msg::Tick(500));
    assert!(workbench.text().contains("9 of 24 runs"), "it looks once a second");
    workbench.send(Msg::Tick(3_000));
    assert!(workbench.text().contains("10 of 24 runs"), "{}", workbench.text());
}

#[test]
fn without_runs_every_study_says_how_it_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(folder.path().join("work"), folder.path().join("config"));
    let mut workbench = Workbench::unstarted(demo_store(), 120, 40).with_workspace(workspace);
    workbench.start();
    workbench.app.studies.restore(&Default::default());
    workbench.press("7");
    for &study in Study::VARIANTS {
        let text = workbench.text();
        assert!(text.contains(&format!("matchbook study {study} demo")), "{text}");
        workbench.press("]");
    }
    assert_eq!(workbench.app.studies.study(), Study::Main);
    assert_eq!(workbench.app.pane, PaneId::Studies);
}

#[test]
fn a_study_that_cannot_be_planned_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(folder.path().join("work"), folder.path().join("config"));
    // where the part of a category would be kept there is a file
    std::fs::create_dir_all(workspace.root()).unwrap();
    std::fs::write(workspace.root().join("corpora"), "").unwrap();
    let mut workbench = Workbench::unstarted(demo_store(), 80, 24).with_workspace(workspace);
    workbench.start();
    workbench.app.studies.restore(&Default::default());
    let text = workbench.press("7 ] ] ]").text();
    assert!(text.contains("protected") && text.contains("corpora"), "{text}");
    assert!(!text.contains("reading the runs"), "{text}");
    assert!(workbench.press("]").text().contains("0 of 3 runs"), "{}", workbench.text());
}

#[test]
fn a_cell_leads_to_the_curves_of_its_runs() {
    let half = Half::new();
    let mut workbench = half.workbench(120, 40);
    workbench.press("enter");
    assert_eq!(workbench.app.pane, PaneId::Curves);
    let shown = workbench.app.curves.shown().to_vec();
    let names: Vec<String> = workbench.app.studies.runs_with_curves();
    assert!(shown.len() == 3 && shown == names, "{shown:?}");
    // the last row of the mixed half has one run that trains, one that failed, and one that is not there
    workbench.press("7 j j j enter");
    assert_eq!(workbench.app.curves.shown().len(), 2);
    workbench.press("7 G enter");
    assert_eq!(workbench.app.pane, PaneId::Studies, "{}", workbench.text());
    assert!(workbench.text().contains("no run of this cell has started"), "{}", workbench.text());
}

#[test]
fn runs_with_other_settings_are_named_and_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(folder.path().join("work"), folder.path().join("config"));
    let store = demo_store();
    let request = StudyRequest { epochs: Some(2), ..StudyRequest::new(Study::Cross, Preset::Tiny) };
    let plan = Plan::new(&request, &store, store.path(), &workspace).unwrap();
    for run in &plan.runs {
        RunDirectory::create(&workspace, &run.name, &run.config().unwrap(), Timestamp::now()).unwrap();
    }
    let half = Half { _folder: folder, workspace };
    let text = half.workbench(120, 40).text();
    assert!(text.contains("0 of 24 runs") && text.contains("24 with other settings"), "{text}");
    assert!(
        text.contains("3 similar runs have other settings and are not counted: epochs 2, not 30"),
        "{text}"
    );
}

#[test]
fn a_scratchbert_waits_for_its_pretraining() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(folder.path().join("work"), folder.path().join("config"));
    let store = demo_store();
    let plan =
        Plan::new(&StudyRequest::new(Study::Input, Preset::Tiny), &store, store.path(), &workspace).unwrap();
    let first = plan.runs.iter().find(|run| run.is_pretraining()).unwrap();
    let directory =
        RunDirectory::create(&workspace, &first.name, &first.config().unwrap(), Timestamp::now()).unwrap();
    let running = Status { step: 30, total_steps: Some(120), ..Status::running(Timestamp::now()) };
    running.write(&directory.status_path()).unwrap();
    let mut workbench = Workbench::unstarted(demo_store(), 120, 40).with_workspace(workspace);
    workbench.start();
    workbench.app.studies.restore(&Default::default());
    let text = workbench.press("7 ] G").text();
    assert!(text.contains("waiting for the pre-training, 25 %"), "{text}");
    assert!(text.contains("▶ running 25 % study-scratchbert-pretraining-mixed-seed1-"), "{text}");
    let failed = Status { state: RunState::Failed, cause: Some("the disk is full".to_owned()), ..running };
    failed.write(&directory.status_path()).unwrap();
    workbench.send(Msg::Tick(3_000));
    assert!(workbench.text().contains("the pre-training failed: the disk is full"), "{}", workbench.text());
}

#[test]
fn the_table_is_written_in_every_format() {
    let half = Half::new();
    let mut workbench = half.workbench(120, 40);
    workbench.press("e");
    let folder = half.workspace.root().join("studies");
    for ending in ["md", "tex", "csv", "json", "html"] {
        assert!(folder.join(format!("cross.{ending}")).exists(), "{ending}");
    }
}

#[test]
fn a_session_remembers_where_one_was() {
    let half = Half::new();
    let mut workbench = half.workbench(120, 40);
    workbench.press("j j l t");
    let snapshot = workbench.app.studies.snapshot();
    assert_eq!(
        (snapshot.study.as_str(), snapshot.row, snapshot.column, snapshot.differences),
        ("cross", 2, 1, true)
    );
    let mut again = Studies::default();
    again.restore(&snapshot);
    assert_eq!(again.snapshot(), snapshot);
    again.restore(&StudiesSnapshot { study: "gone".to_owned(), ..snapshot });
    assert_eq!(again.study(), Study::Main);
}

/// A group of columns of which one is in sight has a short name, not one that is cut.
#[test]
fn names_of_levels_are_not_cut() {
    let half = Half::new();
    let mut workbench = half.workbench(64, 24);
    let mut names = String::new();
    for _ in 0..8 {
        let text = workbench.press("l").text();
        let line = text.lines().find(|line| line.contains("Full")).unwrap_or_else(|| panic!("{text}"));
        names.push_str(line);
    }
    assert!(!names.contains('…'), "{names}");
    assert!(names.contains("Cons.") && names.contains("Trans."), "{names}");
}
