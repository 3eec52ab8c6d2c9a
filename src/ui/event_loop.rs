//! The loop: take what happened, change the state, do what is wanted, draw.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, never, select, tick, unbounded};

use super::{
    draw::draw,
    input::{self, Input},
    signals::{self, Signal},
    terminal::Screen,
    theme::Theme,
    workers::Workers,
};
use crate::{
    app::{App, Effect, Msg, update, work::Reply},
    corpus::store::{Store, StoreError},
};

/// Why the workbench could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    #[error("while using the terminal: {0}")]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Frames are drawn at most this often.
const FRAME: Duration = Duration::from_millis(16);
/// How often the clock is told.
const TICK: Duration = Duration::from_millis(100);

/// The workbench at a terminal.
struct Session<'a> {
    app: &'a mut App,
    theme: &'a Theme,
    screen: Screen,
    workers: Workers,
    started: Instant,
    last_drawn: Option<Instant>,
    is_over: bool,
}

/// What happens outside, as it comes in.
struct Sources {
    input: Receiver<Input>,
    signals: Receiver<Signal>,
    answers: Receiver<Reply>,
    clock: Receiver<Instant>,
}

/// Runs until the user leaves.
pub fn run(app: &mut App, store: &Store, theme: &Theme) -> Result<(), UiError> {
    let (answers, sources) = sources()?;
    let workers = Workers::start(store, &answers)?;
    let screen = Screen::enter(app.captures_mouse)?;
    let mut session =
        Session { app, theme, screen, workers, started: Instant::now(), last_drawn: None, is_over: false };
    let effects = session.app.start();
    session.run_effects(effects)?;
    while !session.is_over {
        session.draw_if_due()?;
        session.wait(&sources)?;
    }
    Ok(())
}

fn sources() -> io::Result<(Sender<Reply>, Sources)> {
    let (input_sender, input) = unbounded();
    let (signal_sender, signals) = unbounded();
    let (answer_sender, answers) = unbounded();
    signals::listen(signal_sender)?;
    // The thread is never joined: it waits for a key that may not come, and ends with the program.
    thread::Builder::new().name("input".to_owned()).spawn(move || input::read(&input_sender))?;
    Ok((answer_sender, Sources { input, signals, answers, clock: tick(TICK) }))
}

impl Session<'_> {
    /// Waits for something to happen, or for the time of the next frame; then takes all that is there.
    fn wait(&mut self, sources: &Sources) -> io::Result<()> {
        let frame = match (self.last_drawn, self.app.is_dirty()) {
            (Some(last), true) => crossbeam_channel::at(last + FRAME),
            _ => never(),
        };
        select! {
            recv(sources.input) -> input => self.take_input(input.unwrap_or(Input::Closed))?,
            recv(sources.answers) -> reply => if let Ok(reply) = reply {
                self.take(Msg::Answer(Box::new(reply)))?;
            },
            recv(sources.signals) -> signal => if let Ok(signal) = signal {
                self.take_signal(signal)?;
            },
            recv(sources.clock) -> _ => self.take_time()?,
            recv(frame) -> _ => {}
        }
        while let Ok(input) = sources.input.try_recv() {
            self.take_input(input)?;
        }
        while let Ok(reply) = sources.answers.try_recv() {
            self.take(Msg::Answer(Box::new(reply)))?;
        }
        Ok(())
    }

    fn take(&mut self, msg: Msg) -> io::Result<()> {
        let effects = update(self.app, msg);
        self.run_effects(effects)
    }

    fn take_input(&mut self, input: Input) -> io::Result<()> {
        match input {
            Input::Msg(msg) => self.take(msg)?,
            Input::Closed => self.is_over = true,
        }
        Ok(())
    }

    fn take_time(&mut self) -> io::Result<()> {
        let now = self.started.elapsed().as_millis();
        self.take(Msg::Tick(u64::try_from(now).unwrap_or(u64::MAX)))
    }

    fn take_signal(&mut self, signal: Signal) -> io::Result<()> {
        match signal {
            Signal::Leave => self.is_over = true,
            Signal::Suspend => self.run_effects(vec![Effect::Suspend])?,
            // The shell may have changed the terminal while the workbench was stopped.
            Signal::Continue => {
                self.screen.while_away(|| {})?;
                self.app.mark_dirty();
            }
        }
        Ok(())
    }

    fn run_effects(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        effects.into_iter().try_for_each(|effect| self.run_effect(effect))
    }

    /// The only place where the workbench touches anything outside itself.
    fn run_effect(&mut self, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::Ask { slot, generation, question } => self.workers.ask(slot, generation, question),
            Effect::Copy(text) => self.screen.copy(&text)?,
            Effect::CaptureMouse(capture) => self.screen.capture_mouse(capture)?,
            Effect::Redraw => {
                self.screen.forget()?;
                self.app.mark_dirty();
            }
            Effect::Suspend => {
                self.screen.while_away(signals::stop)?;
                self.app.mark_dirty();
            }
            Effect::Quit => self.is_over = true,
        }
        Ok(())
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        let is_due = self.last_drawn.is_none_or(|last| last.elapsed() >= FRAME);
        if is_due && self.app.take_dirty() {
            let (app, theme) = (&*self.app, self.theme);
            self.screen.draw(|frame| draw(app, theme, frame))?;
            self.last_drawn = Some(Instant::now());
        }
        Ok(())
    }
}
