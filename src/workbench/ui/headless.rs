//! The workbench without a terminal: for pictures and for measuring.
//!
//! Questions are answered at once, one after the other, by the same code and with as many connections to the corpus
//! as the workers of the real one have.

use std::collections::VecDeque;

use ratatui::{Terminal, backend::TestBackend, buffer::Buffer};

use super::{
    UiError,
    draw::draw,
    looks::Looks,
    start::{Begun, Surroundings, Wishes},
    svg,
    theme::Theme,
};
use crate::{
    base::{task::Task, workspace::Workspace},
    corpus::store::Store,
    workbench::app::{
        App, Effect, Msg,
        area::Size,
        update,
        work::{Reply, Slot},
    },
    workbench::backend::{Backing, answer},
};

/// The workbench on a screen that is only thought of.
pub struct Headless {
    pub app: App,
    looks: Looks,
    theme: Theme,
    stores: Vec<(Slot, Store)>,
    /// None of the user's are opened: a picture is the same for everybody.
    backing: Backing,
    terminal: Terminal<TestBackend>,
}

impl Headless {
    /// Opens the workbench; nothing is asked or drawn yet.
    pub fn open(around: &Surroundings<'_>, wishes: &Wishes, size: Size) -> Result<Headless, UiError> {
        let Begun { app, store, looks } = around.begin(wishes, size)?;
        let stores = Slot::ALL.into_iter().map(|slot| Ok((slot, store.reopen()?)));
        let stores = stores.collect::<Result<_, UiError>>()?;
        let theme = looks.load(app.look.kept()).0;
        Ok(Headless { app, looks, theme, stores, backing: Backing::default(), terminal: terminal(size) })
    }

    /// The same with the runs of a workspace.
    #[must_use]
    pub fn with_runs(mut self, workspace: Workspace) -> Headless {
        self.backing = Backing::new(Some(workspace));
        self
    }

    /// Asks for what the first screen needs, and gets it.
    pub fn start(&mut self) {
        let effects = self.app.start();
        self.carry_out(effects);
    }

    /// Lets something happen, with everything that follows from it.
    pub fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        self.carry_out(effects);
    }

    /// One step of the event loop: a change and a frame. What it asks for is left to the caller.
    pub fn step(&mut self, change: impl FnOnce(&mut App) -> Vec<Effect>) -> Vec<Effect> {
        let effects = change(&mut self.app);
        self.draw();
        effects
    }

    /// What becomes of an effect: the answer to a question, or nothing.
    pub fn answer(&mut self, effect: Effect) -> Option<Msg> {
        match effect {
            Effect::Ask { slot, generation, question } => {
                let (_, store) = self.stores.iter().find(|(other, _)| *other == slot)?;
                let answer = answer(store, &self.backing, question, &Task::unobserved())
                    .map_err(|error| error.to_string());
                Some(Msg::Answer(Box::new(Reply { slot, generation, answer })))
            }
            Effect::UseTheme(name) => {
                self.theme = self.looks.load(&name).0;
                None
            }
            _ => None,
        }
    }

    /// The screen as a picture.
    pub fn picture(&mut self) -> String {
        if self.terminal.size().is_ok_and(|size| (size.width, size.height) != self.size()) {
            self.terminal = terminal(self.app.size);
        }
        self.draw();
        svg::picture(self.buffer(), &self.theme)
    }

    pub fn buffer(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    pub fn draw(&mut self) {
        let (app, theme) = (&self.app, &self.theme);
        // A screen that is only thought of cannot fail.
        let Ok(_) = self.terminal.draw(|frame| draw(app, theme, frame));
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
