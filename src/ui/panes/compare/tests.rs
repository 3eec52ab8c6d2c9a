//! Compare as people see it, on a pair of the demo, and under random keys.

use std::{
    collections::VecDeque,
    sync::{Mutex, OnceLock},
};

use proptest::prelude::*;
use ratatui::{Terminal, backend::TestBackend, buffer::Buffer, style::Modifier};

use crate::{
    app::{
        App, CorpusInfo, Effect, Msg,
        action::ACTIONS,
        area::Size,
        key::parse_sequence,
        keymap::Keymap,
        message::{Mouse, MouseEvent},
        pane::{Pane, PaneId, Remembered},
        update,
        work::Reply,
    },
    corpus::store::Store,
    demo,
    ui::{Depth, Styles, answer, draw},
};

/// The workbench on the demo, with Compare open on a pair; questions are answered at once.
struct Bench {
    app: App,
    store: Store,
}

impl Bench {
    fn compare(pair: &str, width: u16, height: u16) -> Bench {
        let store = demo_store();
        let (pairs, articles) = (store.pair_count(), store.articles_with_pairs());
        let corpus = CorpusInfo { name: "demo".to_owned(), pairs, articles };
        let mut app = App::new(corpus, Keymap::default(), Size { width, height });
        let mut snapshot = app.snapshot();
        snapshot.pane = PaneId::Compare;
        snapshot.compare.pair = store.row_of(&pair.parse().unwrap()).unwrap();
        app.restore(&snapshot);
        let mut bench = Bench { app, store };
        let effects = bench.app.start();
        bench.carry_out(effects);
        bench
    }

    fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        self.carry_out(effects);
    }

    fn press(&mut self, keys: &str) -> &mut Bench {
        for key in parse_sequence(keys).unwrap() {
            self.send(Msg::Key(key));
        }
        self
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            if let Effect::Ask { slot, generation, question } = effect {
                let answer = answer(&self.store, question).map_err(|error| error.to_string());
                let reply = Msg::Answer(Box::new(Reply { slot, generation, answer }));
                queue.extend(update(&mut self.app, reply));
            }
        }
    }

    fn buffer(&self) -> Buffer {
        let Size { width, height } = self.app.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let styles = Styles::built_in(Depth::TrueColour);
        terminal.draw(|frame| draw(&self.app, &styles, frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    fn text(&self) -> String {
        let buffer = self.buffer();
        let lines: Vec<String> = buffer
            .content
            .chunks(usize::from(buffer.area.width))
            .map(|line| line.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned())
            .collect();
        lines.join("\n")
    }

    fn pair(&self) -> String {
        self.app.compare.pair().map_or(String::new(), |loaded| loaded.pair.id.to_string())
    }
}

fn demo_store() -> Store {
    static DEMO: OnceLock<Mutex<Store>> = OnceLock::new();
    let store = DEMO.get_or_init(|| Mutex::new(demo::corpus().unwrap()));
    store.lock().unwrap().reopen().unwrap()
}

#[test]
fn two_levels_at_80_by_24() {
    insta::assert_snapshot!(Bench::compare("demo.15#2", 80, 24).text());
}

#[test]
fn three_levels_at_120_by_40() {
    insta::assert_snapshot!(Bench::compare("demo.15#2", 120, 40).press("a tab p").text());
}

#[test]
fn four_levels_at_200_by_50() {
    insta::assert_snapshot!(Bench::compare("demo.15#2", 200, 50).press("a a").text());
}

#[test]
fn one_column_at_20_by_5() {
    let mut bench = Bench::compare("demo.15#2", 20, 5);
    let first = bench.text();
    let second = bench.press("tab ctrl-d G").text();
    insta::assert_snapshot!(format!("{first}\n\n{second}"));
}

#[test]
fn headers_stay_when_the_statement_is_gone() {
    let mut bench = Bench::compare("demo.15#2", 60, 16);
    insta::assert_snapshot!(bench.press("ctrl-f").text());
}

/// The cells that show a symbol, with the colour and whether it is underlined.
#[test]
fn a_symbol_keeps_its_colour_and_its_new_names_are_underlined() {
    let buffer = Bench::compare("demo.15#2", 120, 40).buffer();
    let text: Vec<String> = buffer.content.iter().map(|cell| cell.symbol().to_owned()).collect();
    let styles_of = |wanted: &str, from_column: u16| {
        let mut styles = Vec::new();
        for (place, symbol) in text.iter().enumerate() {
            let (x, y) = (place as u16 % 120, place as u16 / 120);
            // The first line tells of the program, and the last of its keys.
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
    assert_eq!(styles_of("η", 60), [(colour, true)], "λ became η");
}

#[test]
fn pairs_come_from_browse_and_follow_its_list() {
    let mut bench = Bench::compare("demo.15#2", 120, 40);
    bench.press("esc j j c");
    assert_eq!((bench.app.pane, bench.pair().as_str()), (PaneId::Compare, "demo.01#3"));
    bench.press("n");
    assert_eq!(bench.pair(), "demo.01#4");
    bench.press("N N N N");
    assert_eq!(bench.pair(), "demo.01#1");
    assert!(bench.app.desk.notice().unwrap().text.contains("first"));
    bench.press("n 1");
    assert_eq!(bench.app.browse.reader.pair().unwrap().pair.id.to_string(), "demo.01#2");
    bench.press("j enter");
    assert_eq!((bench.app.pane, bench.pair().as_str()), (PaneId::Compare, "demo.01#3"));
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
        let mut bench = Bench::compare("demo.15#2", 80, 24);
        for step in steps {
            match step {
                Step::Key(keys) => { bench.press(&keys); }
                Step::Resize(width, height) => bench.send(Msg::Resize(Size { width, height })),
                Step::Mouse(event, x, y) => bench.send(Msg::Mouse(Mouse { event, x, y })),
            }
            if bench.app.size.width > 0 && bench.app.size.height > 0 {
                bench.buffer();
            }
            let compare = &bench.app.compare;
            prop_assert!((2..=4).contains(&compare.columns().len()) && compare.focus() < compare.columns().len());
            prop_assert!(compare.scroll() < compare.line_count().max(1));
            let area = compare.area();
            for place in compare.arrangement().columns {
                for part in [place.header, place.leakage, place.body] {
                    prop_assert!(part.right() <= area.right() && part.bottom() <= area.bottom());
                }
            }
            prop_assert!(bench.app.pane != PaneId::Compare || compare.would_lose().is_none());
        }
        let snapshot = bench.app.compare.snapshot();
        bench.app.compare.restore(&snapshot);
        prop_assert_eq!(bench.app.compare.snapshot(), snapshot);
    }
}
