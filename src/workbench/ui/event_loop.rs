//! The event loop: receive messages, update the state, carry out effects, draw.

use std::{
    io,
    panic::{self, AssertUnwindSafe},
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, never, select, tick, unbounded};

use super::{
    UiError,
    draw::draw,
    input::{self, Input},
    signals::{self, Signal},
    styles::Styles,
    terminal::{self, Screen},
};
use crate::{
    base::printable::Printable,
    corpus::store::Store,
    train::device::Device,
    workbench::app::{App, Effect, Msg, message::Report, settings::SettingsList, update, work::Reply},
    workbench::backend::OpenError,
    workbench::backend::{
        self, Builder, Environment, OpenOptions, OpenedWorkbench, Recorder, ReplayEvent, Services,
        SettingsError, TerminalThemes, Workers,
        session_writer::{self, Keep, SessionWriter},
    },
    workbench::session::SessionCorpus,
    workbench::theme::Theme,
};

/// The minimum time between two frames.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);
/// How often the state gets the time.
const TICK_INTERVAL: Duration = Duration::from_millis(100);

/// The workbench at a terminal.
struct Session<'a> {
    environment: Environment<'a>,
    device: &'a Device,
    app: App,
    themes: TerminalThemes,
    styles: Styles,
    screen: Screen,
    workers: Workers,
    replies: Receiver<Reply>,
    builder: Builder,
    /// None if sessions are not saved.
    writer: Option<SessionWriter>,
    recorder: Option<Recorder>,
    started: Instant,
    last_drawn: Option<Instant>,
    is_over: bool,
    /// How often another corpus, session or workspace was opened.
    opened: u32,
    /// A replay has the recorded sizes, whatever the terminal's.
    is_replaying: bool,
    /// Problems that came too late for the screen; printed after it is closed.
    problems: Vec<String>,
}

/// The channels that the loop waits for.
struct Sources {
    input: Receiver<Input>,
    replay: Receiver<ReplayEvent>,
    signals: Receiver<Signal>,
    clock: Receiver<Instant>,
}

/// Runs until the user quits; returns problems to print afterwards.
pub fn run(
    opened: OpenedWorkbench,
    environment: &Environment<'_>,
    options: &OpenOptions,
) -> Result<Vec<String>, UiError> {
    let recorder = options.record.as_deref().map(|path| start_recording(path, &opened)).transpose()?;
    let (workers, replies) = start_workers(environment, &options.device, &opened)?;
    let OpenedWorkbench { app, store, themes, .. } = opened;
    let writer = start_writer(environment, &app, &store)?;
    let (replay_sender, sources) = sources()?;
    if let Some(replay) = options.replay.clone() {
        backend::replay(replay, replay_sender.clone())?;
    }
    let screen = Screen::enter(app.captures_mouse)?;
    let mut session = Session {
        environment: environment.clone(),
        device: &options.device,
        app,
        themes,
        styles: Styles::new(&Theme::default()),
        screen,
        workers,
        replies,
        builder: Builder::default(),
        writer,
        recorder,
        started: Instant::now(),
        last_drawn: None,
        is_over: false,
        opened: 0,
        is_replaying: options.replay.is_some(),
        problems: Vec::new(),
    };
    // A terminal that is closed fails anywhere in the loop, and a bug may panic: the session is saved in either case.
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| session.run(&sources)));
    // A closed channel is always ready, so the sender must live as long as the loop.
    drop(replay_sender);
    match outcome {
        Ok(outcome) => {
            session.keep(Keep::Last);
            outcome?;
            Ok(session.problems)
        }
        Err(defect) => {
            session.keep_after_defect();
            panic::resume_unwind(defect)
        }
    }
}

fn start_recording(path: &std::path::Path, opened: &OpenedWorkbench) -> Result<Recorder, UiError> {
    let corpus = SessionCorpus::named(&opened.app.corpus.name, opened.store.fingerprint());
    let session =
        session_writer::session(&opened.store, &corpus, &opened.app.snapshot()).map_err(OpenError::Corpus)?;
    Recorder::start(path, opened.app.size, session.to_toml()?)
        .map_err(|source| UiError::Record { path: path.to_owned(), source })
}

fn start_workers(
    environment: &Environment<'_>,
    device: &Device,
    opened: &OpenedWorkbench,
) -> Result<(Workers, Receiver<Reply>), UiError> {
    let (sender, replies) = unbounded();
    let mut services = Services::new(environment.workspace.clone(), device);
    if opened.has_built_in {
        services = services.with_built_in_runs();
    }
    Ok((Workers::start(&opened.store, services, &sender)?, replies))
}

fn start_writer(
    environment: &Environment<'_>,
    app: &App,
    store: &Store,
) -> Result<Option<SessionWriter>, UiError> {
    match environment.sessions().filter(|_| app.session.is_kept) {
        Some(sessions) => Ok(Some(SessionWriter::start(sessions, store.reopen()?, &app.corpus.name)?)),
        None => Ok(None),
    }
}

fn sources() -> io::Result<(Sender<ReplayEvent>, Sources)> {
    let (input_sender, input) = unbounded();
    let (signal_sender, signals) = unbounded();
    signals::listen(signal_sender)?;
    let (replay_sender, replay) = unbounded();
    // Never joined: the thread blocks on a key that may not come, and ends with the process.
    thread::Builder::new().name("input".to_owned()).spawn(move || input::read(&input_sender))?;
    Ok((replay_sender, Sources { input, replay, signals, clock: tick(TICK_INTERVAL) }))
}

impl Session<'_> {
    /// Runs until the user quits or the terminal is gone.
    fn run(&mut self, sources: &Sources) -> io::Result<()> {
        self.start()?;
        while !self.is_over {
            self.draw_if_due()?;
            self.wait(sources)?;
        }
        Ok(())
    }

    fn start(&mut self) -> io::Result<()> {
        let effects = self.app.start();
        self.run_effects(effects)
    }

    /// Waits for a message or for the time of the next frame, then drains the input and the replies.
    fn wait(&mut self, sources: &Sources) -> io::Result<()> {
        let frame = match (self.last_drawn, self.app.is_dirty()) {
            (Some(last), true) => crossbeam_channel::at(last + FRAME_INTERVAL),
            _ => never(),
        };
        let replies = self.replies.clone();
        let built = self.builder.reports.clone();
        let reports = self.writer.as_ref().map_or_else(never, |writer| writer.reports.clone());
        // The recorded user had seen the replies; at another speed they arrive at another time.
        let replay = if self.app.host.slots.is_idle() { sources.replay.clone() } else { never() };
        select! {
            recv(replay) -> event => if let Ok(event) = event {
                self.take_replay(event)?;
            },
            recv(sources.input) -> input => self.take_input(input.unwrap_or(Input::Closed))?,
            recv(replies) -> reply => if let Ok(reply) = reply {
                self.take(Msg::Reply(Box::new(reply)))?;
            },
            recv(reports) -> report => if let Ok(report) = report {
                self.take(Msg::Report(report))?;
            },
            recv(built) -> report => if let Ok(report) = report {
                self.take(Msg::Report(report))?;
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
        while let Ok(reply) = self.replies.try_recv() {
            self.take(Msg::Reply(Box::new(reply)))?;
        }
        Ok(())
    }

    fn take(&mut self, msg: Msg) -> io::Result<()> {
        let event = self.recorder.as_ref().and_then(|recorder| recorder.event(&msg));
        let effects = update(&mut self.app, msg);
        // Quitting is not recorded, so that the user can continue where a replay ends.
        if let (Some(recorder), Some(event)) = (&mut self.recorder, event)
            && !effects.contains(&Effect::Quit)
            && let Err(error) = recorder.write(&event)
        {
            self.recorder = None;
            self.app.host.report_error(error);
        }
        self.run_effects(effects)
    }

    fn report(&mut self, report: Report) -> io::Result<()> {
        self.take(Msg::Report(report))
    }

    fn take_input(&mut self, input: Input) -> io::Result<()> {
        match input {
            Input::Msg(Msg::Resize(_)) if self.is_replaying => self.app.mark_dirty(),
            Input::Msg(msg) => self.take(msg)?,
            Input::Closed => self.is_over = true,
        }
        Ok(())
    }

    fn take_replay(&mut self, event: ReplayEvent) -> io::Result<()> {
        match event {
            ReplayEvent::Msg(msg) => self.take(msg)?,
            ReplayEvent::Ended { then_quit: true } => self.is_over = true,
            ReplayEvent::Ended { then_quit: false } => {
                self.is_replaying = false;
                self.take(Msg::Resize(self.screen.size()?))?;
                self.report(Report::Done("the recording is over; the workbench accepts input".to_owned()))?;
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
            Signal::Terminate => self.is_over = true,
            Signal::Suspend => self.run_effects(vec![Effect::Suspend])?,
            // The shell may have changed the terminal while the workbench was stopped.
            Signal::Continue => {
                self.screen.suspend_for(|| {})?;
                self.app.mark_dirty();
            }
        }
        Ok(())
    }

    fn run_effects(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        effects.into_iter().try_for_each(|effect| self.run_effect(effect))
    }

    /// The only place where the workbench has side effects.
    fn run_effect(&mut self, effect: Effect) -> io::Result<()> {
        match effect {
            Effect::Request { generation, request } => self.workers.submit(generation, request),
            Effect::Cancel(slot) => self.workers.cancel(slot),
            Effect::Copy(text) => self.screen.copy(&text)?,
            Effect::OpenInBrowser(address) => self.report(open_in_browser(&address))?,
            Effect::CaptureMouse(capture) => self.screen.capture_mouse(capture)?,
            Effect::UseTheme(name) => {
                let (theme, problems) = self.themes.load(&name);
                self.styles = Styles::new(&theme);
                self.app.host.report_problems(&problems);
                self.app.mark_dirty();
            }
            Effect::SaveSession { name, snapshot } => match &self.writer {
                Some(writer) => writer.save(name, snapshot),
                None => self.report(sessions_are_not_saved())?,
            },
            Effect::ListSessions => match &self.writer {
                Some(writer) => writer.list(),
                None => self.report(sessions_are_not_saved())?,
            },
            Effect::ListCorpora => {
                let corpora = self.environment.corpora();
                self.report(Report::Corpora(corpora))?;
            }
            Effect::ListPaths { purpose, folder } => {
                let entries = backend::entries(purpose, &folder);
                self.report(Report::Paths { purpose, folder, entries })?;
            }
            Effect::OpenWorkspace(path) => self.open_workspace(&path)?,
            Effect::Build(request) => self.builder.start(request, self.environment.workspace.clone())?,
            Effect::StopBuild => self.builder.stop(),
            Effect::ListSettings => self.report(settings_report(self.environment.list_settings()))?,
            Effect::WriteSetting { name, value } => {
                let themes: Vec<String> =
                    self.app.theme.offers.iter().map(|offer| offer.name.clone()).collect();
                let report = match self.environment.write_setting(&name, &value, &themes) {
                    Ok(list) => Report::Settings(Box::new(list)),
                    Err(error) => Report::SettingRefused { name, value, problem: error.to_string() },
                };
                self.report(report)?;
            }
            Effect::OpenCorpus(path) => {
                let path = backend::expand_home(&path).display().to_string();
                self.reopen(&OpenOptions { corpus: Some(path), ..OpenOptions::default() })?;
            }
            Effect::OpenSession(name) => {
                self.reopen(&OpenOptions { session: Some(name), ..OpenOptions::default() })?;
            }
            Effect::Redraw => {
                self.screen.invalidate()?;
                self.app.mark_dirty();
            }
            Effect::Suspend => {
                self.screen.suspend_for(signals::stop)?;
                self.app.mark_dirty();
            }
            Effect::Quit => self.is_over = true,
        }
        Ok(())
    }

    /// Saves this session and opens another one, or another corpus; nothing changes if that fails.
    fn reopen(&mut self, options: &OpenOptions) -> io::Result<()> {
        let opened =
            self.environment.open(options, self.app.size).map_err(UiError::from).and_then(|opened| {
                let workers = start_workers(&self.environment, self.device, &opened)?;
                let writer = start_writer(&self.environment, &opened.app, &opened.store)?;
                Ok((opened, workers, writer))
            });
        match opened {
            Ok((opened, workers, writer)) => {
                self.keep(Keep::Previous);
                let mut app = opened.app;
                app.adopt_build(&mut self.app);
                self.app = app;
                self.app.host.report_problems(&std::mem::take(&mut self.problems));
                self.opened += 1;
                (self.workers, self.replies) = workers;
                self.writer = writer;
                self.screen.capture_mouse(self.app.captures_mouse)?;
                self.take_time()?;
                self.start()
            }
            Err(error) => self.report(Report::Wrong(error.to_string())),
        }
    }

    /// Saves this session and opens the last one of another workspace; nothing changes if that fails.
    fn open_workspace(&mut self, path: &str) -> io::Result<()> {
        let (workspace, done) = match backend::make_workspace(path) {
            Ok(made) => made,
            Err(error) => return self.report(Report::Wrong(error)),
        };
        // The session that is open belongs to the workspace that is left, and is kept there as its last one.
        if let Some(writer) = &self.writer {
            writer.save(None, Box::new(self.app.snapshot()));
        }
        let before = self.environment.workspace.replace(workspace);
        let opened_before = self.opened;
        self.reopen(&OpenOptions { is_change: true, ..OpenOptions::default() })?;
        if self.opened == opened_before {
            self.environment.workspace = before;
            return Ok(());
        }
        self.report(Report::Done(done))
    }

    /// Saves the session and stops the thread that does so.
    fn keep(&mut self, name: Keep) {
        if let Some(writer) = self.writer.take() {
            self.problems.extend(writer.finish(self.app.snapshot(), name));
        }
    }

    /// Saves the session after a panic, under a name of its own: a state that panics must not be opened by every start.
    fn keep_after_defect(&mut self) {
        let kept = panic::catch_unwind(AssertUnwindSafe(|| self.keep(Keep::Defect)));
        let is_kept = kept.is_ok() && self.problems.is_empty() && self.app.session.is_kept;
        if is_kept {
            let text = format!("matchbook: the session is saved as `{}`", Keep::Defect.name());
            terminal::notice(&Printable::line(&text));
        }
    }

    fn draw_if_due(&mut self) -> io::Result<()> {
        let is_due = self.last_drawn.is_none_or(|last| last.elapsed() >= FRAME_INTERVAL);
        if is_due && self.app.take_dirty() {
            let (app, styles) = (&self.app, &self.styles);
            self.screen.draw(|frame| draw(app, styles, frame))?;
            self.last_drawn = Some(Instant::now());
        }
        Ok(())
    }
}

/// Hands an address to the programs of `BROWSER`, then to the platform's opener, until one starts. Their own output
/// would disturb the screen.
fn open_in_browser(address: &str) -> Report {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let preferred = std::env::var("BROWSER").unwrap_or_default();
    let mut problems = Vec::new();
    for program in preferred.split(':').filter(|program| !program.is_empty()).chain([opener]) {
        let mut command = std::process::Command::new(program);
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(_) => return Report::Done(format!("opened {address} in the browser")),
            Err(error) => problems.push((program, error)),
        }
    }
    Report::Wrong(not_opened(address, &problems))
}

/// Why no program opened an address: the programs that were tried, and their errors.
fn not_opened(address: &str, problems: &[(&str, io::Error)]) -> String {
    let problem = |(program, error): &(&str, io::Error)| match error.kind() {
        io::ErrorKind::NotFound => format!("{program} was not found"),
        _ => format!("cannot run {program}: {error}"),
    };
    let problems: Vec<String> = problems.iter().map(problem).collect();
    format!("{}; set BROWSER to a program that can open {address}", problems.join(", "))
}

fn settings_report(list: Result<SettingsList, SettingsError>) -> Report {
    match list {
        Ok(list) => Report::Settings(Box::new(list)),
        Err(error) => Report::Wrong(error.to_string()),
    }
}

fn sessions_are_not_saved() -> Report {
    Report::Wrong(
        "sessions are not saved: there is no workspace, or a recording is being replayed".to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_browser_is_not_blamed_on_the_address() {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        assert_eq!(
            not_opened("a.xhtml", &[("xdg-open", missing())]),
            "xdg-open was not found; set BROWSER to a program that can open a.xhtml"
        );
        let refused = io::Error::other("refused");
        assert_eq!(
            not_opened("a.xhtml", &[("firefox", refused), ("xdg-open", missing())]),
            "cannot run firefox: refused, xdg-open was not found; set BROWSER to a program that can open a.xhtml"
        );
    }
}
