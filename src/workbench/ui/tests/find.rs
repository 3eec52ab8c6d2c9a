//! Find as people see it.

use super::{Workbench, demo_store, picture};
use crate::workbench::app::{Msg, find::Subject, importance::PairName, pane::PaneId};

const STATEMENT: &str = "If the ring $R$ is Noetherian, then the polynomial ring $R[X]$ is Noetherian.";

fn searched(width: u16, height: u16) -> Workbench {
    let mut workbench = Workbench::demo(width, height);
    workbench.press("9 /");
    workbench.send(Msg::Paste(STATEMENT.to_owned()));
    workbench
}

fn found(workbench: &Workbench) -> String {
    workbench.app.find.chosen_result().map_or(String::new(), |found| found.id.to_string())
}

#[test]
fn find_at_120_by_40() {
    let mut workbench = searched(120, 40);
    workbench.press("enter");
    insta::assert_snapshot!(picture(&workbench.buffer()));
}

#[test]
fn find_at_80_by_24() {
    insta::assert_snapshot!(searched(80, 24).text());
}

#[test]
fn find_in_both_sides() {
    let mut screens = String::new();
    for (width, height) in [(80, 24), (120, 12), (40, 12)] {
        let mut workbench = searched(width, height);
        workbench.press("enter d d d");
        screens.push_str(&workbench.text());
    }
    insta::assert_snapshot!(screens);
}

#[test]
fn a_pasted_statement_is_searched_whole_or_refused() {
    let mut workbench = Workbench::demo(120, 12);
    let long = format!("{STATEMENT} {}", "It is not trivial. ".repeat(300));
    workbench.press("9").send(Msg::Paste(long.clone()));
    let subject = workbench.app.find.query().subject.clone();
    assert_eq!(subject, Some(Subject::Typed(long.trim().to_owned())));
    workbench.press("esc");
    let before = workbench.app.find.query().subject.clone();
    workbench.send(Msg::Paste(STATEMENT.repeat(10_000)));
    assert!(
        workbench.text().contains("the text is too long: 770,000 bytes (maximum 65,536)"),
        "{}",
        workbench.text()
    );
    assert_eq!(workbench.app.find.query().subject, before);
}

#[test]
fn find_before_anything_is_searched() {
    let mut screens = String::new();
    for (width, height) in [(80, 24), (20, 5)] {
        screens.push_str(&Workbench::demo(width, height).press("9").text());
    }
    insta::assert_snapshot!(screens);
}

#[test]
fn results_follow_every_letter_and_lead_to_the_other_panes() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("9 /").write("noetherian");
    let first = found(&workbench);
    workbench.write(" polynomial rings are noetherian rings");
    assert!(!first.is_empty() && !found(&workbench).is_empty(), "{}", workbench.text());
    workbench.press("enter down");
    let chosen = found(&workbench);
    workbench.press("enter");
    assert_eq!((workbench.app.pane, workbench.pair()), (PaneId::Browse, chosen));
    workbench.press("9 c");
    assert_eq!(workbench.app.pane, PaneId::Compare);
    workbench.press("9");
    assert!(workbench.text().contains("in pairs"), "{}", workbench.text());
    workbench.press("d d");
    assert!(workbench.text().contains("in statements"), "{}", workbench.text());
    workbench.press("d d m");
    assert!(!workbench.app.find.results().pairs.is_empty(), "{}", workbench.text());
    workbench.press("esc");
    assert!(workbench.app.find.results().pairs.is_empty());
}

#[test]
fn a_typed_statement_is_explained_with_the_proof_that_was_found() {
    let mut workbench = searched(120, 40);
    workbench.hold_models();
    workbench.press("enter i");
    assert_eq!(workbench.app.pane, PaneId::Importance);
    let row = workbench.app.find.chosen_result().unwrap().row;
    let expected = PairName::Typed { statement: STATEMENT.to_owned(), row };
    assert_eq!(workbench.app.importance.pair(), Some(&expected));
}

#[test]
fn a_pair_of_browse_is_searched_with() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("F");
    assert_eq!(workbench.app.pane, PaneId::Find);
    assert!(matches!(workbench.app.find.query().subject, Some(Subject::Row(_))));
    assert!(workbench.text().contains("gold proof: rank"), "{}", workbench.text());
    workbench.press("down l");
    assert!(!workbench.app.find.results().pairs.is_empty());
}

#[test]
fn what_cannot_be_searched_says_why() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("9 /").write("zzxqj");
    assert!(workbench.text().contains("nothing in common"), "{}", workbench.text());
    // Back to the search before, with the selected pair, and then to none.
    workbench.press("esc");
    assert!(!workbench.app.find.results().pairs.is_empty(), "{}", workbench.text());
    workbench.press("esc");
    assert!(workbench.text().contains("to type or paste a statement"), "{}", workbench.text());
}

#[test]
fn a_session_keeps_the_search() {
    let mut workbench = searched(120, 40);
    workbench.press("enter d");
    let snapshot = workbench.app.snapshot();
    let mut other = Workbench::demo(120, 40);
    other.app.restore(&snapshot);
    other.press("down");
    assert_eq!(other.app.find.query(), workbench.app.find.query());
    assert_eq!(other.app.snapshot().panes.find, snapshot.panes.find);
}

#[test]
fn near_duplicates_are_listed_and_opened() {
    use crate::corpus::store::{PairSpans, StoreWriter};
    let mut writer = StoreWriter::in_memory().unwrap();
    let (article, first) = demo_store().pair_at(0).unwrap().unwrap();
    let (_, mut second) = demo_store().pair_at(1).unwrap().unwrap();
    second.proof = first.proof.clone();
    let key = writer.add_article(&article).unwrap();
    for pair in [&first, &second] {
        writer.add_pair(key, pair, PairSpans::default()).unwrap();
    }
    let mut workbench = Workbench::on(writer.into_store().unwrap(), 120, 40);
    workbench.press("9 D");
    assert!(workbench.text().contains("in proofs · 1 near-duplicate"), "{}", workbench.text());
    assert!(workbench.text().contains(&format!("≈ {}: Proof", first.id)), "{}", workbench.text());
    workbench.press("enter");
    assert_eq!(workbench.app.pane, PaneId::Browse);
    assert!(workbench.text().contains(&second.id.to_string()), "{}", workbench.text());
    workbench.press("9 d");
    assert!(
        workbench.text().contains("no text is a near-duplicate of an earlier one"),
        "{}",
        workbench.text()
    );
}

/// The selection is searched with, wherever it was made, until the user searches with something else.
#[test]
fn find_follows_the_selection_unless_the_user_has_searched() {
    let mut workbench = Workbench::demo(120, 40);
    let subject = |workbench: &Workbench| workbench.app.find.query().subject.clone();
    workbench.press("9");
    assert_eq!(subject(&workbench), Some(Subject::Row(0)));
    workbench.press("5 enter j j");
    let chosen = workbench.app.assignments.row().unwrap();
    workbench.press("9");
    assert_eq!(subject(&workbench), Some(Subject::Row(chosen)));
    // One result after the other can be opened.
    workbench.press("j c 9");
    assert_eq!(subject(&workbench), Some(Subject::Row(chosen)));
    workbench.press("1 j 9");
    assert_eq!(subject(&workbench), workbench.app.browse.reader.row().map(Subject::Row));
    workbench.press("P 1 j 9");
    assert_ne!(subject(&workbench), workbench.app.browse.reader.row().map(Subject::Row), "pinned");
    workbench.press("P /").write("compact").press("enter 1 j 9");
    assert_eq!(subject(&workbench), Some(Subject::Typed("compact".to_owned())));
    workbench.press("esc 1 9");
    assert_eq!(subject(&workbench), workbench.app.browse.reader.row().map(Subject::Row));
}
