//! The workbench without a terminal: for screenshots and benchmarks.
//!
//! Requests are answered synchronously, one after the other, by the same code and with as many connections to the corpus
//! as the workers of the real one have.

use std::collections::VecDeque;

use ratatui::{Terminal, backend::TestBackend, buffer::Buffer};

use super::{UiError, draw::draw, styles::Styles, svg};
use crate::{
    base::{task::Task, workspace::Workspace},
    corpus::store::Store,
    workbench::app::{
        App, Effect, Msg,
        area::Size,
        update,
        work::{Reply, Slot},
    },
    workbench::backend::{Backing, Environment, OpenOptions, OpenedWorkbench, TerminalThemes, answer},
};

/// The workbench on a screen in memory.
pub struct Headless {
    pub app: App,
    themes: TerminalThemes,
    styles: Styles,
    stores: Vec<(Slot, Store)>,
    /// Without the user's files by default, so that screenshots are reproducible.
    backing: Backing,
    terminal: Terminal<TestBackend>,
}

impl Headless {
    /// Opens the workbench; nothing is requested or drawn yet.
    pub fn open(
        environment: &Environment<'_>,
        options: &OpenOptions,
        size: Size,
    ) -> Result<Headless, UiError> {
        let OpenedWorkbench { app, store, themes } = environment.open(options, size)?;
        let stores = Slot::ALL.into_iter().map(|slot| Ok((slot, store.reopen()?)));
        let stores = stores.collect::<Result<_, UiError>>()?;
        let styles = Styles::new(&themes.load(app.look.kept()).0);
        Ok(Headless { app, themes, styles, stores, backing: Backing::default(), terminal: terminal(size) })
    }

    /// Uses the runs of a workspace.
    #[must_use]
    pub fn with_runs(mut self, workspace: Workspace) -> Headless {
        self.backing = Backing::new(Some(workspace));
        self
    }

    /// Requests what the first screen needs.
    pub fn start(&mut self) {
        let effects = self.app.start();
        self.carry_out(effects);
    }

    /// Handles a message and all effects that follow from it.
    pub fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        self.carry_out(effects);
    }

    /// One iteration of the event loop: a state change and a frame. Effects are left to the caller.
    pub fn step(&mut self, change: impl FnOnce(&mut App) -> Vec<Effect>) -> Vec<Effect> {
        let effects = change(&mut self.app);
        self.draw();
        effects
    }

    /// Carries out an effect; returns the reply if it was a request.
    pub fn answer(&mut self, effect: Effect) -> Option<Msg> {
        match effect {
            Effect::Ask { slot, generation, question } => {
                let (_, store) = self.stores.iter().find(|(other, _)| *other == slot)?;
                let answer = answer(store, &self.backing, question, &Task::unobserved())
                    .map_err(|error| error.to_string());
                Some(Msg::Answer(Box::new(Reply { slot, generation, answer })))
            }
            Effect::UseTheme(name) => {
                self.styles = Styles::new(&self.themes.load(&name).0);
                None
            }
            _ => None,
        }
    }

    /// Returns the screen as an SVG image.
    pub fn svg(&mut self) -> String {
        if self.terminal.size().is_ok_and(|size| (size.width, size.height) != self.size()) {
            self.terminal = terminal(self.app.size);
        }
        self.draw();
        svg::render(self.buffer(), &self.styles)
    }

    pub fn buffer(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    pub fn draw(&mut self) {
        let (app, styles) = (&self.app, &self.styles);
        let Ok(_) = self.terminal.draw(|frame| draw(app, styles, frame));
    }

    fn size(&self) -> (u16, u16) {
        (self.app.size.width, self.app.size.height)
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut waiting = VecDeque::from(effects);
        while let Some(effect) = waiting.pop_front() {
            if let Some(msg) = self.answer(effect) {
                waiting.extend(update(&mut self.app, msg));
            }
        }
    }
}

fn terminal(size: Size) -> Terminal<TestBackend> {
    let Ok(terminal) = Terminal::new(TestBackend::new(size.width, size.height));
    terminal
}
