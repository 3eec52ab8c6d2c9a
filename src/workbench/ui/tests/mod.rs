//! The workbench without a terminal: keys go in, screens come out, workers answer at once.

mod assignments;
mod browse;
mod compare;
mod importance;
mod laws;
mod runs;
mod screens;
mod shell;
mod studies;
mod views;

use std::{
    collections::VecDeque,
    fmt::Write as _,
    sync::{Mutex, OnceLock},
};

use ratatui::{Terminal, backend::TestBackend, buffer::Buffer, style::Style};

use super::{draw, theme::Theme};
use crate::workbench::backend::{Backing, answer};
use crate::{
    base::{task::Task, workspace::Workspace},
    corpus::demo,
    corpus::store::Store,
    workbench::app::{
        App, CorpusInfo, Effect, Msg,
        area::Size,
        key::parse_sequence,
        keymap::Keymap,
        message::{Mouse, MouseEvent},
        pane::PaneId,
        update,
        work::{Question, Reply},
    },
};

/// The workbench on a corpus, at a screen that is only thought of.
pub struct Workbench {
    pub app: App,
    store: Store,
    pub backing: Backing,
    /// Questions to models are kept among the effects instead of being answered.
    pub holds_models: bool,
    /// What was asked of the outside and is not a question to the corpus.
    pub effects: Vec<Effect>,
}

impl Workbench {
    pub fn demo(width: u16, height: u16) -> Workbench {
        Workbench::open(demo_store(), width, height)
    }

    pub fn open(store: Store, width: u16, height: u16) -> Workbench {
        let mut workbench = Workbench::unstarted(store, width, height);
        workbench.start();
        workbench
    }

    pub fn unstarted(store: Store, width: u16, height: u16) -> Workbench {
        let corpus = CorpusInfo {
            name: "demo".to_owned(),
            pairs: store.pair_count(),
            articles: store.articles_with_pairs(),
        };
        let app = App::new(corpus, Keymap::default(), Size { width, height });
        Workbench { app, store, backing: Backing::default(), holds_models: false, effects: Vec::new() }
    }

    /// With the runs of a workspace.
    pub fn with_runs(workspace: &Workspace, width: u16, height: u16) -> Workbench {
        let mut workbench = Workbench::unstarted(demo_store(), width, height);
        workbench.backing = Backing::new(Some(workspace.clone()));
        workbench.start();
        workbench
    }

    pub fn start(&mut self) {
        let effects = self.app.start();
        self.carry_out(effects);
    }

    pub fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        self.carry_out(effects);
    }

    /// Presses keys, written with spaces between.
    pub fn press(&mut self, keys: &str) -> &mut Workbench {
        for key in parse_sequence(keys).unwrap() {
            self.send(Msg::Key(key));
        }
        self
    }

    /// Types a text letter by letter.
    pub fn write(&mut self, text: &str) -> &mut Workbench {
        for letter in text.chars() {
            self.press(&if letter == ' ' { "space".to_owned() } else { letter.to_string() });
        }
        self
    }

    pub fn mouse(&mut self, event: MouseEvent, x: u16, y: u16) -> &mut Workbench {
        self.send(Msg::Mouse(Mouse { event, x, y }));
        self
    }

    /// The pair on the right: `demo.01#1`.
    pub fn pair(&self) -> String {
        self.app.browse.reader.pair().map_or(String::new(), |loaded| loaded.pair.id.to_string())
    }

    pub fn buffer(&self) -> Buffer {
        self.buffer_with(&Theme::default())
    }

    pub fn buffer_with(&self, theme: &Theme) -> Buffer {
        let Size { width, height } = self.app.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(&self.app, theme, frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The screen as text.
    pub fn text(&self) -> String {
        lines(&self.buffer())
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut queue = VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            match effect {
                // Random keys must not write wherever the tests run.
                Effect::Ask {
                    question: Question::Export { ref path, .. } | Question::ExportCurves { ref path, .. },
                    ..
                } if !path.starts_with('/') => {
                    self.effects.push(effect);
                }
                Effect::Ask { slot, .. } if self.holds_models && slot.pane() == PaneId::Importance => {
                    self.effects.push(effect);
                }
                Effect::Ask { question: Question::Heatmap { ref path, .. }, .. }
                    if !path.starts_with('/') =>
                {
                    self.effects.push(effect);
                }
                Effect::Ask { slot, generation, question } => {
                    let answer = answer(&self.store, &self.backing, question, &Task::unobserved())
                        .map_err(|error| error.to_string());
                    queue.extend(update(
                        &mut self.app,
                        Msg::Answer(Box::new(Reply { slot, generation, answer })),
                    ));
                }
                effect => self.effects.push(effect),
            }
        }
    }
}

/// The demo corpus, extracted once for all tests.
pub fn demo_store() -> Store {
    static DEMO: OnceLock<Mutex<Store>> = OnceLock::new();
    let demo = DEMO.get_or_init(|| Mutex::new(demo::corpus().unwrap()));
    demo.lock().unwrap().reopen().unwrap()
}

fn lines(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            line.push_str(symbol);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Text and styles: below the text, a letter for the style of each cell, and what the letters mean.
pub fn picture(buffer: &Buffer) -> String {
    let mut styles: Vec<Style> = Vec::new();
    let mut map = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        for x in 0..buffer.area.width {
            let style = buffer[(x, y)].style();
            let index = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
            line.push(char::from_u32(u32::from('a') + index as u32).unwrap());
        }
        map.push_str(&line);
        map.push('\n');
    }
    let mut picture = format!("{}\n{map}\n", lines(buffer));
    for (index, style) in styles.iter().enumerate() {
        let letter = char::from_u32(u32::from('a') + index as u32).unwrap();
        let colour = |colour: Option<ratatui::style::Color>| colour.unwrap_or_default().to_string();
        let (front, back) = (colour(style.fg), colour(style.bg));
        writeln!(picture, "{letter} {front} on {back} {:?}", style.add_modifier).unwrap();
    }
    picture
}
