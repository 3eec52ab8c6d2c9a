//! What keys and mouse do in Browse.

use super::{Workbench, demo_store};
use crate::workbench::app::{
    Effect, Msg,
    area::Size,
    browse::{Focus, TreeChoice},
    message::MouseEvent,
};

#[test]
fn moving_down_the_list_reads_the_next_pair() {
    let mut workbench = Workbench::demo(120, 40);
    assert_eq!(workbench.pair(), "demo.01#1");
    assert_eq!(workbench.press("j down").pair(), "demo.01#3");
    assert_eq!(workbench.press("G").app.browse.list.cursor(), workbench.app.browse.list.len() - 1);
    assert_eq!(workbench.press("g g").pair(), "demo.01#1");
}

#[test]
fn a_category_narrows_the_list() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("h j j");
    let TreeChoice::Category(code) = workbench.app.browse.tree.chosen() else {
        panic!("a category expected")
    };
    let row = &workbench.app.browse.tree.rows()[2];
    assert_eq!((&*row.code, row.pairs as usize), (code.as_str(), workbench.app.browse.list.len()));
    workbench.press("enter");
    assert_eq!(workbench.app.browse.focus, Focus::List);
    workbench.press("h k k");
    assert_eq!(workbench.app.browse.list.len(), 311);
}

#[test]
fn searching_follows_every_letter_and_can_be_undone() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("/").write("hausdorff");
    let found = workbench.app.browse.list.len();
    assert!(found > 0 && found < 100, "{found}");
    assert!(workbench.app.browse.reader.lines().iter().any(|line| line.has_hit()));
    workbench.press("esc");
    assert_eq!(workbench.app.browse.list.len(), 311);
    workbench.press("/").write("hausdorff").press("enter j");
    let pair = workbench.pair();
    workbench.press("esc");
    assert_eq!((workbench.app.browse.list.len(), workbench.pair()), (311, pair));
}

#[test]
fn kinds_and_orders_are_picked() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("f").write("lemma").press("enter");
    let lemmas = workbench.app.browse.list.len();
    assert!(lemmas > 10 && lemmas < 311);
    workbench.press("s").write("proof").press("enter S");
    let size = |workbench: &Workbench, place| workbench.app.browse.list.summary(place).unwrap().proof.total();
    assert!(size(&workbench, 0) >= size(&workbench, 1) && size(&workbench, 1) >= size(&workbench, 2));
    workbench.press("esc");
    assert_eq!(workbench.app.browse.list.len(), 311);
}

#[test]
fn neighbors_are_of_the_same_article() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("] ]");
    assert_eq!((workbench.pair().as_str(), workbench.app.browse.list.cursor()), ("demo.01#3", 2));
    workbench.press("[ [ [");
    assert_eq!(workbench.pair(), "demo.01#1");
    assert!(workbench.text().contains("no more pairs"));
    // A neighbour that the list does not have is read all the same.
    workbench.press("s").write("proof length").press("enter f").write("theorem").press("enter");
    let before = workbench.app.browse.list.cursor();
    workbench.press("[");
    assert_eq!(workbench.app.browse.list.cursor(), before);
    assert!(workbench.text().contains("(not in the list)"), "{}", workbench.text());
}

#[test]
fn marks_are_kept_and_asked_about() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("space space j '");
    assert_eq!(workbench.app.browse.list.len(), 2);
    workbench.press("q");
    assert!(workbench.effects.is_empty());
    assert!(workbench.text().contains("2 marks will be discarded"));
    workbench.press("n q y");
    assert_eq!(workbench.effects, [Effect::Quit]);
}

#[test]
fn forms_are_cycled_and_copied() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("t t Y y");
    let Effect::Copy(command) = &workbench.effects[0] else { panic!("a copy expected") };
    assert_eq!(command.as_str(), "matchbook show demo 'demo.01#1' --form tex");
    let Effect::Copy(text) = &workbench.effects[1] else { panic!("a copy expected") };
    let text = text.as_str();
    assert!(text.starts_with("Lemma 2 (demo.01#1)\n") && text.contains("$\\alpha,\\beta\\in"), "{text}");
}

#[test]
fn the_mouse_chooses_scrolls_and_drags() {
    let mut workbench = Workbench::demo(120, 40);
    let layout = workbench.app.browse.layout();
    let list = layout.list.body;
    workbench.mouse(MouseEvent::Press, list.x + 3, list.y + 4);
    assert_eq!(workbench.pair(), "demo.01#5");
    workbench.mouse(MouseEvent::WheelDown, list.x + 3, list.y + 4).mouse(
        MouseEvent::WheelDown,
        list.x,
        list.y,
    );
    assert_eq!((workbench.app.browse.list.offset(), workbench.app.browse.list.cursor()), (6, 6));
    let divider = layout.dividers[1].1;
    workbench.mouse(MouseEvent::Press, divider.x, 10).mouse(MouseEvent::Drag, divider.x + 10, 10);
    workbench.mouse(MouseEvent::Release, divider.x + 10, 10);
    assert_eq!(workbench.app.browse.layout().dividers[1].1.x, divider.x + 10);
    workbench.press("M");
    assert_eq!(workbench.effects, [Effect::CaptureMouse(false)]);
}

#[test]
fn the_palette_does_what_is_chosen() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press(":").write("go to the end").press("enter");
    assert_eq!(workbench.app.browse.list.cursor(), 310);
    assert!(workbench.app.host.overlays.is_empty());
}

#[test]
fn a_snapshot_brings_everything_back() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("f").write("theorem").press("enter /").write("group").press("enter j space j t l j j");
    let snapshot = workbench.app.snapshot();
    let written = serde_json::to_string(&snapshot).unwrap();
    let mut restored = Workbench::unstarted(demo_store(), 120, 40);
    restored.app.restore(&serde_json::from_str(&written).unwrap());
    restored.start();
    assert_eq!(restored.app.snapshot(), snapshot);
    assert_eq!(restored.text(), workbench.text());
}

#[test]
fn a_small_terminal_shows_the_panel_with_the_focus() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.send(Msg::Resize(Size { width: 20, height: 5 }));
    assert!(workbench.text().contains("Let α"), "{}", workbench.text());
    workbench.press("l");
    assert!(workbench.text().contains("Sums of two"), "{}", workbench.text());
    for (width, height) in [(1, 1), (0, 0), (300, 2), (2, 100)] {
        workbench.send(Msg::Resize(Size { width, height }));
        workbench.text();
    }
}

/// A label and a note stay with the pair, are filtered by, and come back at the next start.
#[test]
fn notes_are_kept_and_filtered_by() {
    let home = tempfile::tempdir().unwrap();
    let workspace =
        crate::base::workspace::Workspace::at(home.path().join("work"), home.path().join("config"));
    let mut workbench = Workbench::with_runs(&workspace, 120, 40);
    workbench.press("j j ;").write("#odd a note").press("enter");
    assert!(workbench.text().contains("✎ #odd a note"), "{}", workbench.text());
    workbench.press("j ;").write("#nice").press("enter j ;").write("no label").press("enter");
    let listed = |workbench: &Workbench| (workbench.app.browse.list.len(), workbench.pair());
    workbench.press("\" enter");
    assert_eq!(workbench.app.browse.list.len(), 3);
    workbench.press("\"");
    assert_eq!(workbench.app.browse.list.len(), 311, "the same key shows all again");
    workbench.press("\"").write("odd").press("enter");
    assert_eq!(listed(&workbench), (1, "demo.01#3".to_owned()));
    assert!(workbench.text().contains("1 pair ✎") && workbench.text().contains("#odd"));
    workbench.press("esc");
    assert_eq!(workbench.app.browse.list.len(), 311);
    let mut again = Workbench::with_runs(&workspace, 120, 40);
    assert!(again.press("j j").text().contains("✎ #odd a note"));
    again.press("; ctrl-u enter");
    assert!(!again.text().contains("a note"));
    let mut without = Workbench::demo(120, 40);
    without.press(";").write("x").press("enter");
    assert!(without.text().contains("no workspace"), "{}", without.text());
}

/// The tree counts what the list has, whatever narrows it.
#[test]
fn counts_of_categories_follow_marks_too() {
    let mut workbench = Workbench::demo(80, 24);
    let count = |workbench: &mut Workbench| {
        let text = workbench.text();
        let line = text.lines().find(|line| line.contains("all categories")).unwrap().to_owned();
        line.split_whitespace().nth(2).unwrap().trim_end_matches(['▐', '│']).to_owned()
    };
    assert_eq!(count(&mut workbench), "311");
    workbench.press("space j space '");
    assert_eq!((count(&mut workbench), workbench.app.browse.list.len()), ("2".to_owned(), 2));
    workbench.press("/").write("cat:math.PR").press("enter");
    assert_eq!(count(&mut workbench), "0");
    workbench.press("esc esc");
    assert_eq!(count(&mut workbench), "311");
}
