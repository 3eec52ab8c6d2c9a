//! Compare as people see it, on a pair of the demo, and under random keys.

use proptest::prelude::*;
use ratatui::style::Modifier;

use super::{Workbench, demo_store, picture};
use crate::workbench::app::{
    Msg,
    action::ACTIONS,
    area::Size,
    message::{Mouse, MouseEvent},
    pane::PaneId,
    work::Request,
};

/// The workbench with Compare open on a pair.
fn compare(pair: &str, width: u16, height: u16) -> Workbench {
    let store = demo_store();
    let row = store.row_of(&pair.parse().unwrap()).unwrap();
    let mut workworkbench = Workbench::unstarted(store, width, height);
    let mut snapshot = workworkbench.app.snapshot();
    (snapshot.pane, snapshot.compare.pair) = (PaneId::Compare, row);
    workworkbench.app.restore(&snapshot);
    workworkbench.start();
    workworkbench
}

/// The pair being compared.
fn compared(workworkbench: &Workbench) -> String {
    workworkbench.app.compare.pair().map_or(String::new(), |loaded| loaded.pair.id.to_string())
}

#[test]
fn two_levels_at_80_by_24() {
    insta::assert_snapshot!(picture(&compare("demo.15#2", 80, 24).buffer()));
}

#[test]
fn three_levels_at_120_by_40() {
    insta::assert_snapshot!(picture(&compare("demo.15#2", 120, 40).press("a tab p").buffer()));
}

#[test]
fn four_levels_at_200_by_50() {
    insta::assert_snapshot!(picture(&compare("demo.15#2", 200, 50).press("a a").buffer()));
}

#[test]
fn one_column_at_20_by_5() {
    let mut workbench = compare("demo.15#2", 20, 5);
    let first = workbench.text();
    let second = workbench.press("tab ctrl-d G").text();
    insta::assert_snapshot!(format!("{first}\n\n{second}"));
}

#[test]
fn headers_stay_when_the_statement_is_gone() {
    let mut workbench = compare("demo.15#2", 60, 16);
    insta::assert_snapshot!(workbench.press("ctrl-f").text());
}

/// The cells that show a symbol, with the colour and whether it is underlined.
#[test]
fn a_symbol_keeps_its_colour_and_its_new_names_are_underlined() {
    let buffer = compare("demo.15#2", 120, 40).buffer();
    let text: Vec<String> = buffer.content.iter().map(|cell| cell.symbol().to_owned()).collect();
    let styles_of = |wanted: &str, from_column: u16| {
        let mut styles = Vec::new();
        for (place, symbol) in text.iter().enumerate() {
            let (x, y) = (place as u16 % 120, place as u16 / 120);
            // The first line is about the program, the last about its keys.
            if symbol == wanted && x >= from_column && (2..35).contains(&y) {
                let style = buffer[(x, y)].style();
                let is_underlined = style.add_modifier.contains(Modifier::UNDERLINED);
                if !styles.contains(&(style.fg, is_underlined)) {
                    styles.push((style.fg, is_underlined));
                }
            }
        }
        styles
    };
    let [(colour, false)] = styles_of("λ", 0)[..] else { panic!("λ looks the same everywhere") };
    assert_eq!(styles_of("δ", 60), [(colour, true)], "λ became δ");
}

#[test]
fn pairs_come_from_browse_and_follow_its_list() {
    let mut workbench = compare("demo.15#2", 120, 40);
    workbench.press("esc j j c");
    assert_eq!((workbench.app.pane, compared(&workbench).as_str()), (PaneId::Compare, "demo.01#3"));
    workbench.press("n");
    assert_eq!(compared(&workbench), "demo.01#4");
    workbench.press("N N N N");
    assert_eq!(compared(&workbench), "demo.01#1");
    assert!(workbench.app.host.notice().unwrap().text.contains("first"));
    workbench.press("n 1");
    assert_eq!(workbench.app.browse.reader.pair().unwrap().pair.id.to_string(), "demo.01#2");
    workbench.press("j enter");
    assert_eq!((workbench.app.pane, compared(&workbench).as_str()), (PaneId::Compare, "demo.01#3"));
}

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Resize(u16, u16),
    Mouse(MouseEvent, u16, u16),
}

fn step() -> impl Strategy<Value = Step> {
    let leaves = |name: &str| ["quit", "quit-anyway", "suspend"].contains(&name);
    let keys: Vec<String> = ACTIONS
        .iter()
        .filter(|action| !leaves(action.name))
        .flat_map(|action| action.keys.iter().map(|key| (*key).to_owned()))
        .collect();
    let compare: Vec<String> =
        ["space", "a", "x", "r", "p", "+", "-", "tab", "n", "N", "2", "G", "ctrl-f", "c"]
            .map(str::to_owned)
            .to_vec();
    let events = vec![
        MouseEvent::Press,
        MouseEvent::Drag,
        MouseEvent::WheelDown,
        MouseEvent::WheelUp,
        MouseEvent::Release,
    ];
    prop_oneof![
        3 => prop::sample::select(keys).prop_map(Step::Key),
        6 => prop::sample::select(compare).prop_map(Step::Key),
        2 => (0u16..210, 0u16..60).prop_map(|(width, height)| Step::Resize(width, height)),
        1 => (prop::sample::select(events), 0u16..210, 0u16..60).prop_map(|(event, x, y)| Step::Mouse(event, x, y)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever is pressed at whatever size: no panic, a drawing, a place that exists, a session that comes back.
    #[test]
    fn any_keys_at_any_size_are_survived(steps in prop::collection::vec(step(), 1..40)) {
        let mut workbench = compare("demo.15#2", 80, 24);
        for step in steps {
            match step {
                Step::Key(keys) => { workbench.press(&keys); }
                Step::Resize(width, height) => workbench.send(Msg::Resize(Size { width, height })),
                Step::Mouse(event, x, y) => workbench.send(Msg::Mouse(Mouse { event, x, y })),
            }
            if workbench.app.size.width > 0 && workbench.app.size.height > 0 {
                workbench.buffer();
            }
            let compare = &workbench.app.compare;
            prop_assert!((2..=4).contains(&compare.columns().len()) && compare.focus() < compare.columns().len());
            prop_assert!(compare.scroll() < compare.line_count().max(1));
            let area = compare.area();
            for place in compare.layout().columns {
                for part in [place.header, place.leakage, place.body] {
                    prop_assert!(part.right() <= area.right() && part.bottom() <= area.bottom());
                }
            }
        }
        let snapshot = workbench.app.snapshot();
        workbench.app.compare.restore(&snapshot);
        prop_assert_eq!(workbench.app.compare.snapshot(), snapshot.compare);
    }
}

/// A pair of the user's own makes room for the one that is chosen, which may take a moment.
#[test]
fn a_chosen_pair_takes_the_place_of_a_typed_one() {
    let mut workbench = Workbench::demo(120, 40);
    let compared = |workbench: &Workbench| workbench.app.compare.pair().unwrap().pair.id.to_string();
    workbench.press("c");
    let origin = compared(&workbench);
    workbench.press("E x ctrl-s");
    assert_eq!(compared(&workbench), "typed#1");
    workbench.press("1 2");
    assert_eq!(compared(&workbench), "typed#1", "looking at another pane chooses nothing");
    workbench.press("1 c");
    assert_eq!(compared(&workbench), origin);
    workbench.press("E x ctrl-s 5 enter j j c");
    assert_eq!(compared(&workbench), workbench.app.assignments.verdict().unwrap().pair);
    workbench.press("E x ctrl-s 5 j");
    workbench.holds = |request| matches!(request, Request::Compare(_));
    let screen = workbench.press("c").text();
    assert!(screen.contains("preparing the pair") && !screen.contains("typed#1"), "{screen}");
    assert!(!screen.contains("no pair yet"), "{screen}");
}
