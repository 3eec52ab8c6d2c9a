//! Records the messages of the terminal, and replays a recording.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;

use super::open::Replay;
use crate::workbench::app::{
    Msg,
    area::Size,
    recording::{Event, Header, VERSION, What, line},
};

/// Writes a recording.
pub struct Recorder {
    path: PathBuf,
    file: File,
    started: Instant,
}

impl Recorder {
    /// Creates the file; `session` is the state that the recording starts from.
    pub fn start(path: &Path, size: Size, session: String) -> io::Result<Recorder> {
        let mut file = File::create_new(path)?;
        let header = Header { version: VERSION, size, session };
        file.write_all(line(&header)?.as_bytes())?;
        Ok(Recorder { path: path.to_owned(), file, started: Instant::now() })
    }

    /// Returns the event to write for a message, if it is recorded at all; `update` consumes the message before it is
    /// known whether to write it.
    pub fn event(&self, msg: &Msg) -> Option<Event> {
        let at = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        What::of(msg).map(|what| Event { at, what })
    }

    /// Appends an event at once, so that a crash loses nothing.
    pub fn write(&mut self, event: &Event) -> Result<(), String> {
        let written =
            line(event).map_err(io::Error::from).and_then(|line| self.file.write_all(line.as_bytes()));
        written.map_err(|error| format!("the recording {} stops here: {error}", self.path.display()))
    }
}

/// What a replay sends to the event loop.
pub enum ReplayEvent {
    Msg(Msg),
    Ended { then_quit: bool },
}

/// Replays a recording from a thread of its own. The workbench gets the recorded sizes, whatever the
/// size of the terminal: clicks hit what they hit then, and a larger screen shows its upper left corner.
pub fn replay(replay: Replay, out: Sender<ReplayEvent>) -> io::Result<()> {
    let play = move || {
        let started = Instant::now();
        let first = Msg::Resize(replay.recording.header.size);
        if out.send(ReplayEvent::Msg(first)).is_err() {
            return;
        }
        for event in replay.recording.events {
            let at = Duration::from_secs_f64(event.at as f64 / 1000.0 / replay.speed);
            thread::sleep(at.saturating_sub(started.elapsed()));
            let msg = event.what.msg();
            if msg.is_some_and(|msg| out.send(ReplayEvent::Msg(msg)).is_err()) {
                return;
            }
        }
        let _ = out.send(ReplayEvent::Ended { then_quit: replay.then_quit });
    };
    thread::Builder::new().name("replay".to_owned()).spawn(play).map(drop)
}
