//! One selection: a pair, a level and a model through the panes and back, and the tour.

use super::{Workbench, picture};
use crate::{
    symbols::LevelName,
    workbench::app::{Msg, assignments::View, message::MouseEvent, pane::PaneId, tour::TourStep},
};

fn compared(workbench: &Workbench) -> String {
    workbench.app.compare.pair().unwrap().pair.id.to_string()
}

#[test]
fn one_lemma_from_browse_through_the_panes_and_back() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("5 enter j j j");
    let chosen = workbench.app.assignments.verdict().unwrap().pair.clone();
    workbench.press("1");
    assert_eq!(workbench.pair(), chosen);
    workbench.press("2");
    assert_eq!(compared(&workbench), chosen);
    workbench.press("1 j 2");
    let next = compared(&workbench);
    assert_ne!(next, chosen);
    workbench.press("backspace");
    assert_eq!((workbench.app.pane, workbench.pair()), (PaneId::Browse, next));
    workbench.press("backspace backspace backspace");
    assert_eq!(
        (workbench.app.pane, workbench.app.assignments.verdict().unwrap().pair.clone()),
        (PaneId::Assignments, chosen)
    );
}

#[test]
fn a_level_and_a_model_are_the_same_in_every_pane() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.hold_models();
    workbench.press("5");
    while workbench.app.assignments.settings().method.to_string() != "demo-conservation" {
        workbench.press("b");
    }
    workbench.press("l l enter i");
    let query = workbench.app.importance.query();
    assert_eq!((query.model.as_str(), LevelName::from(query.level)), ("demo-conservation", LevelName::Full));
    assert_eq!(query.against, "demo-full");
    workbench.press("2");
    assert_eq!(workbench.app.compare.columns()[workbench.app.compare.focus()].level, LevelName::Full);
    workbench.press("space 5");
    assert_eq!(workbench.app.assignments.settings().level.name(), "transposition");
}

/// A search, a filter or a part that was changed later is as it was when the pane was left.
#[test]
fn going_back_restores_search_and_part() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("/").write("compact");
    workbench.press("enter j c");
    let (found, pair) = (workbench.app.browse.list.len(), compared(&workbench));
    workbench.press("1 esc");
    assert!(workbench.app.browse.list.len() > found);
    workbench.press("5 p u enter /").write("demo");
    workbench.press("enter c 5 p esc");
    let settings = workbench.app.assignments.settings().clone();
    assert_ne!(settings.part, crate::corpus::split::Part::Train);
    workbench.press("backspace backspace");
    assert_eq!(workbench.app.pane, PaneId::Assignments);
    let assignments = &workbench.app.assignments;
    assert_eq!(assignments.settings().part, crate::corpus::split::Part::Train);
    assert_eq!(assignments.search().text, "demo");
    workbench.press("backspace backspace");
    assert_eq!((workbench.app.pane, compared(&workbench)), (PaneId::Compare, pair.clone()));
    workbench.press("backspace");
    assert_eq!(workbench.app.browse.search_text, "compact");
    assert_eq!((workbench.app.browse.list.len(), workbench.pair()), (found, pair));
}

#[test]
fn a_pinned_pane_says_so_and_stays() {
    let mut workbench = Workbench::demo(80, 24);
    workbench.press("c P");
    let pinned = compared(&workbench);
    assert!(workbench.text().contains("pinned"));
    workbench.press("1 j j 2");
    assert_eq!(compared(&workbench), pinned);
    workbench.press("P");
    assert!(!workbench.text().contains("pinned"));
    assert_ne!(compared(&workbench), pinned);
}

#[test]
fn a_pair_of_another_part_is_said_to_be_elsewhere() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("5 enter");
    let rows: Vec<u32> =
        workbench.app.assignments.evaluation().unwrap().verdicts.iter().map(|verdict| verdict.row).collect();
    let other = (1..).find(|row| !rows.contains(row)).unwrap();
    workbench.press("1");
    for _ in 0..other {
        workbench.press("j");
    }
    workbench.press("5");
    assert!(workbench.text().contains("not in this part"), "{}", workbench.text());
    workbench.press("j");
    assert!(!workbench.text().contains("not in this part"));
}

#[test]
fn the_tour_at_80_by_24() {
    let mut workbench = Workbench::demo(80, 24);
    workbench.hold_models();
    workbench.app.start_tour(true);
    let mut screens = String::new();
    for key in ["enter", "enter", "enter", "enter", "enter", "enter"] {
        screens.push_str(&workbench.text());
        workbench.press(key);
    }
    screens.push_str(&picture(&workbench.buffer()));
    insta::assert_snapshot!(screens);
    assert_eq!(workbench.app.tour().unwrap().step(), TourStep::End);
    workbench.press("enter");
    assert!(workbench.app.tour().is_none());
    assert_eq!((workbench.app.pane, workbench.app.assignments.view()), (PaneId::Assignments, View::Levels));
}

#[test]
fn a_problem_of_the_start_stays_below_the_first_card_and_is_shown_after_the_tour() {
    let mut workbench = Workbench::demo(80, 24);
    workbench.hold_models();
    workbench.app.host.report_error("config.toml: a problem");
    workbench.app.start_tour(true);
    workbench.send(Msg::Tick(600_000));
    assert!(workbench.text().lines().nth(23).unwrap().contains("config.toml: a problem"));
    workbench.press("enter");
    assert!(!workbench.text().contains("a problem"));
    workbench.press("esc");
    assert!(workbench.text().contains("a problem"));
    workbench.send(Msg::Tick(620_000));
    assert!(!workbench.text().contains("a problem"));
}

/// The question and the numbers of the demo are on the first card; the finding is there once, and not cut.
#[test]
fn the_first_and_the_last_card_state_the_finding() {
    let mut workbench = Workbench::demo(80, 24);
    workbench.hold_models();
    workbench.app.start_tour(true);
    workbench.send(Msg::Tick(1));
    let words = |workbench: &mut Workbench| workbench.text().split_whitespace().collect::<Vec<_>>().join(" ");
    let first = words(&mut workbench);
    assert!(
        first.contains(
            "A trained model finds 90 % of the test proofs, but only 39 % once symbols are renamed."
        ),
        "{first}"
    );
    assert!(first.contains("? help : palette"), "{first}");
    workbench.press("enter enter");
    let levels = words(&mut workbench);
    assert_eq!(levels.matches("of the proofs as they were written").count(), 1, "{levels}");
    assert!(levels.contains("▌demo-conservation"), "the method in question is selected: {levels}");
    workbench.press("enter enter enter enter");
    let last = words(&mut workbench);
    assert!(last.contains("The first went by symbol names, not by the mathematics."), "{last}");
}

#[test]
fn a_tour_in_between_leaves_everything_as_it_was() {
    let mut workbench = Workbench::demo(100, 30);
    workbench.hold_models();
    workbench.press("j j c a");
    let before = workbench.app.snapshot();
    workbench.press(":").write("tour").press("enter");
    assert!(workbench.app.tour().is_some());
    workbench.press("c 5 left esc");
    assert!(workbench.app.tour().is_none());
    assert_eq!(workbench.app.snapshot(), before);
}

#[test]
fn a_tour_on_a_tiny_screen_is_survived() {
    for (width, height) in [(1, 1), (20, 5), (40, 8), (200, 60)] {
        let mut workbench = Workbench::demo(width, height);
        workbench.hold_models();
        workbench.app.start_tour(true);
        for _ in 0..8 {
            workbench.buffer();
            workbench.press("enter");
        }
        assert!(workbench.app.tour().is_none());
    }
}

#[test]
fn a_presentation_has_margins_and_shows_the_pressed_key() {
    let mut workbench = Workbench::demo(100, 30);
    workbench.app.present(true);
    let lines: Vec<String> = workbench.press("j").text().lines().map(str::to_owned).collect();
    assert!(lines[0].is_empty() && lines.iter().all(|line| line.is_empty() || line.starts_with("    ")));
    assert!(lines[28].trim_end().ends_with(" j"), "{}", lines[28]);
    assert!(lines[28].contains("? help"));
    workbench.send(Msg::Tick(5_000));
    assert!(!workbench.text().lines().nth(28).unwrap().trim_end().ends_with(" j"));
    workbench.app.present(false);
    assert!(workbench.text().starts_with(" 1 Browse"));
}

/// The tour with the demo's models: one pair through its steps, which each named key shows as it does outside the tour.
#[test]
fn the_tour_keeps_its_pair_and_its_keys_do_what_they_do_outside() {
    let mut workbench = Workbench::demo(100, 30);
    workbench.app.start_tour(true);
    workbench.send(Msg::Tick(1));
    workbench.press("enter");
    let pair = compared(&workbench);
    let replaced = workbench.text();
    assert!(!replaced.lines().any(|line| line.contains(" i → ") || line.contains(" d → ")), "{replaced}");
    workbench.press("5 t");
    let pane = &workbench.app.assignments;
    assert_eq!(pane.row(), workbench.app.selection.current.row, "its proof is among the contested ones");
    assert!(workbench.app.tour_text().unwrap().contains(&pair));
    let method = pane.settings().method.to_string();
    workbench.press("i");
    let importance = &workbench.app.importance;
    assert_eq!(importance.row(), workbench.app.selection.current.row);
    assert_eq!(LevelName::from(importance.query().level), LevelName::Conservation);
    assert_eq!(importance.query().model, method);
    let text = workbench.app.tour_text().unwrap();
    assert!(text.contains(&pair) && text.contains("conservation"), "{text}");
    for panel in importance.panels() {
        assert_eq!(panel.ranking().unwrap().rank, 1);
    }
    let cursor = importance.cursor();
    workbench.press("x");
    let dropped = workbench.app.importance.edit().clone();
    assert!(!dropped.is_empty());
    assert_eq!(workbench.app.importance.cursor(), cursor);
    assert!(workbench.app.importance.drop_sentence().is_some());
    workbench.press("left esc");
    assert!(workbench.app.tour().is_none());
    assert!(workbench.app.importance.edit().is_empty());
    workbench.press("x");
    assert_eq!(*workbench.app.importance.edit(), dropped);
}

/// A click stands for a key: the tab that the step names leads on, and other clicks do nothing.
#[test]
fn clicks_during_the_tour_are_those_of_its_keys() {
    let mut workbench = Workbench::demo(100, 30);
    workbench.hold_models();
    workbench.app.start_tour(true);
    let tabs = workbench.text().lines().next().unwrap().to_owned();
    let column = |name: &str| tabs[..tabs.find(name).unwrap()].chars().count() as u16;
    let at = |workbench: &Workbench| (workbench.app.tour().unwrap().step(), workbench.app.pane);
    workbench.mouse(MouseEvent::Press, column("Compare"), 0).mouse(MouseEvent::Press, column("Find"), 0);
    assert_eq!(at(&workbench), (TourStep::Browse, PaneId::Browse));
    workbench.press("enter").mouse(MouseEvent::Press, column("Assign"), 0);
    assert_eq!(at(&workbench), (TourStep::Levels, PaneId::Assignments));
    let before = workbench.app.assignments.settings().clone();
    workbench.mouse(MouseEvent::Press, 40, 5).mouse(MouseEvent::WheelDown, 40, 5);
    assert_eq!(*workbench.app.assignments.settings(), before);
}
