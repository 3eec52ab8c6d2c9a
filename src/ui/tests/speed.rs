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

#[test]
#[ignore = "measures time; run it with --release"]
fn a_step_takes_less_than_4_milliseconds() {
    let store = large(200_000);
    let (width, height) = (200, 50);
    let corpus = CorpusInfo { name: "large".to_owned(), pairs: store.pair_count(), articles: 0 };
    let mut app = App::new(corpus, Keymap::default(), Size { width, height });
    let styles = Styles::built_in(Depth::TrueColour);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut times = Vec::new();
    // Questions are answered between the steps, as the workers would do meanwhile.
    let mut step = |app: &mut App, msg: Option<Msg>| {
        let start = Instant::now();
        let mut effects = match msg {
            Some(msg) => update(app, msg),
            None => app.start(),
        };
        terminal.draw(|frame| draw(app, &styles, frame)).unwrap();
        times.push(start.elapsed());
        while let Some(effect) = effects.pop() {
            if let Effect::Ask { slot, generation, question } = effect {
                let answer = answer(&store, question).map_err(|error| error.to_string());
                let start = Instant::now();
                effects.extend(update(app, Msg::Answer(Box::new(Reply { slot, generation, answer }))));
                terminal.draw(|frame| draw(app, &styles, frame)).unwrap();
                times.push(start.elapsed());
            }
        }
    };
    step(&mut app, None);
    let mut press = |app: &mut App, keys: &str| {
        for key in parse_sequence(keys).unwrap() {
            step(app, Some(Msg::Key(key)));
        }
    };
    for _ in 0..300 {
        press(&mut app, "j");
        press(&mut app, "pagedown");
    }
    press(&mut app, "G");
    for _ in 0..100 {
        press(&mut app, "pageup k");
    }
    press(&mut app, "/ c o m p a c t space g r o u p enter j j j n n t t t esc h j j j k k l s enter S");
    times.sort_unstable();
    let share = |share: usize| times[(times.len() - 1) * share / 1000];
    eprintln!(
        "{} steps: median {:?}, 99 % {:?}, longest {:?}",
        times.len(),
        share(500),
        share(990),
        share(1000)
    );
    assert!(share(990) < Duration::from_millis(4));
}
