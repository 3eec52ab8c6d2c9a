//! The views of Browse and Compare beside their panels: lengths, symbols, sources, prompts, a pair of one's own.

use super::{Workbench, demo_store, picture};
use crate::workbench::app::{
    Effect, Msg,
    browse::{self, Focus, TreeChoice},
    document::{Form, Role, Syntax},
    message::MouseEvent,
    pane::PaneId,
    work::Request,
};

const SIZES: [(u16, u16); 4] = [(80, 24), (120, 40), (200, 50), (20, 5)];

/// The same keys at every size, one picture below the other.
fn pictures(keys: &str) -> String {
    let shown = SIZES.map(|(width, height)| {
        let mut workbench = Workbench::demo(width, height);
        format!("{width} x {height}\n{}", picture(&workbench.press(keys).buffer()))
    });
    shown.join("\n")
}

#[test]
fn articles_below_their_category() {
    insta::assert_snapshot!(pictures("h j j l j j"));
}

#[test]
fn lengths() {
    insta::assert_snapshot!(pictures("r l l l L j h H"));
}

#[test]
fn symbols_of_a_pair() {
    insta::assert_snapshot!(pictures("m j"));
}

#[test]
fn a_pair_as_tex() {
    insta::assert_snapshot!(pictures("l t t"));
}

#[test]
fn a_pair_as_xhtml() {
    insta::assert_snapshot!(pictures("l T"));
}

#[test]
fn the_name_of_an_export() {
    insta::assert_snapshot!(pictures("space e"));
}

#[test]
fn a_pair_of_ones_own_being_typed() {
    insta::assert_snapshot!(pictures("2 E tab"));
}

const OWN: &str = "categories: math.PR\nLet $\\sigma_n$ and $x$ be given.\n---\nThen $\\sigma_n = x^2$.";

fn own(width: u16, height: u16) -> Workbench {
    let mut workbench = Workbench::demo(width, height);
    workbench.press("2");
    workbench.send(Msg::Paste(OWN.replace('\n', "\r")));
    workbench.press("ctrl-s");
    workbench
}

#[test]
fn a_pair_of_ones_own_compared() {
    let shown = SIZES.map(|(width, height)| picture(&own(width, height).press("tab p").buffer()));
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn an_article_of_the_tree_narrows_the_list() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("h j j l");
    let row = workbench.app.browse.tree.rows()[3].clone();
    assert!(row.code.starts_with("demo."), "{row:?}");
    workbench.press("j");
    let TreeChoice::Article { id, .. } = workbench.app.browse.tree.chosen() else {
        panic!("an article expected")
    };
    assert_eq!((&*row.code, row.pairs as usize), (id.as_str(), workbench.app.browse.list.len()));
    assert!(workbench.pair().starts_with(&id));
    // A session comes back to the article.
    let snapshot = workbench.app.snapshot();
    let mut restored = Workbench::unstarted(demo_store(), 120, 40);
    restored.app.restore(&snapshot);
    restored.start();
    assert_eq!((restored.app.snapshot(), restored.text()), (snapshot, workbench.text()));
    workbench.press("h h");
    assert_eq!(
        workbench.app.browse.tree.rows().len(),
        workbench.app.browse.tree.rows().iter().filter(|row| !row.code.starts_with("demo.")).count()
    );
}

#[test]
fn lengths_narrow_the_list_and_are_part_of_a_session() {
    let mut workbench = Workbench::demo(120, 40);
    let bars = |workbench: &Workbench| workbench.app.browse.histograms.statement.iter().sum::<u32>();
    workbench.press("r");
    assert_eq!(bars(&workbench), 311);
    workbench.press("L l");
    let shorter = workbench.app.browse.list.len();
    assert!(shorter > 0 && shorter < 311);
    assert_eq!(bars(&workbench), 311, "a range does not cut its own histogram");
    workbench.press("j j j H H H H H H H H enter");
    assert!(workbench.app.browse.list.len() < shorter);
    assert!(workbench.text().contains("statement ≥ 60 · proof ≤"), "{}", workbench.text());
    let snapshot = workbench.app.snapshot();
    let mut restored = Workbench::unstarted(demo_store(), 120, 40);
    restored.app.restore(&snapshot);
    restored.start();
    assert_eq!(restored.app.browse.list.len(), workbench.app.browse.list.len());
    workbench.press("esc");
    assert_eq!(workbench.app.browse.list.len(), 311);
}

#[test]
fn the_mouse_drags_the_end_of_a_range() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("r");
    let bars = workbench.app.browse.range_box().unwrap().rows[1].bars;
    workbench.mouse(MouseEvent::Press, bars.x + 10, bars.y).mouse(MouseEvent::Drag, bars.x + 20, bars.y);
    workbench.mouse(MouseEvent::Release, bars.x + 20, bars.y);
    let least = workbench.app.browse.ranges.proof.least.unwrap();
    assert!(least > 100 && workbench.app.browse.list.len() < 311, "{least}");
    workbench.mouse(MouseEvent::Press, 0, 39);
    assert!(workbench.app.browse.range_editor.is_none());
}

#[test]
fn the_chosen_symbol_is_lit_up_wherever_it_occurs() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("m");
    assert_eq!(workbench.app.browse.focus, Focus::Symbols);
    for form in [Form::Readable, Form::Linear] {
        workbench.app.browse.reader.form = form;
        workbench.press("j k");
        let row = workbench.app.browse.symbols.rows()[0];
        let lit: usize = workbench
            .app
            .browse
            .reader
            .lines()
            .iter()
            .flat_map(|line| &line.spans)
            .filter(|span| span.role == Role::Chosen)
            .map(|span| span.text.split_whitespace().count().max(1))
            .sum();
        assert_eq!(lit, row.statement + row.proof, "{form:?}");
    }
    workbench.press("n esc");
    assert!(!workbench.app.browse.symbols.is_open);
    assert!(!workbench.app.browse.reader.lines().iter().any(|line| line.has_hit()));
}

#[test]
fn sources_are_highlighted_and_searched() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("/").write("lemma").press("enter t t");
    let roles = |workbench: &Workbench| {
        let lines = workbench.app.browse.reader.lines();
        lines.iter().flat_map(|line| line.spans.clone()).map(|span| span.role).collect::<Vec<_>>()
    };
    assert!(roles(&workbench).contains(&Role::Syntax(Syntax::Command)));
    workbench.press("t");
    assert!(roles(&workbench).contains(&Role::Syntax(Syntax::Attribute)));
    assert!(workbench.app.browse.reader.lines().iter().any(|line| line.has_hit()));
    workbench.press("Y");
    let [Effect::Copy(command)] = &workbench.effects[..] else { panic!("a copy expected") };
    assert!(command.as_str().ends_with("--form xhtml"), "{command}");
}

#[test]
fn an_article_that_is_gone_is_said_to_be() {
    use crate::corpus::store::{PairSpans, Span, StoreWriter};
    let (mut article, pair) = demo_store().pair_at(0).unwrap().unwrap();
    article.source = "/nowhere/article.xhtml".to_owned();
    let mut writer = StoreWriter::in_memory().unwrap();
    let key = writer.add_article(&article).unwrap();
    let span = Some(Span { start: 0, end: 9 });
    writer.add_pair(key, &pair, PairSpans { statement: span, proof: span }).unwrap();
    let mut workbench = Workbench::on(writer.into_store().unwrap(), 120, 40);
    workbench.press("T");
    assert!(workbench.text().contains("the article no longer exists"), "{}", workbench.text());
}

#[test]
fn marked_pairs_are_written_and_nothing_is_replaced_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("e");
    assert!(workbench.text().contains("no pair is marked"));
    workbench.press("space j space");
    for name in ["marked.jsonl", "marked.csv", "marked.parquet", "marked.match", "marked.jsonl.zst"] {
        let path = folder.path().join(name);
        let before = workbench.effects.len();
        workbench.press("e ctrl-u");
        workbench.send(Msg::Paste(path.display().to_string()));
        workbench.press("enter");
        assert!(workbench.app.browse.export.is_none(), "{}", workbench.text());
        assert!(std::fs::metadata(&path).unwrap().len() > 0, "{name}");
        assert_eq!(workbench.effects.len(), before);
    }
    let path = folder.path().join("marked.csv");
    std::fs::write(&path, "mine").unwrap();
    workbench.press("e ctrl-u");
    workbench.send(Msg::Paste(path.display().to_string()));
    workbench.press("enter");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    assert!(workbench.app.host.notice().unwrap().text.contains("press enter again"));
    workbench.press("enter");
    assert_ne!(std::fs::read_to_string(&path).unwrap(), "mine");
    // A name that implies no format keeps the line open.
    workbench.press("e ctrl-u");
    workbench.send(Msg::Paste(folder.path().join("marked").display().to_string()));
    workbench.press("enter");
    assert!(workbench.app.host.notice().unwrap().is_error && workbench.app.browse.export.is_some());
    workbench.press("esc e enter");
    let asked = |effect: &Effect| matches!(effect, Effect::Request { request: Request::Browse(browse::Request::Export { target, .. }), .. } if target.path == "marked.jsonl");
    assert!(workbench.effects.iter().any(asked), "the suggested name");
}

#[test]
fn a_pasted_pair_is_compared_and_comes_back() {
    let mut workbench = own(120, 40);
    assert_eq!(workbench.app.pane, PaneId::Compare);
    assert!(workbench.app.compare.editor().is_none(), "{}", workbench.text());
    workbench.press("tab p");
    let text = workbench.text();
    assert!(text.contains("σ kept   protected") && text.contains("leaks 1 of 3: σ"), "{text}");
    workbench.press("Y");
    assert!(workbench.text().contains("has no command"));
    let snapshot = workbench.app.snapshot();
    let mut restored = Workbench::unstarted(demo_store(), 120, 40);
    restored.app.restore(&snapshot);
    restored.start();
    assert_eq!(restored.app.snapshot(), snapshot);
    // Editing begins with what is shown, and esc changes nothing.
    workbench.press("E");
    let (editor, _) = workbench.app.compare.editor().unwrap();
    assert!(editor.statement.text().starts_with("categories: math.PR\nLet $\\sigma_n$"), "{editor:?}");
    workbench.press("tab a b c esc");
    assert!(workbench.text().contains("will be lost"), "{}", workbench.text());
    workbench.press("y n");
    assert!(workbench.app.compare.row().is_some(), "n goes to the pairs of the list");
}

#[test]
fn a_pair_is_opened_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own pair.txt");
    std::fs::write(&path, OWN).unwrap();
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("2 o");
    workbench.send(Msg::Paste(path.display().to_string()));
    workbench.press("enter");
    assert!(workbench.text().contains("typed#1"), "{}", workbench.text());
    workbench.press("tab Y");
    let [Effect::Copy(command)] = &workbench.effects[..] else { panic!("a copy expected") };
    assert_eq!(command.as_str(), format!("matchbook compare '{}' --level full --seed 1", path.display()));
    workbench.press("o ctrl-u x enter");
    assert!(workbench.app.host.notice().unwrap().is_error);
    assert!(workbench.text().contains("typed#1"), "a file that is not there changes nothing");
    workbench.press("Y");
    assert_eq!(workbench.effects[0], workbench.effects[1]);
}
