//! How long a step takes: update and view, at 200 x 50, on 200,000 pairs.
//!
//! `cargo test --release --lib ui::tests::speed -- --ignored --nocapture`

use std::time::{Duration, Instant};

use ratatui::{Terminal, backend::TestBackend};

use super::demo_store;
use crate::{
    app::{
        App, CorpusInfo, Effect, Msg, area::Size, key::parse_sequence, keymap::Keymap, update, work::Reply,
    },
    corpus::store::{Store, StoreWriter},
    ui::{Depth, Styles, answer, draw},
};

/// The demo's pairs again and again, under new names.
fn large(pairs: u32) -> Store {
    let demo = demo_store();
    let mut writer = StoreWriter::in_memory().unwrap();
    let mut copy = 0;
    let mut written = 0;
    while written < pairs {
        let mut key = None;
        let mut id = String::new();
        demo.for_each_pair::<crate::corpus::store::StoreError>(None, |_, article, pair| {
            if written >= pairs {
                return Ok(());
            }
            if id != article.id {
                id.clone_from(&article.id);
                let mut article = article.clone();
                article.id = format!("{}.{copy:04}", article.id);
                key = Some((writer.add_article(&article)?, article.id));
            }
            let mut pair = pair.clone();
            if let Some((key, id)) = &key {
                pair.id.article.clone_from(id);
                writer.add_pair(*key, &pair, Default::default())?;
                written += 1;
            }
            Ok(())
        })
        .unwrap();
        copy += 1;
    }
    writer.into_store().unwrap()
}

/// A step and how long it took.
type Step = (String, Duration);

/// Scrolls, pages, searches and narrows; answers come between the steps, as the workers would give them meanwhile.
fn measure(store: &Store) -> Vec<Step> {
    let (width, height) = (200, 50);
    let corpus = CorpusInfo { name: "large".to_owned(), pairs: store.pair_count(), articles: 0 };
    let mut app = App::new(corpus, Keymap::default(), Size { width, height });
    let styles = Styles::built_in(Depth::TrueColour);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut steps = Vec::new();
    let mut step = |name: String, change: &mut dyn FnMut(&mut App) -> Vec<Effect>| {
        let start = Instant::now();
        let effects = change(&mut app);
        terminal.draw(|frame| draw(&app, &styles, frame)).unwrap();
        steps.push((name, start.elapsed()));
        effects
    };
    let mut all = |name: String, change: &mut dyn FnMut(&mut App) -> Vec<Effect>| {
        let mut effects = step(name.clone(), change);
        while let Some(effect) = effects.pop() {
            if let Effect::Ask { slot, generation, question } = effect {
                let answer = answer(store, question).map_err(|error| error.to_string());
                let mut reply = Some(Box::new(Reply { slot, generation, answer }));
                effects.extend(step(format!("{name}, then {slot:?}"), &mut |app| {
                    reply.take().map_or(Vec::new(), |reply| update(app, Msg::Answer(reply)))
                }));
            }
        }
    };
    all("start".to_owned(), &mut App::start);
    let scrolling = ["j pagedown"; 300].join(" ") + " G " + &["pageup k"; 100].join(" ");
    let searching = "/ c o m p a c t space g r o u p enter j j j n n t t t esc h j j j k k l s enter S";
    let narrowing = "r l l L j h h j l X enter x j j j n n esc t t t t T T T T h j l j j j j k h h l";
    for key in parse_sequence(&format!("{scrolling} {searching} {narrowing}")).unwrap() {
        all(key.to_string(), &mut |app| update(app, Msg::Key(key)));
    }
    steps
}

/// The same steps are taken five times and each counts with its shortest time, because on a busy machine
/// most long times are those of other programs.
#[test]
#[ignore = "measures time; run it with --release"]
fn a_step_takes_less_than_4_milliseconds() {
    let store = large(200_000);
    let mut steps = measure(&store);
    for _ in 0..4 {
        let again = measure(&store);
        assert_eq!(again.len(), steps.len());
        for ((_, shortest), (_, time)) in steps.iter_mut().zip(again) {
            *shortest = time.min(*shortest);
        }
    }
    steps.sort_by_key(|(_, time)| *time);
    let share = |share: usize| steps[(steps.len() - 1) * share / 1000].1;
    let (median, most, longest) = (share(500), share(990), share(1000));
    eprintln!("{} steps: median {median:?}, 99 % {most:?}, longest {longest:?}", steps.len());
    for (name, time) in steps.iter().rev().take(6) {
        eprintln!("{time:?}: {name}");
    }
    assert!(most < Duration::from_millis(4));
}

/// The questions that look through the whole corpus, as a worker answers them.
#[test]
#[ignore = "measures time; run it with --release"]
fn looking_through_200_000_pairs_takes_less_than_150_milliseconds() {
    use crate::app::work::Question;
    use crate::corpus::store::{CategoryFilter, Filter, Query};
    let store = large(200_000);
    let ranged = Filter { proof_tokens: Some(50..=200), ..Filter::default() };
    let questions = [
        ("histograms", Question::Histograms { query: Query::default(), filter: Filter::default() }),
        ("histograms in a range", Question::Histograms { query: Query::default(), filter: ranged }),
        (
            "histograms of a search",
            Question::Histograms { query: Query::parse("compact "), filter: Filter::default() },
        ),
        (
            "articles of a category",
            Question::Articles {
                category: "math.PR".to_owned(),
                filter: CategoryFilter::Primary("math.PR".to_owned()),
            },
        ),
    ];
    for (name, question) in questions {
        let time = |_| {
            let start = Instant::now();
            answer(&store, question.clone()).unwrap();
            start.elapsed()
        };
        let shortest = (0..5).map(time).min().unwrap();
        eprintln!("{name}: {shortest:?}");
        assert!(shortest < Duration::from_millis(150));
    }
}
