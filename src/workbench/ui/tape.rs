//! Recording what happens at the terminal, and playing it again.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;

use super::{input::Input, start::Replay};
use crate::workbench::app::{
    Msg,
    area::Size,
    recording::{Event, Header, VERSION, What, line},
};

/// A recording being made.
pub struct Recorder {
    path: PathBuf,
    file: File,
    started: Instant,
}

impl Recorder {
    /// Starts a recording; `session` is what the workbench starts from.
    pub fn start(path: &Path, size: Size, session: String) -> io::Result<Recorder> {
        let mut file = File::create_new(path)?;
        let header = Header { version: VERSION, size, session };
        file.write_all(line(&header)?.as_bytes())?;
        Ok(Recorder { path: path.to_owned(), file, started: Instant::now() })
    }

    /// What is to be written of a message, before the message is used up.
    pub fn event(&self, msg: &Msg) -> Option<Event> {
        let at = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        What::of(msg).map(|what| Event { at, what })
    }

    /// Writes an event; every line is there as soon as it has happened.
    pub fn write(&mut self, event: &Event) -> Result<(), String> {
        let written =
            line(event).map_err(io::Error::from).and_then(|line| self.file.write_all(line.as_bytes()));
        written.map_err(|error| format!("the recording {} ends here: {error}", self.path.display()))
    }
}

/// Plays a recording into the workbench from a thread of its own. The workbench has the sizes it had then, whatever the
/// size of the terminal: clicks meet what they met, and a larger screen is seen from its upper left corner.
pub fn play(replay: Replay, out: Sender<Input>) -> io::Result<()> {
    let play = move || {
        let started = Instant::now();
        let first = Msg::Resize(replay.recording.header.size);
        if out.send(Input::Msg(first)).is_err() {
            return;
        }
        for event in replay.recording.events {
            let at = Duration::from_secs_f64(event.at as f64 / 1000.0 / replay.speed);
            thread::sleep(at.saturating_sub(started.elapsed()));
            let msg = event.what.msg();
            if msg.is_some_and(|msg| out.send(Input::Msg(msg)).is_err()) {
                return;
            }
        }
        let _ = out.send(Input::Replayed { then_quit: replay.then_quit });
    };
    thread::Builder::new().name("replay".to_owned()).spawn(play).map(drop)
}
