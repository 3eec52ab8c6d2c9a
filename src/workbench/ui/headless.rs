//! The workbench without a terminal: for tests, pictures and measurements.
//!
//! Requests are answered at once, one after the other, by the same code that the worker threads call.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use ratatui::{Terminal, backend::TestBackend, buffer::Buffer};

use super::{UiError, draw::draw, styles::Styles, svg};
use crate::{
    base::{
        task::{CancelToken, Task},
        workspace::Workspace,
    },
    corpus::store::Store,
    train::device::Device,
    workbench::app::{App, Effect, Msg, area::Size, update, work::Request},
    workbench::backend::{Call, Environment, OpenOptions, OpenedWorkbench, Services, TerminalThemes},
    workbench::theme::Theme,
};

/// The workbench on a screen in memory.
pub struct Headless {
    pub app: App,
    /// Requests that are added to `effects` instead of being answered.
    pub holds: fn(&Request) -> bool,
    /// What was not carried out, in order.
    pub effects: Vec<Effect>,
    /// None for the default theme.
    themes: Option<TerminalThemes>,
    styles: Styles,
    store: Store,
    services: Services,
    terminal: Terminal<TestBackend>,
}

impl Headless {
    /// Opens the workbench as the user would; nothing is requested or drawn yet. The user's runs are not shown by
    /// default, so that screenshots are reproducible.
    pub fn open(
        environment: &Environment<'_>,
        options: &OpenOptions,
        size: Size,
    ) -> Result<Headless, UiError> {
        let OpenedWorkbench { app, store, themes, .. } = environment.open(options, size)?;
        let styles = Styles::new(&themes.load(app.theme.kept()).0);
        Ok(Headless { themes: Some(themes), styles, ..Headless::new(app, store) })
    }

    /// A workbench with the default theme.
    pub fn new(app: App, store: Store) -> Headless {
        let styles = Styles::new(&Theme::default());
        let (services, terminal) = (Services::default().with_gpus(vec![]), terminal(app.size));
        let (holds, effects): (fn(&Request) -> bool, _) = (|_| false, Vec::new());
        Headless { app, holds, effects, themes: None, styles, store, services, terminal }
    }

    /// The same with the runs of a workspace.
    #[must_use]
    pub fn with_workspace(self, workspace: Workspace) -> Headless {
        Headless { services: Services::new(Some(workspace), &Device::Auto).with_gpus(vec![]), ..self }
    }

    /// The same on a machine with these GPUs; otherwise there are none.
    #[cfg(test)]
    #[must_use]
    pub fn with_gpus(self, gpus: Vec<crate::runs::devices::FoundDevice>) -> Headless {
        Headless { services: self.services.with_gpus(gpus), ..self }
    }

    /// Sends the requests of the first screen, and answers them.
    pub fn start(&mut self) {
        let effects = self.app.start();
        self.carry_out(effects);
    }

    /// Handles a message, with everything that follows from it.
    pub fn send(&mut self, msg: Msg) {
        let effects = update(&mut self.app, msg);
        self.carry_out(effects);
    }

    /// One step of the event loop: a change and a frame. The effects are left to the caller.
    pub fn step(&mut self, change: impl FnOnce(&mut App) -> Vec<Effect>) -> Vec<Effect> {
        let effects = change(&mut self.app);
        self.draw();
        effects
    }

    /// Carries out an effect, and returns the replies if it is a request.
    pub fn answer(&mut self, effect: Effect) -> Vec<Msg> {
        match (effect, &self.themes) {
            (Effect::Request { generation, request }, _) if !(self.holds)(&request) => {
                let replies = Mutex::new(Vec::new());
                let send = |reply| replies.lock().unwrap_or_else(PoisonError::into_inner).push(reply);
                let call = Call { generation, task: Task::new(&CancelToken::new(), &send) };
                send(self.services.answer(&self.store, request, &call));
                let replies = replies.into_inner().unwrap_or_else(PoisonError::into_inner);
                return replies.into_iter().map(|reply| Msg::Reply(Box::new(reply))).collect();
            }
            (Effect::UseTheme(name), Some(themes)) => self.styles = Styles::new(&themes.load(&name).0),
            (effect, _) => self.effects.push(effect),
        }
        Vec::new()
    }

    /// Returns the screen as an SVG image.
    pub fn svg(&mut self) -> String {
        self.draw_at_size();
        svg::render(self.drawn(), &self.styles)
    }

    /// Returns the screen as a frame of an animated image.
    pub fn frame(&mut self, time: u64) -> svg::Frame {
        self.draw_at_size();
        svg::Frame { buffer: self.drawn().clone(), time }
    }

    /// Returns frames as one animated SVG image.
    pub fn animate(&self, frames: &[svg::Frame]) -> String {
        svg::animate(frames, &self.styles)
    }

    fn draw_at_size(&mut self) {
        let Size { width, height } = self.app.size;
        if self.terminal.size().is_ok_and(|size| (size.width, size.height) != (width, height)) {
            self.terminal = terminal(self.app.size);
        }
        self.draw();
    }

    /// What was drawn last.
    pub fn drawn(&self) -> &Buffer {
        self.terminal.backend().buffer()
    }

    pub fn draw(&mut self) {
        let (app, styles) = (&self.app, &self.styles);
        // A screen in memory cannot fail.
        let Ok(_) = self.terminal.draw(|frame| draw(app, styles, frame));
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        let mut waiting = VecDeque::from(effects);
        while let Some(effect) = waiting.pop_front() {
            for msg in self.answer(effect) {
                waiting.extend(update(&mut self.app, msg));
            }
        }
    }
}

fn terminal(size: Size) -> Terminal<TestBackend> {
    let Ok(terminal) = Terminal::new(TestBackend::new(size.width, size.height));
    terminal
}
