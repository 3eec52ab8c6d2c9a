//! The loop: take what happened, change the state, do what is wanted, draw.

use std::{
    io, thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, never, select, tick, unbounded};

use super::{
    UiError,
    draw::draw,
    input::{self, Input},
    looks::Looks,
    signals::{self, Signal},
    start::{Begun, Surroundings, Wishes},
    tape::{self, Recorder},
    terminal::Screen,
    theme::Theme,
};
use crate::{
    corpus::store::Store,
    workbench::app::{App, Effect, Msg, message::Report, update, work::Reply},
    workbench::backend::{
        Services, Workers,
        session_writer::{self, SessionWriter},
    },
    workbench::session::CorpusReference,
};

/// Frames are drawn at most this often.
const FRAME: Duration = Duration::from_millis(16);
/// How often the clock is told.
const TICK: Duration = Duration::from_millis(100);

/// The workbench at a terminal.
struct Session<'a> {
    around: &'a Surroundings<'a>,
    app: App,
    looks: Looks,
    theme: Theme,
    screen: Screen,
    workers: Workers,
    replies: Receiver<Reply>,
    /// None when nothing is remembered.
    writer: Option<SessionWriter>,
    recorder: Option<Recorder>,
    started: Instant,
    last_drawn: Option<Instant>,
    is_over: bool,
    /// While a recording is replayed the sizes are its own.
    is_replaying: bool,
    /// What went wrong and could not be told on the screen any more.
    farewell: Vec<String>,
}

/// What happens outside, as it comes in.
struct Sources {
    input: Receiver<Input>,
    replay: Receiver<Input>,
    signals: Receiver<Signal>,
    clock: Receiver<Instant>,
}

/// Runs until the user leaves; returns what is to be told afterwards.
pub fn run(begun: Begun, around: &Surroundings<'_>, wishes: &Wishes) -> Result<Vec<String>, UiError> {
    let recorder = wishes.record.as_deref().map(|path| start_recording(path, &begun)).transpose()?;
    let Begun { app, store, looks } = begun;
    let (workers, replies) = start_workers(around, &store)?;
    let writer = start_writer(around, &app, &store)?;
    let (play, sources) = sources()?;
    if let Some(replay) = wishes.replay.clone() {
        tape::play(replay, play.clone())?;
    }
    let theme = Theme::default();
    let screen = Screen::enter(app.captures_mouse)?;
    let mut session = Session {
        around,
        app,
        looks,
        theme,
        screen,
        workers,
        replies,
        writer,
        recorder,
        started: Instant::now(),
        last_drawn: None,
        is_over: false,
        is_replaying: wishes.replay.is_some(),
        farewell: Vec::new(),
    };
    session.begin()?;
    while !session.is_over {
        session.draw_if_due()?;
        session.wait(&sources)?;
    }
    session.keep(false);
    // The sender had to stay: a channel that is closed is always ready.
    drop(play);
    Ok(session.farewell)
}

fn start_recording(path: &std::path::Path, begun: &Begun) -> Result<Recorder, UiError> {
    let corpus = CorpusReference::named(&begun.app.corpus.name, begun.store.fingerprint());
    let session =
        session_writer::session(&begun.store, &corpus, &begun.app.snapshot()).map_err(UiError::Corpus)?;
    Recorder::start(path, begun.app.size, session.to_toml()?)
        .map_err(|source| UiError::Record { path: path.to_owned(), source })
}

fn start_workers(around: &Surroundings<'_>, store: &Store) -> Result<(Workers, Receiver<Reply>), UiError> {
    let (replies, replied) = unbounded();
    let services = Services::new(around.workspace.clone());
    Ok((Workers::start(store, services, &replies)?, replied))
}

fn start_writer(
    around: &Surroundings<'_>,
    app: &App,
    store: &Store,
) -> Result<Option<SessionWriter>, UiError> {
    match around.sessions().filter(|_| app.memory.is_kept) {
        Some(sessions) => Ok(Some(SessionWriter::start(sessions, store.reopen()?, &app.corpus.name)?)),
        None => Ok(None),
    }
}

fn sources() -> io::Result<(Sender<Input>, Sources)> {
    let (input_sender, input) = unbounded();
    let (signal_sender, signals) = unbounded();
    signals::listen(signal_sender)?;
    let (play, replay) = unbounded();
    // The thread is never joined: it waits for a key that may not come, and ends with the program.
    thread::Builder::new().name("input".to_owned()).spawn(move || input::read(&input_sender))?;
    Ok((play, Sources { input, replay, signals, clock: tick(TICK) }))
}

impl Session<'_> {
    fn begin(&mut self) -> io::Result<()> {
        let effects = self.app.start();
        self.run_effects(effects)
    }

    /// Waits for something to happen, or for the time of the next frame; then takes all that is there.
    fn wait(&mut self, sources: &Sources) -> io::Result<()> {
        let frame = match (self.last_drawn, self.app.is_dirty()) {
            (Some(last), true) => crossbeam_channel::at(last + FRAME),
            _ => never(),
        };
        let replies = self.replies.clone();
        let reports = self.writer.as_ref().map_or_else(never, |writer| writer.reports.clone());
        // Whoever was recorded had seen the answers; at another speed they come at another time.
        let replay = if self.app.desk.slots.is_idle() { sources.replay.clone() } else { never() };
        select! {
            recv(replay) -> input => if let Ok(input) = input {
                self.take_input(input)?;
            },
            recv(sources.input) -> input => self.take_typed(input.unwrap_or(Input::Closed))?,
            recv(replies) -> reply => if let Ok(reply) = reply {
                self.take(Msg::Reply(Box::new(reply)))?;
            },
            recv(reports) -> report => if let Ok(report) = report {
                self.take(Msg::Report(report))?;
            },
            recv(sources.signals) -> signal => if let Ok(signal) = signal {
                self.take_signal(signal)?;
            },
            recv(sources.clock) -> _ => self.take_time()?,
            recv(frame) -> _ => {}
        }
        while let Ok(input) = sources.input.try_recv() {
            self.take_typed(input)?;
        }
        while let Ok(reply) = self.replies.try_recv() {
            self.take(Msg::Reply(Box::new(reply)))?;
        }
        Ok(())
    }

    fn take(&mut self, msg: Msg) -> io::Result<()> {
        let event = self.recorder.as_ref().and_then(|recorder| recorder.event(&msg));
        let effects = update(&mut self.app, msg);
        // Leaving is not recorded, so that whoever replays it can go on from where it ends.
        if let (Some(recorder), Some(event)) = (&mut self.recorder, event)
            && !effects.contains(&Effect::Quit)
            && let Err(error) = recorder.write(&event)
        {
            self.recorder = None;
            self.app.desk.complain(error);
        }
        self.run_effects(effects)
    }

    fn tell(&mut self, report: Report) -> io::Result<()> {
        self.take(Msg::Report(report))
    }

    /// What comes from the terminal itself.
    fn take_typed(&mut self, input: Input) -> io::Result<()> {
        match input {
            Input::Msg(Msg::Resize(_)) if self.is_replaying => {
                self.app.mark_dirty();
                Ok(())
            }
            input => self.take_input(input),
        }
    }

    fn take_input(&mut self, input: Input) -> io::Result<()> {
        match input {
            Input::Msg(msg) => self.take(msg)?,
            Input::Replayed { then_quit: true } | Input::Closed => self.is_over = true,
            Input::Replayed { then_quit: false } => {
                self.is_replaying = false;
                self.take(Msg::Resize(self.screen.size()?))?;
                self.tell(Report::Done("the recording is over; the workbench is yours".to_owned()))?;
            }
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
            Effect::Request { generation, request } => self.workers.submit(generation, request),
            Effect::Cancel(slot) => self.workers.cancel(slot),
            Effect::Copy(text) => self.screen.copy(&text)?,
            Effect::CaptureMouse(capture) => self.screen.capture_mouse(capture)?,
            Effect::UseTheme(name) => {
                let (theme, problems) = self.looks.load(&name);
                self.theme = theme;
                self.app.desk.complain_of(&problems);
                self.app.mark_dirty();
            }
            Effect::SaveSession { name, snapshot } => match &self.writer {
                Some(writer) => writer.save(name, snapshot),
                None => self.tell(nothing_is_kept())?,
            },
            Effect::ListSessions => match &self.writer {
                Some(writer) => writer.list(),
                None => self.tell(nothing_is_kept())?,
            },
            Effect::OpenSession(name) => self.open_session(name)?,
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

    /// Puts another session in the place of this one, which is kept; when it cannot be opened, nothing changes.
    fn open_session(&mut self, name: String) -> io::Result<()> {
        let wishes = Wishes { session: Some(name), ..Wishes::default() };
        let begun = self.around.begin(&wishes, self.app.size).and_then(|begun| {
            let workers = start_workers(self.around, &begun.store)?;
            let writer = start_writer(self.around, &begun.app, &begun.store)?;
            Ok((begun, workers, writer))
        });
        match begun {
            Ok((begun, workers, writer)) => {
                self.keep(true);
                self.app = begun.app;
                self.app.desk.complain_of(&std::mem::take(&mut self.farewell));
                (self.workers, self.replies) = workers;
                self.writer = writer;
                self.screen.capture_mouse(self.app.captures_mouse)?;
                self.take_time()?;
                self.begin()
            }
            Err(error) => self.tell(Report::Wrong(error.to_string())),
        }
    }

    /// Saves the session for the last time.
    fn keep(&mut self, goes_on: bool) {
        if let Some(writer) = self.writer.take() {
            self.farewell.extend(writer.finish(self.app.snapshot(), goes_on));
        }
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        let is_due = self.last_drawn.is_none_or(|last| last.elapsed() >= FRAME);
        if is_due && self.app.take_dirty() {
            let (app, theme) = (&self.app, &self.theme);
            self.screen.draw(|frame| draw(app, theme, frame))?;
            self.last_drawn = Some(Instant::now());
        }
        Ok(())
    }
}

fn nothing_is_kept() -> Report {
    Report::Wrong("sessions are not kept: there is no workspace, or a recording is replayed".to_owned())
}
