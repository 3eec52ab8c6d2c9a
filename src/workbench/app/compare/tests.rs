//! Compare by its keys, without a screen.

use crate::{
    base::printable::Printable,
    corpus::{Article, Dialect, Formula, Kind, Pair, Passage},
    workbench::app::{
        App, AppSnapshot, CorpusInfo, Effect, Msg, area::Size, key::parse_sequence, keymap::Keymap,
        pane::PaneId, update, work::LoadedPair,
    },
};

use super::{Compare, CompareSnapshot};

fn passage(formulas: &[&str]) -> Passage {
    let mut passage = Passage::new();
    for linear in formulas {
        passage.push_text("so");
        passage.push_formula(Formula { linear, ..Formula::default() });
    }
    passage
}

fn loaded(row: u32) -> Box<LoadedPair> {
    let pair = Pair {
        id: "test.01#2".parse().unwrap(),
        kind: Kind::Lemma,
        label: "1".to_owned(),
        title: String::new(),
        anchor: String::new(),
        statement: passage(&["a + b = c", "P ( x ) < σ", "ℝ"]),
        proof: passage(&["a + b = A", "P ( x ) < σ", "c ∈ ℝ", "y"]),
    };
    let article = Article {
        id: "test.01".to_owned(),
        title: "A test".to_owned(),
        categories: vec!["math.PR".to_owned()],
        file: String::new(),
        source: String::new(),
        dialect: Dialect::default(),
    };
    Box::new(LoadedPair { row: Some(row), ..LoadedPair::typed(article, pair) })
}

fn app() -> App {
    let corpus = CorpusInfo { name: "my corpus".to_owned(), pairs: 9, articles: 1 };
    let mut app = App::new(corpus, Keymap::default(), Size { width: 120, height: 40 });
    app.pane = PaneId::Compare;
    app.compare.show(loaded(1));
    app
}

fn press(app: &mut App, keys: &str) -> Vec<Effect> {
    parse_sequence(keys).unwrap().into_iter().flat_map(|key| update(app, Msg::Key(key))).collect()
}

fn titles(compare: &Compare) -> Vec<String> {
    compare.columns().iter().map(super::Column::title).collect()
}

fn leakage(app: &App) -> Vec<String> {
    app.compare.text().columns.iter().map(|column| column.leakage.text()).collect()
}

fn table(app: &App, column: usize) -> Vec<String> {
    let lines: Vec<String> =
        app.compare.text().columns[column].lines.iter().map(|line| line.text()).collect();
    let start = lines.iter().position(|line| line.starts_with("symbols ")).unwrap();
    lines[start + 1..].to_vec()
}

#[test]
fn levels_go_around_and_keep_their_share() {
    let mut app = app();
    assert_eq!(titles(&app.compare), ["conservation", "full"]);
    press(&mut app, "space + + +");
    assert_eq!(titles(&app.compare)[0], "partial 80 %");
    press(&mut app, "+ + + +");
    assert_eq!(titles(&app.compare)[0], "partial 100 %");
    press(&mut app, "- space space space p");
    assert_eq!(titles(&app.compare)[0], "conservation +P");
    press(&mut app, "space");
    assert_eq!(titles(&app.compare)[0], "partial 90 % +P");
    press(&mut app, "V V");
    assert_eq!(titles(&app.compare)[0], "transposition +P");
    press(&mut app, "+");
    assert!(app.host.notice().unwrap().text.contains("partial"));
}

#[test]
fn columns_come_and_go_between_two_and_four() {
    let mut app = app();
    press(&mut app, "x");
    assert_eq!(app.compare.columns().len(), 2);
    press(&mut app, "a a a a");
    assert_eq!(titles(&app.compare), ["conservation", "partial 50 %", "transposition", "full"]);
    assert_eq!(app.compare.focus(), 2);
    press(&mut app, "tab tab");
    assert_eq!(app.compare.focus(), 0);
    press(&mut app, "shift-tab x x x");
    assert_eq!(titles(&app.compare), ["conservation", "partial 50 %"]);
    assert_eq!(app.compare.focus(), 1);
}

#[test]
fn the_seed_changes_the_names_and_comes_back() {
    let mut app = app();
    press(&mut app, "tab");
    let before = table(&app, 1);
    press(&mut app, "r");
    assert_eq!(app.compare.columns()[1].seed.0, 2);
    assert_ne!(table(&app, 1), before);
    press(&mut app, "R");
    assert_eq!(table(&app, 1), before);
}

#[test]
fn any_seed_can_be_typed() {
    let mut app = app();
    press(&mut app, "tab # 4 x 3 backspace 2");
    assert_eq!(app.compare.typed_seed(), Some("42"));
    press(&mut app, "enter");
    assert_eq!((app.compare.columns()[1].seed.0, app.compare.typed_seed()), (42, None));
    press(&mut app, "# 9 esc # enter");
    assert_eq!(app.compare.columns()[1].seed.0, 42);
    update(&mut app, Msg::Key(parse_sequence("#").unwrap()[0]));
    update(&mut app, Msg::Paste("seed 99999999999999999999999".to_owned()));
    press(&mut app, "enter");
    assert!(app.host.notice().unwrap().is_error);
    assert_eq!(app.compare.columns()[1].seed.0, 42);
}

#[test]
fn tables_say_what_changed_and_why_the_rest_did_not() {
    let mut app = app();
    press(&mut app, "tab p");
    assert_eq!(leakage(&app), ["leaks 7 of 7: a b c P x σ ℝ", "leaks 6 of 7: a b c P σ ℝ"]);
    let [left, right] = [table(&app, 0), table(&app, 1)];
    assert_eq!(left.len(), right.len(), "a symbol has the same line in every table");
    assert_eq!(right[3], "P kept   protected");
    assert_eq!(right[6], "ℝ kept   double-struck");
    assert!(right[0].starts_with("a → ") && right[0].ends_with("1×"), "{}", right[0]);
    assert_eq!(left[7], "A kept   not shared");
    assert!(right[7].starts_with("A → ") && right[7].ends_with("companion"), "{}", right[7]);
    let capital = |line: &str| line.chars().nth(4).unwrap().to_lowercase().to_string();
    assert_eq!(capital(&right[0]), capital(&right[7]), "a and A move together");
}

#[test]
fn the_pair_and_its_command_can_be_copied() {
    let mut app = app();
    press(&mut app, "tab p");
    assert_eq!(
        press(&mut app, "Y"),
        [Effect::Copy(Printable::line("matchbook show 'my corpus' 'test.01#2' --level full+p --seed 1"))]
    );
    let copied = press(&mut app, "y");
    let [Effect::Copy(text)] = &copied[..] else { panic!("a copy expected: {copied:?}") };
    assert!(text.as_str().starts_with("Lemma 1 (test.01#2), full +P, seed 1\nso a + b = c"), "{text}");
    press(&mut app, "h");
    assert_eq!(
        press(&mut app, "Y"),
        [Effect::Copy(Printable::line("matchbook show 'my corpus' 'test.01#2' --level conservation"))]
    );
}

#[test]
fn a_session_comes_back_and_a_strange_one_does_no_harm() {
    let mut first = app();
    press(&mut first, "a r + p tab");
    update(&mut first, Msg::Resize(Size { width: 30, height: 8 }));
    press(&mut first, "j j j");
    let snapshot = first.snapshot();
    assert_eq!(snapshot.compare.scroll, 3);

    let mut second = App::new(first.corpus.clone(), Keymap::default(), first.size);
    second.restore(&snapshot);
    assert!(second.start().iter().any(|effect| matches!(effect, Effect::Request { .. })));
    assert_eq!(second.snapshot().compare, snapshot.compare, "kept until the pair is there");
    second.compare.show(loaded(1));
    update(&mut second, Msg::Tick(1));
    assert_eq!(second.snapshot().compare, snapshot.compare);

    let strange: CompareSnapshot = serde_json::from_str(
        r#"{"pair": 4000000000, "focus": 99, "scroll": 99, "columns": [{"level": "full"}]}"#,
    )
    .unwrap();
    second.compare.restore(&AppSnapshot { compare: strange, ..AppSnapshot::default() });
    assert_eq!(titles(&second.compare), ["conservation", "full"]);
    assert_eq!((second.compare.focus(), second.compare.snapshot().pair), (1, Some(1)));
}
