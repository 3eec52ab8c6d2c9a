//! The workbench: random keys, mouse, paste and resize, by seed, on a corpus with hostile texts.

use super::Target;
use crate::{
    base::printable,
    corpus::{
        Article, Formula, Kind, Pair, PairId, Passage,
        store::{PairSpans, Store, StoreWriter},
    },
    workbench::{
        app::{
            Effect, Msg,
            action::ACTIONS,
            area::Size,
            key::{Key, KeyPress, parse_sequence},
            message::{Mouse, MouseEvent},
        },
        ui::tests::Workbench,
    },
};

/// Texts as an attacker would write them: escapes, changes of direction, wide and combining characters, nothing at all.
const HOSTILE: [&str; 7] = [
    "Let \u{1b}]0;owned\u{7} and \u{9b}31m be \u{202e}desrever\u{202c}",
    "漢字漢字 a\u{301}\u{302}\u{303} \u{200f}x\u{2066}y\u{2069}",
    "\t\u{0}\u{7f}\u{2028}",
    "",
    "👩‍👩‍👧‍👦 every compact group",
    "\u{e0041}\u{e0042} tags and \u{feff}marks",
    "averylongwordthatneverendsaverylongwordthatneverendsaverylongwordthatneverendsaverylongwordthatneverends",
];

fn hostile_store() -> Store {
    let mut writer = StoreWriter::in_memory().unwrap();
    for (index, text) in HOSTILE.iter().enumerate() {
        let article = Article {
            id: format!("art\u{1b}[2J{index}"),
            title: (*text).to_owned(),
            categories: vec!["math.PR".to_owned(), format!("x\u{202e}{index}")],
            file: "a\u{7}b.html".to_owned(),
            ..Article::default()
        };
        let key = writer.add_article(&article).unwrap();
        for number in 1..=3 {
            let mut passage = Passage::new();
            passage.push_text(text);
            passage.push_formula(Formula { linear: "x____bold = y", tex: text, ..Formula::default() });
            passage.push_text(HOSTILE[(index + number as usize) % HOSTILE.len()]);
            let pair = Pair {
                id: PairId { article: article.id.clone(), number },
                kind: Kind::Lemma,
                label: "1\u{1b}c".to_owned(),
                title: (*text).to_owned(),
                anchor: String::new(),
                statement: passage.clone(),
                proof: passage,
            };
            writer.add_pair(key, &pair, PairSpans::default()).unwrap();
        }
    }
    writer.into_store().unwrap()
}

/// A byte sequence is a list of events; every byte sequence is one.
fn event(bytes: &mut impl Iterator<Item = u8>, now: &mut u64) -> Option<Vec<Msg>> {
    let kind = bytes.next()?;
    let mut number = || u16::from(bytes.next().unwrap_or_default());
    Some(match kind % 16 {
        0..=6 => {
            let action = &ACTIONS[usize::from(number()) % ACTIONS.len()];
            let keys = action.keys.get(usize::from(number()) % action.keys.len().max(1));
            keys.and_then(|keys| parse_sequence(keys).ok())
                .unwrap_or_default()
                .into_iter()
                .map(Msg::Key)
                .collect()
        }
        7 | 8 => {
            let pane = char::from(b'1' + (number() % 8) as u8);
            vec![Msg::Key(KeyPress::plain(Key::Character(pane)))]
        }
        9 => {
            let letter = char::from_u32(u32::from(number()) * 7).unwrap_or('x');
            vec![Msg::Key(KeyPress {
                key: Key::Character(letter),
                control: number() % 5 == 0,
                alt: number() % 7 == 0,
            })]
        }
        10 => vec![Msg::Paste(HOSTILE[usize::from(number()) % HOSTILE.len()].to_owned())],
        11 => vec![Msg::Resize(Size { width: number(), height: number() % 90 })],
        12 | 13 => {
            let events = [
                MouseEvent::Press,
                MouseEvent::Drag,
                MouseEvent::Release,
                MouseEvent::WheelUp,
                MouseEvent::WheelDown,
            ];
            let event = events[usize::from(number()) % events.len()];
            vec![Msg::Mouse(Mouse { event, x: number(), y: number() })]
        }
        14 => {
            *now += u64::from(number()) * 50;
            vec![Msg::Tick(*now)]
        }
        _ => vec![Msg::Key(KeyPress::plain(Key::Enter))],
    })
}

#[test]
fn workbench() {
    let examples: Vec<Vec<u8>> = (0..12u8)
        .map(|seed| (0..160u8).map(|at| at.wrapping_mul(31).wrapping_add(seed * 17)).collect())
        .collect();
    let store = std::sync::Mutex::new(hostile_store());
    Target { name: "workbench", examples, words: &[] }.fuzz(move |input, _| {
        let store = store.lock().unwrap_or_else(std::sync::PoisonError::into_inner).reopen().unwrap();
        let mut workbench = Workbench::on(store, 80, 24);
        // Models would take minutes.
        workbench.hold_models();
        let mut bytes = input.iter().copied().take(2000);
        let (mut now, mut steps) = (0, 0);
        while let Some(messages) = event(&mut bytes, &mut now) {
            messages.into_iter().for_each(|msg| workbench.send(msg));
            steps += 1;
            let buffer = workbench.buffer();
            for cell in &buffer.content {
                assert!(!cell.symbol().contains(printable::is_hostile), "{:?}", cell.symbol());
            }
            if workbench.effects.contains(&Effect::Quit) {
                break;
            }
        }
        for effect in &workbench.effects {
            if let Effect::Copy(text) = effect {
                assert!(
                    !text
                        .as_str()
                        .contains(|letter| !"\n\t".contains(letter) && printable::is_hostile(letter))
                );
            }
        }
        // A snapshot of any state can be taken and restored.
        let snapshot = workbench.app.snapshot();
        workbench.app.restore(&snapshot);
        workbench.buffer();
        format!("{:?} {} {}", workbench.app.pane, workbench.app.host.overlays.len(), steps / 50)
    });
}
