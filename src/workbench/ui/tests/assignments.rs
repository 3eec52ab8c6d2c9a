//! Assignments as people see it, on the demo.

use strum::VariantArray;

use super::{Workbench, picture};
use crate::{
    base::task::Progress,
    corpus::split::Part,
    matching::{decoders::Decoder, evaluation::LevelCell},
    symbols::Level,
    workbench::app::{
        Effect, Msg,
        assignments::{Effort, MatchSettings, Request, Response, Slot, StatementFilter, View},
        pane::PaneId,
        update,
        work::{self, PaneReply},
    },
    workbench::session::Session,
};

/// The pane with the demo's training part matched at full replacement, where much goes wrong.
fn matched(width: u16, height: u16) -> Workbench {
    let mut workbench = Workbench::demo(width, height);
    workbench.press("5 p l l enter");
    workbench
}

#[test]
fn levels_at_80_by_24() {
    insta::assert_snapshot!(picture(&Workbench::demo(80, 24).press("5 l l").buffer()));
}

#[test]
fn levels_at_120_by_40_and_at_20_by_5() {
    let wide = Workbench::demo(120, 40).press("5").text();
    let narrow = Workbench::demo(20, 5).press("5 l j").text();
    insta::assert_snapshot!(format!("{wide}\n{narrow}"));
}

/// The table has the numbers of the matchings that its cells open.
#[test]
fn a_cell_opens_its_matching() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("5 j l l");
    let pane = &workbench.app.assignments;
    let (row, column) = (pane.level_row().unwrap(), pane.level_column());
    let cell = pane.levels().table().cell(row, column).unwrap().clone();
    assert_eq!((row, pane.settings().level), (1, Level::FULL));
    workbench.press("enter");
    let pane = &workbench.app.assignments;
    let method = &pane.levels().table().rows[1].method;
    assert_eq!((pane.view(), &pane.settings().method.to_string()), (View::Statements, method));
    assert_eq!(LevelCell::of(pane.evaluation().unwrap()), cell);
    let table = workbench.press("esc").app.assignments.levels().table();
    assert!(table.rows.iter().all(|row| row.cells.iter().all(Option::is_some)), "the demo is immediate");
    let finding = table.finding().unwrap();
    assert!(finding.loser.full < finding.loser.conservation);
}

#[test]
fn statements_at_80_by_24() {
    insta::assert_snapshot!(picture(&matched(80, 24).press("f").buffer()));
}

#[test]
fn statements_at_120_by_40() {
    insta::assert_snapshot!(picture(&matched(120, 40).press("f f f").buffer()));
}

#[test]
fn statements_at_200_by_50() {
    insta::assert_snapshot!(picture(&matched(200, 50).press("f f f s s").buffer()));
}

#[test]
fn statements_at_20_by_5() {
    let mut workbench = matched(20, 5);
    let list = workbench.text();
    let texts = workbench.press("tab ctrl-d").text();
    insta::assert_snapshot!(format!("{list}\n{texts}"));
}

#[test]
fn contention_at_80_by_24() {
    insta::assert_snapshot!(picture(&matched(80, 24).press("t j").buffer()));
}

#[test]
fn contention_at_120_by_40() {
    insta::assert_snapshot!(matched(120, 40).press("t").text());
}

#[test]
fn the_map_at_120_by_40_and_inside_a_category() {
    let mut workbench = matched(120, 40);
    let whole = workbench.press("t t").text();
    let inside = workbench.press("enter").text();
    insta::assert_snapshot!(format!("{whole}\n{inside}"));
}

#[test]
fn small_screens_show_every_view() {
    let mut workbench = matched(20, 5);
    let mut screens = String::new();
    for _ in 0..4 {
        screens.push_str(&workbench.press("t").text());
        screens.push('\n');
    }
    insta::assert_snapshot!(screens);
}

#[test]
fn the_form_says_what_is_matched_and_what_was_matched_is_reopened() {
    let mut workbench = matched(120, 40);
    let expected = MatchSettings { part: Part::Train, level: Level::FULL, ..MatchSettings::default() };
    assert_eq!(*workbench.app.assignments.settings(), expected);
    let matched = workbench.app.assignments.evaluation().unwrap().clone();
    assert_eq!((matched.about.part.as_str(), matched.about.level.as_str()), ("train", "full"));
    workbench.press("b");
    assert_ne!(workbench.app.assignments.evaluation().unwrap().about.method, matched.about.method);
    while workbench.app.assignments.settings().method != expected.method {
        workbench.press("b");
    }
    assert_eq!(workbench.app.assignments.evaluation(), Some(&matched), "reopened without enter");
}

#[test]
fn filters_hold_what_they_say() {
    let mut workbench = matched(120, 40);
    for &shown in StatementFilter::VARIANTS {
        let pane = &workbench.app.assignments;
        let evaluation = pane.evaluation().unwrap();
        assert_eq!(pane.shown(), shown);
        let right =
            evaluation.verdicts.iter().filter(|verdict| shown.holds(verdict, pane.contention())).count();
        assert_eq!(pane.list().len(), right, "{}", shown.label());
        workbench.press("f");
    }
}

#[test]
fn statements_are_found_by_id_and_by_words() {
    let mut workbench = matched(120, 40);
    let all = workbench.app.assignments.list().len();
    workbench.press("/").write("demo.15#");
    let names = |workbench: &Workbench| {
        let pane = &workbench.app.assignments;
        let verdicts = &pane.evaluation().unwrap().verdicts;
        let shown = pane.list().in_sight(200).iter();
        shown.map(|statement| verdicts[*statement as usize].pair.clone()).collect::<Vec<_>>()
    };
    assert!(names(&workbench).iter().any(|name| name.starts_with("demo.15#")), "{:?}", names(&workbench));
    workbench.press("enter /").press("ctrl-u").write("compact hausdorff").press("enter");
    let found = names(&workbench);
    assert!(!found.is_empty() && found.len() < all, "{found:?}");
    workbench.press("esc");
    assert_eq!(workbench.app.assignments.list().len(), all);
}

#[test]
fn a_wanted_proof_leads_to_those_who_want_it() {
    let mut workbench = matched(120, 40);
    workbench.press("t enter");
    let pane = &workbench.app.assignments;
    let wanted = &pane.evaluation().unwrap().most_contested[0];
    assert_eq!((pane.view(), pane.list().len()), (View::Statements, wanted.statements.len()));
    assert!(pane.list().in_sight(200).iter().all(|statement| wanted.statements.contains(statement)));
}

#[test]
fn a_statement_leads_to_its_pair() {
    let mut workbench = matched(120, 40);
    workbench.press("j j");
    let chosen = workbench.app.assignments.verdict().unwrap().pair.clone();
    workbench.press("enter");
    assert_eq!((workbench.app.pane, workbench.pair()), (PaneId::Browse, chosen.clone()));
    workbench.press("5 c");
    let compared = workbench.app.compare.pair().unwrap().pair.id.to_string();
    assert_eq!((workbench.app.pane, compared), (PaneId::Compare, chosen));
}

#[test]
fn the_swap_chain_is_told_for_those_who_do_not_get_their_wish() {
    let mut workbench = matched(160, 50);
    workbench.press("f");
    assert!(!workbench.app.assignments.list().is_empty());
    let told: String = workbench
        .app
        .assignments
        .lines()
        .iter()
        .flat_map(|line| line.spans.iter().map(|span| span.text.as_str()).chain(["\n"]))
        .collect();
    assert!(
        told.contains("The statement prefers the proof of")
            && told.contains("1. ")
            && told.contains("In total -"),
        "{told}"
    );
}

/// A matching that runs can be watched and stopped, and its answer is then not wanted.
#[test]
fn a_matching_that_runs_is_watched_and_stopped() {
    let mut workbench = Workbench::demo(80, 24);
    workbench.holds = |request| matches!(request, work::Request::Assignments(_));
    workbench.press("5 t");
    let app = &mut workbench.app;
    let enter =
        |app: &mut _| update(app, Msg::Key(crate::workbench::app::key::parse_sequence("enter").unwrap()[0]));
    let asked = enter(app);
    let [
        Effect::Request {
            generation,
            request: work::Request::Assignments(Request::Evaluate { effort: Effort::Full, .. }),
        },
    ] = asked[..]
    else {
        panic!("{asked:?}")
    };
    let reply = |result| Msg::Reply(Box::new(PaneReply { slot: Slot::Evaluate, generation, result }.into()));
    let progress = Progress { step: "ranking", done: 3, total: 12 };
    update(app, reply(Ok(Response::Progress(progress))));
    assert_eq!(app.assignments.working(), Some(Some(progress)));
    let _ = update(app, Msg::Tick(5_000));
    let screen = workbench.text();
    assert!(screen.contains("ranking  25 %") && screen.contains("esc stops"), "{screen}");
    let app = &mut workbench.app;
    let stopped = update(app, Msg::Key(crate::workbench::app::key::parse_sequence("esc").unwrap()[0]));
    assert!(stopped.contains(&Effect::Cancel(Slot::Evaluate.into())), "{stopped:?}");
    assert_eq!(app.assignments.working(), None);
    update(app, reply(Ok(Response::Progress(progress))));
    update(app, reply(Err("stopped".to_owned())));
    assert!(app.assignments.working().is_none() && app.assignments.evaluation().is_none());
}

#[test]
fn a_session_comes_back_to_the_same_statement() {
    let mut workbench = matched(80, 24);
    workbench.press("f f f s j j J J");
    let snapshot = workbench.app.snapshot();
    assert!(
        snapshot.panes.assignments.statement.is_some() && snapshot.panes.assignments.scroll > 0,
        "{snapshot:?}"
    );
    let session = Session { workbench: snapshot.clone().map_pairs(|_| None), ..Session::default() };
    let written = session.to_toml().unwrap();
    let read = toml::from_str::<Session>(&written).unwrap().workbench;
    assert_eq!((read.pane, &read.panes.assignments), (PaneId::Assignments, &snapshot.panes.assignments));
    let before = workbench.text();
    workbench.app.restore(&snapshot);
    assert_eq!(workbench.app.assignments.snapshot(), snapshot.panes.assignments);
    // What was matched is asked for as soon as the pane is seen.
    workbench.start();
    assert_eq!(workbench.app.assignments.snapshot(), snapshot.panes.assignments);
    assert_eq!(workbench.text(), before);
}

/// What is compared and explained is the row under the cursor, in the list of contested proofs and on the map too.
#[test]
fn keys_act_on_the_row_under_the_cursor_in_every_view() {
    let mut workbench = matched(120, 40);
    workbench.hold_models();
    let compared = |workbench: &Workbench| workbench.app.compare.pair().unwrap().pair.id.to_string();
    workbench.press("t j j");
    let pane = &workbench.app.assignments;
    let evaluation = pane.evaluation().unwrap();
    let own = &evaluation.verdicts[evaluation.most_contested[2].proof as usize];
    let (name, row) = (own.pair.clone(), own.row);
    assert_ne!(pane.verdict().unwrap().pair, name, "the list of statements has a cursor of its own");
    workbench.press("c");
    assert_eq!((workbench.app.pane, compared(&workbench)), (PaneId::Compare, name));
    workbench.press("backspace i");
    assert_eq!((workbench.app.pane, workbench.app.importance.row()), (PaneId::Importance, Some(row)));
    workbench.press("backspace t c");
    assert_eq!(workbench.app.pane, PaneId::Assignments, "a category is no pair");
    assert!(workbench.text().contains("enter looks inside"), "{}", workbench.text());
    workbench.press("enter j");
    let pane = &workbench.app.assignments;
    let name = pane.map().groups[pane.map_place()].name.clone();
    assert!(workbench.text().contains(&format!(" 2 {name}")), "{}", workbench.text());
    workbench.press("c");
    assert_eq!((workbench.app.pane, compared(&workbench)), (PaneId::Compare, name));
}

/// Local decoding assigns nothing, so there is nothing that an assignment fixed or broke.
#[test]
fn filters_that_nothing_can_pass_are_left_out() {
    let mut workbench = matched(120, 40);
    workbench.press("f");
    assert_eq!(workbench.app.assignments.shown(), StatementFilter::Fixed);
    workbench.press("d d d");
    let mut seen = Vec::new();
    for _ in 0..4 {
        let pane = &workbench.app.assignments;
        assert!(pane.evaluation().is_some() && pane.settings().decoder == Decoder::Local);
        seen.push(pane.shown());
        workbench.press("f");
    }
    use StatementFilter::{All, Contested, Wrong};
    assert_eq!(seen, [All, Wrong, Contested, All]);
}

/// Every row of the table has its whole name, and bars of adjacent rows do not touch.
#[test]
fn levels_with_two_rankings_at_100_by_30() {
    let mut workbench = Workbench::demo(100, 30);
    let test = workbench.press("5 d").text();
    assert!(test.contains(" sinkhorn ") && test.contains(" MRR sinkhorn "), "{test}");
    let train = workbench.press("p enter esc").text();
    assert!(train.contains("trained on 249/249 "), "{train}");
    assert!(!train.contains('█'), "{train}");
    insta::assert_snapshot!(format!("{test}\n{train}"));
}
