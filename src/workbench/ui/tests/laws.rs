//! Whatever happens, nothing breaks.

use proptest::prelude::*;

use super::Workbench;
use crate::workbench::app::{
    Msg,
    action::ACTIONS,
    area::Size,
    key::{Key, KeyPress},
    message::{Mouse, MouseEvent},
};

#[derive(Clone, Debug)]
enum Event {
    Keys(&'static str),
    Letter(char),
    Paste(String),
    Resize(u16, u16),
    Mouse(MouseEvent, u16, u16),
    Tick(u16),
}

/// What leads to the places that single keys seldom find.
const DOORS: [&str; 20] = [
    "3 n",
    "3 n j j l l",
    "4 l l + s",
    "8 / a",
    "5 enter",
    "5 p enter f",
    "5 enter t enter",
    "5 enter T enter",
    "5 enter / d e m o",
    "r",
    "m",
    "T",
    "t t",
    "space space e",
    "1 h j j l",
    "2 E",
    "2 o",
    "2 E ctrl-s",
    "1 / a l l enter r L",
    "9 / a l l enter j",
];

fn event() -> impl Strategy<Value = Event> {
    let keys: Vec<&'static str> = ACTIONS.iter().flat_map(|action| action.keys.iter().copied()).collect();
    let mouse = [
        MouseEvent::Press,
        MouseEvent::Drag,
        MouseEvent::Release,
        MouseEvent::WheelUp,
        MouseEvent::WheelDown,
    ];
    prop_oneof![
        8 => prop::sample::select(keys).prop_map(Event::Keys),
        3 => prop::sample::select(DOORS.to_vec()).prop_map(Event::Keys),
        2 => prop::char::any().prop_map(Event::Letter),
        1 => ".{0,12}".prop_map(Event::Paste),
        1 => "[a-c$\\\\^_{} \r\n-]{0,40}".prop_map(Event::Paste),
        2 => (0u16..220, 0u16..60).prop_map(|(width, height)| Event::Resize(width, height)),
        2 => (prop::sample::select(mouse.to_vec()), 0u16..230, 0u16..70)
            .prop_map(|(event, x, y)| Event::Mouse(event, x, y)),
        1 => (0u16..2000).prop_map(Event::Tick),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Any keys, clicks and sizes: every screen can be drawn, and the cursor is on a pair.
    #[test]
    fn random_events_never_break_anything(events in prop::collection::vec(event(), 1..60)) {
        let mut workbench = Workbench::demo(80, 24);
        // models would take minutes
        workbench.hold_models();
        let mut now = 0;
        for event in events {
            match event {
                Event::Keys(keys) => { workbench.press(keys); }
                Event::Letter(letter) => workbench.send(Msg::Key(KeyPress::plain(Key::Character(letter)))),
                Event::Paste(text) => workbench.send(Msg::Paste(text)),
                Event::Resize(width, height) => workbench.send(Msg::Resize(Size { width, height })),
                Event::Mouse(event, x, y) => workbench.send(Msg::Mouse(Mouse { event, x, y })),
                Event::Tick(passed) => {
                    now += u64::from(passed);
                    workbench.send(Msg::Tick(now));
                }
            }
            workbench.buffer();
            let list = &workbench.app.browse.list;
            prop_assert!(list.is_empty() || list.cursor() < list.len());
            let list = workbench.app.assignments.list();
            prop_assert!(list.is_empty() || list.cursor() < list.len());
            prop_assert!(list.offset() <= list.cursor());
        }
    }
}
