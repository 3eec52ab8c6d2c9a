//! The frame around the panes: themes, sessions, recordings, waiting.

use ratatui::style::Color;
use strum::IntoEnumIterator;

use super::{Workbench, demo_store};
use crate::{
    base::{guide::Chapter, workspace::Workspace},
    corpus::store::Store,
    workbench::app::{
        Effect, Msg,
        area::Size,
        browse::Slot,
        message::{Offer, Report},
        pane::PaneId,
        recording::Recording,
        settings::{Setting, SettingsList},
    },
    workbench::backend::{
        Environment, OpenOptions, Replay, TerminalThemes,
        session_writer::{self, Keep, SessionWriter},
    },
    workbench::session::{Session, SessionCorpus, Sessions},
    workbench::theme::{ColorDepth, Scope},
    workbench::ui::{Headless, styles::Styles},
};

/// A workbench that can choose among the built-in themes.
fn with_themes() -> Workbench {
    let mut workbench = Workbench::unstarted(demo_store(), 80, 24);
    workbench.app.theme = TerminalThemes::new(None, ColorDepth::True).choices();
    workbench.start();
    workbench
}

fn themes_used(workbench: &Workbench) -> Vec<&str> {
    let mut used = Vec::new();
    for effect in &workbench.effects {
        if let Effect::UseTheme(name) = effect {
            used.push(name.as_str());
        }
    }
    used
}

#[test]
fn a_theme_is_seen_while_it_is_picked_and_gone_when_it_is_not_taken() {
    let mut workbench = with_themes();
    workbench.press("ctrl-t down");
    assert_eq!(themes_used(&workbench), ["dark", "light"]);
    workbench.press("esc");
    assert_eq!(themes_used(&workbench), ["dark", "light", "dark"]);
    assert_eq!(workbench.app.snapshot().theme, None);
    workbench.press("ctrl-t").write("blind").press("enter");
    assert_eq!(themes_used(&workbench), ["dark", "light", "dark", "color-blind"]);
    assert_eq!(workbench.app.snapshot().theme.as_deref(), Some("color-blind"));
    workbench.press(":").write("theme mono").press("enter");
    assert_eq!(themes_used(&workbench).last(), Some(&"mono"));
}

/// The contrast ratio of WCAG.
fn contrast(one: Color, other: Color) -> f64 {
    let luminance = |color| {
        let Color::Rgb(red, green, blue) = color else { return 0.0 };
        let linear = |part: u8| match f64::from(part) / 255.0 {
            part if part <= 0.03928 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Whatever the theme, a chosen row can be read: it has the background of the selection, and its text keeps colors that
/// stand out from it.
#[test]
fn the_chosen_row_can_be_read_in_every_theme() {
    let workbench = Workbench::demo(80, 24);
    let themes = TerminalThemes::new(None, ColorDepth::True);
    for offer in themes.choices().offers {
        let theme = themes.load(&offer.name).0;
        let buffer = workbench.buffer_with(&theme);
        let row = (0..24).find(|&y| buffer[(0, y)].symbol() == "▌").unwrap();
        let chosen = Styles::new(&theme)[Scope::UiSelection];
        for x in 1..20 {
            let cell = &buffer[(x, row)];
            let place = format!("{}: column {x}", offer.name);
            assert_eq!(cell.bg, chosen.bg.unwrap_or_default(), "{place}");
            if let (Color::Rgb(..), Color::Rgb(..)) = (cell.fg, cell.bg) {
                assert!(contrast(cell.fg, cell.bg) >= 3.0, "{place}: {:?} on {:?}", cell.fg, cell.bg);
            }
        }
    }
}

#[test]
fn a_session_is_named_in_a_prompt_or_in_the_palette() {
    let names = |workbench: &Workbench| -> Vec<String> {
        let name = |effect: &Effect| match effect {
            Effect::SaveSession { name, .. } => name.clone(),
            _ => None,
        };
        workbench.effects.iter().filter_map(name).collect()
    };
    let mut workbench = Workbench::demo(80, 24);
    workbench.press("ctrl-s").write("thesis").press("enter");
    assert_eq!(names(&workbench), ["thesis"]);
    workbench.press(":").write("session save two words");
    assert!(workbench.text().contains("save this session as `two words`"), "{}", workbench.text());
    workbench.press("enter");
    assert_eq!(names(&workbench), ["thesis", "two words"]);
    workbench.press("ctrl-o");
    assert_eq!(workbench.effects.last(), Some(&Effect::ListSessions));
    let offer = |name: &str| Offer { name: name.to_owned(), about: "just now".to_owned() };
    workbench.send(Msg::Report(Report::Sessions(vec![offer("other"), offer("two words")])));
    workbench.press("enter");
    assert_eq!(workbench.effects.last(), Some(&Effect::OpenSession("two words".to_owned())));
}

#[test]
fn the_list_of_settings_shows_the_path_of_their_file() {
    let mut workbench = Workbench::demo(80, 24);
    for (file, shown) in [
        ("/home/me/.config/matchbook/config.toml".to_owned(), "╰─ /home/me/.config/matchbook/config.toml ──"),
        (format!("/{}/config.toml", "folder".repeat(20)), "folder/config.toml ─╯"),
    ] {
        let setting = Setting {
            name: "theme".to_owned(),
            about: "theme of new sessions".to_owned(),
            value: String::new(),
            default: "dark".to_owned(),
        };
        let list = SettingsList { file, settings: vec![setting], change: None };
        workbench.send(Msg::Report(Report::Settings(Box::new(list))));
        assert!(workbench.text().contains(shown), "{}", workbench.text());
        workbench.press("esc");
    }
}

#[test]
fn leaving_asks_only_when_the_marks_would_be_lost() {
    let mut workbench = Workbench::demo(80, 24);
    workbench.app.session.is_kept = true;
    workbench.press("space q");
    assert_eq!(workbench.effects, [Effect::Quit]);
    workbench.send(Msg::Report(Report::SessionSaved(false)));
    workbench.press("q");
    assert_eq!(workbench.effects.len(), 1);
    assert!(workbench.text().contains("1 mark will be discarded"));
}

#[test]
fn the_session_is_saved_every_minute_when_something_changed() {
    let mut workbench = Workbench::demo(80, 24);
    workbench.app.session.is_kept = true;
    let saved = |workbench: &Workbench| workbench.effects.len();
    workbench.send(Msg::Tick(59_000));
    assert_eq!(saved(&workbench), 0);
    workbench.send(Msg::Tick(60_000));
    assert_eq!(saved(&workbench), 1);
    workbench.send(Msg::Tick(120_000));
    assert_eq!(saved(&workbench), 1, "nothing changed");
    workbench.press("j");
    workbench.send(Msg::Tick(180_000));
    assert_eq!(saved(&workbench), 2);
}

#[test]
fn what_takes_long_can_be_stopped() {
    let mut workbench = Workbench::demo(80, 24);
    workbench.app.host.slots.open(Slot::Listing, 0);
    workbench.send(Msg::Tick(199));
    assert!(!workbench.text().contains("esc stops"));
    workbench.send(Msg::Tick(200));
    assert!(workbench.text().contains("esc stops"));
    workbench.press("esc");
    assert!(!workbench.app.host.slots.is_waiting(Slot::Listing));
    assert!(workbench.text().contains("stopped waiting"));
    workbench.press("!");
    assert!(workbench.text().contains("─ messages ─"));
}

fn reference(store: &Store) -> SessionCorpus {
    SessionCorpus::named("demo", store.fingerprint())
}

/// Through the file: everything is as it was, to the last cell.
#[test]
fn a_session_brings_the_workbench_back() {
    let journeys = [
        "space space ' j",
        "f t h e o r e m enter / g r o u p enter j space j t l j j > >",
        "h j j l S c a tab p r r j j",
        "c + + tab space space s 4 2 enter",
        "c space + + space p",
        "h j j j h k M",
    ];
    for keys in journeys {
        let mut workbench = Workbench::demo(120, 40);
        workbench.press(keys);
        let store = demo_store();
        let session = session_writer::session(&store, &reference(&store), &workbench.app.snapshot()).unwrap();
        let read: Session = toml::from_str(&session.to_toml().unwrap()).unwrap();
        let mut restored = Workbench::unstarted(demo_store(), 120, 40);
        restored.app.restore(&read.workbench.map_pairs(|id| store.row_of(id).unwrap()));
        restored.start();
        // Notices are not part of a session.
        workbench.app.host.dismiss_notice();
        assert_eq!(restored.text(), workbench.text(), "{keys}");
        assert_eq!(restored.app.snapshot(), workbench.app.snapshot(), "{keys}");
    }
}

#[test]
fn the_shipped_sessions_open_at_what_they_promise() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment {
        workspace: Some(Workspace::at(home.path(), home.path())),
        open_corpus: &|_| Ok(demo_store()),
    };
    let open = |name: &str| {
        let options = OpenOptions { session: Some(name.to_owned()), ..OpenOptions::default() };
        let mut workbench = Headless::open(&environment, &options, Size { width: 120, height: 40 }).unwrap();
        workbench.start();
        workbench.draw();
        super::lines(workbench.drawn())
    };
    let browse = open("demo-browse");
    assert!(browse.contains("/martingale") && browse.contains("demo.16#3"), "{browse}");
    let compare = open("demo-compare");
    assert!(compare.contains("demo.15#2") && compare.contains("full +P"), "{compare}");
}

#[test]
fn a_session_without_its_corpus_is_kept_and_one_of_another_corpus_is_told() {
    let home = tempfile::tempdir().unwrap();
    let workspace = Workspace::at(home.path(), home.path());
    let sessions = Sessions::of(&workspace);
    let mut session = Session {
        corpus: SessionCorpus { path: "gone.corpus".to_owned(), fingerprint: None },
        ..Session::default()
    };
    sessions.save("last", &session).unwrap();
    let open_corpus = |name: &str| match name {
        "demo" => Ok(demo_store()),
        name => Err(format!("there is no {name}")),
    };
    let environment = Environment { workspace: Some(workspace), open_corpus: &open_corpus };
    let told = || {
        let opened =
            Headless::open(&environment, &OpenOptions::default(), Size { width: 80, height: 24 }).unwrap();
        opened.app.host.messages().cloned().collect::<Vec<_>>().join("\n")
    };
    let gone = told();
    assert!(
        gone.contains("is gone: there is no gone.corpus") && gone.contains("`without its corpus`"),
        "{gone}"
    );
    assert!(sessions.load("without its corpus").unwrap().session.is_some());
    session.corpus =
        SessionCorpus { path: "demo".to_owned(), fingerprint: Some("0".repeat(64).parse().unwrap()) };
    session.workbench.marked = vec!["demo.01#1".parse().unwrap(), "demo.99#1".parse().unwrap()];
    sessions.save("last", &session).unwrap();
    assert!(told().contains("has changed since this session, and 1 marked pair no longer exists"));
    std::fs::write(sessions.path("last").unwrap(), "version = 1\npane = [").unwrap();
    assert!(told().contains("last.broken-1"));
}

#[test]
fn the_session_writer_saves_what_it_is_given_last() {
    let home = tempfile::tempdir().unwrap();
    let sessions = Sessions::of(&Workspace::at(home.path(), home.path()));
    let writer = SessionWriter::start(sessions.clone(), demo_store(), "demo").unwrap();
    let workbench = Workbench::demo(80, 24);
    writer.save(Some("a name".to_owned()), Box::new(workbench.app.snapshot()));
    writer.save(Some("no/name".to_owned()), Box::new(workbench.app.snapshot()));
    let wrong = writer.finish(workbench.app.snapshot(), Keep::Last);
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    assert!(wrong[0].contains("`no/name` is not a valid session name"));
    let last = sessions.load("last").unwrap().session.unwrap();
    assert_eq!(last.workbench.cursor.unwrap().to_string(), "demo.01#1");
    assert!(sessions.load("a name").unwrap().session.is_some());
}

/// The same events, typed and replayed, lead to the same screen.
#[test]
fn a_recording_replays_to_the_same_screen() {
    let mut text = "{\"matchbook-recording\":1,\"size\":{\"width\":120,\"height\":40}}\n".to_owned();
    let keys = "j j / c o m p a c t enter j c tab space";
    for (index, key) in keys.split(' ').enumerate() {
        text.push_str(&format!("{{\"at\":{},\"key\":\"{key}\"}}\n", index * 100));
    }
    let recording = Recording::parse(&text).unwrap();
    let replay = Replay { recording: recording.clone(), speed: 1.0, then_quit: true };
    let options = OpenOptions { replay: Some(replay), ..OpenOptions::default() };
    let environment = Environment { workspace: None, open_corpus: &|_| Ok(demo_store()) };
    let mut replayed = Headless::open(&environment, &options, recording.header.size).unwrap();
    replayed.start();
    for event in recording.events {
        replayed.send(event.what.msg().unwrap());
    }
    replayed.draw();
    assert_eq!(super::lines(replayed.drawn()), Workbench::demo(120, 40).press(keys).text());
    assert!(replayed.svg().starts_with("<svg"));
}

#[test]
fn every_pane_opens_its_chapter_of_the_guide() {
    let mut workbench = Workbench::demo(80, 24);
    for pane in PaneId::iter() {
        let chapter = Chapter::find(pane.chapter()).expect("a pane has a chapter");
        workbench.app.pane = pane;
        let screen = workbench.press("f1").text();
        assert!(screen.contains(chapter.title()), "{screen}");
        assert_ne!(workbench.press("l").text(), screen);
        assert_eq!(workbench.press("h").text(), screen);
        workbench.press("esc");
    }
}
