//! The headless workbench: keys go in, screens come out, requests are answered at once.

mod assignments;
mod browse;
mod compare;
mod find;
mod importance;
mod laws;
mod runs;
mod screens;
mod selection;
mod shell;
mod studies;
mod views;

use std::{
    fmt::Write as _,
    sync::{Mutex, OnceLock},
};

use ratatui::{Terminal, backend::TestBackend, buffer::Buffer, style::Style};

use super::{Headless, draw::draw, styles::Styles};
use crate::{
    base::workspace::Workspace,
    corpus::demo,
    corpus::store::Store,
    workbench::app::{
        App, CorpusInfo, Msg,
        area::Size,
        browse::Request as BrowseRequest,
        curves::Request as CurvesRequest,
        find::Request as FindRequest,
        importance::Request as ImportanceRequest,
        key::parse_sequence,
        keymap::Keymap,
        message::{Mouse, MouseEvent},
        training::Request as TrainingRequest,
        work::Request,
    },
    workbench::theme::Theme,
};

/// What the tests call it.
pub type Workbench = Headless;

impl Headless {
    pub fn demo(width: u16, height: u16) -> Workbench {
        Workbench::on(demo_store(), width, height)
    }

    pub fn on(store: Store, width: u16, height: u16) -> Workbench {
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
        let mut workbench = Workbench::new(app, store);
        workbench.holds = writes_here;
        workbench
    }

    /// With the runs of a workspace.
    pub fn with_runs(workspace: &Workspace, width: u16, height: u16) -> Workbench {
        let workbench = Workbench::unstarted(demo_store(), width, height);
        let mut workbench = workbench.with_workspace(workspace.clone());
        workbench.start();
        workbench
    }

    /// Requests to models are kept among the effects instead of being answered.
    pub fn hold_models(&mut self) {
        self.holds = |request| {
            let is_of_model = match request {
                Request::Importance(_) => true,
                Request::Find(FindRequest::Find { query, .. } | FindRequest::Texts { query, .. }) => {
                    !query.is_baseline()
                }
                _ => false,
            };
            is_of_model || writes_here(request)
        };
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
        // Parsing the theme for every frame would take most of the time of the tests with random events.
        static DEFAULT: std::sync::OnceLock<Theme> = std::sync::OnceLock::new();
        self.buffer_with(DEFAULT.get_or_init(Theme::default))
    }

    pub fn buffer_with(&self, theme: &Theme) -> Buffer {
        let Size { width, height } = self.app.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let styles = Styles::new(theme);
        terminal.draw(|frame| draw(&self.app, &styles, frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// The screen as text.
    pub fn text(&self) -> String {
        lines(&self.buffer())
    }
}

/// Random keys must not write wherever the tests run.
fn writes_here(request: &Request) -> bool {
    match request {
        Request::Browse(BrowseRequest::Export { target, .. })
        | Request::Curves(CurvesRequest::Export { target, .. })
        | Request::Training(TrainingRequest::ExportTable { target, .. })
        | Request::Importance(ImportanceRequest::Export { target, .. }) => !target.path.starts_with('/'),
        _ => false,
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
