//! Recordings: what happened to the workbench from outside, and when.
//!
//! A recording is a file of JSON Lines. The first says which version it is, how large the screen was and
//! what the workbench started from; each other is one event with its time in milliseconds. Answers of
//! workers are not in it: they follow from the events. The last line may be torn when the program was killed;
//! then it is left out. A recording can be written by hand, and a line `{"at":0,"screen":"browse"}` asks for a
//! picture of the screen.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use super::{Msg, area::Size, key::KeyPress, message::Mouse};

/// The version of the format that is written.
pub const VERSION: u32 = 1;
/// The maximum number of columns and rows of a screen.
const LARGEST_SCREEN: u16 = 2000;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version, under a key that identifies the file type.
    #[serde(rename = "matchbook-recording")]
    pub version: u32,
    pub size: Size,
    /// The session that the workbench started from, as its file has it; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
}

/// Any other line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Milliseconds since the start.
    pub at: u64,
    #[serde(flatten)]
    pub what: What,
}

/// What came from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    #[serde(with = "as_written")]
    Key(KeyPress),
    Mouse(Mouse),
    Resize(Size),
    Paste(String),
    /// Requests a picture of the screen under this name.
    Screen(String),
}

/// A recording that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub header: Header,
    pub events: Vec<Event>,
}

/// Why a text is not a recording.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    #[error("it is empty")]
    Empty,
    #[error("line 1 is not the beginning of a recording: {0}")]
    Header(String),
    #[error("it was written by a newer matchbook (version {0}; this one reads version {VERSION})")]
    Newer(u32),
    #[error("line {line} is not an event: {problem}")]
    Line { line: usize, problem: String },
}

impl What {
    /// What to write down of a message, if it came from outside.
    pub fn of(msg: &Msg) -> Option<What> {
        match msg {
            Msg::Key(key) => Some(What::Key(*key)),
            Msg::Mouse(mouse) => Some(What::Mouse(*mouse)),
            Msg::Resize(size) => Some(What::Resize(*size)),
            Msg::Paste(text) => Some(What::Paste(text.clone())),
            Msg::Tick(_) | Msg::Reply(_) | Msg::Report(_) => None,
        }
    }

    /// The message, unless it only requests a picture.
    pub fn msg(self) -> Option<Msg> {
        match self {
            What::Key(key) => Some(Msg::Key(key)),
            What::Mouse(mouse) => Some(Msg::Mouse(mouse)),
            What::Resize(size) => Some(Msg::Resize(size)),
            What::Paste(text) => Some(Msg::Paste(text)),
            What::Screen(_) => None,
        }
    }
}

impl Recording {
    /// Reads a recording.
    pub fn parse(text: &str) -> Result<Recording, RecordingError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
        let (_, first) = lines.next().ok_or(RecordingError::Empty)?;
        let header: Header = serde_json::from_str(first).map_err(|error| match version(first) {
            Some(newer) if newer > VERSION => RecordingError::Newer(newer),
            _ => RecordingError::Header(error.to_string()),
        })?;
        if header.version > VERSION {
            return Err(RecordingError::Newer(header.version));
        }
        check_size(header.size).map_err(RecordingError::Header)?;
        let mut events = Vec::new();
        while let Some((index, line)) = lines.next() {
            let read = serde_json::from_str::<Event>(line).map_err(|error| error.to_string());
            let read = read.and_then(|event| match event.what {
                What::Resize(size) => check_size(size).map(|()| event),
                _ => Ok(event),
            });
            match read {
                Ok(event) => events.push(event),
                // The writer was killed within the line.
                Err(_) if lines.peek().is_none() && !text.ends_with('\n') => {}
                Err(problem) => return Err(RecordingError::Line { line: index + 1, problem }),
            }
        }
        Ok(Recording { header, events })
    }
}

/// Refuses screens that no terminal has: a cell takes memory, and a screen of 65,535 by 65,535 cells some hundred gigabytes.
fn check_size(size: Size) -> Result<(), String> {
    match size.width <= LARGEST_SCREEN && size.height <= LARGEST_SCREEN {
        true => Ok(()),
        false => Err(format!(
            "the screen has {} by {} cells, but the limit is {LARGEST_SCREEN} by {LARGEST_SCREEN}",
            size.width, size.height
        )),
    }
}

/// A line of the file, with its end.
pub fn line(part: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(part)? + "\n")
}

fn version(line: &str) -> Option<u32> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    u32::try_from(value.get("matchbook-recording")?.as_u64()?).ok()
}

/// Keys are written as everywhere else: `ctrl-l`.
mod as_written {
    use serde::{Deserializer, Serializer, de::Error};

    use super::{Deserialize, Display, KeyPress};

    pub fn serialize<S: Serializer>(key: &(impl Display + ?Sized), out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(key)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<KeyPress, D::Error> {
        String::deserialize(input)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::workbench::app::{
        key::Key,
        message::{Mouse, MouseEvent},
    };

    fn what() -> impl Strategy<Value = What> {
        prop_oneof![
            (any::<char>(), any::<bool>(), any::<bool>()).prop_map(|(letter, control, alt)| {
                What::Key(KeyPress { key: Key::Character(letter), control, alt })
            }),
            Just(What::Key(KeyPress::plain(Key::PageDown))),
            (any::<u16>(), any::<u16>()).prop_map(|(x, y)| What::Mouse(Mouse {
                event: MouseEvent::WheelDown,
                x,
                y
            })),
            (0..=LARGEST_SCREEN, 0..=LARGEST_SCREEN)
                .prop_map(|(width, height)| What::Resize(Size { width, height })),
            any::<String>().prop_map(What::Paste),
        ]
    }

    proptest! {
        #[test]
        fn recordings_are_read_as_they_were_written_even_when_torn(
            events in prop::collection::vec((any::<u32>(), what()), 0..8), cut in 0usize..40,
        ) {
            let header = Header { version: VERSION, size: Size { width: 80, height: 24 }, session: String::new() };
            let events: Vec<Event> =
                events.into_iter().map(|(at, what)| Event { at: at.into(), what }).collect();
            let mut text = line(&header).unwrap();
            let start = text.len();
            for event in &events {
                text.push_str(&line(event).unwrap());
            }
            let whole = Recording { header, events };
            prop_assert_eq!(Recording::parse(&text).unwrap(), whole.clone());
            let mut end = text.len().saturating_sub(cut).max(start);
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let torn = Recording::parse(&text[..end]).unwrap();
            prop_assert_eq!(&torn.events[..], &whole.events[..torn.events.len()]);
        }
    }

    #[test]
    fn what_is_no_recording_is_refused_with_its_line() {
        let check = |text: &str, expected: &str| {
            let error = Recording::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        };
        check("", "it is empty");
        check("hello\n", "line 1 is not the beginning");
        check("{\"matchbook-recording\":9,\"new\":true}\n", "it was written by a newer matchbook (version 9");
        let header = "{\"matchbook-recording\":1,\"size\":{\"width\":80,\"height\":24}}\n";
        check(&format!("{header}{{\"at\":1,\"key\":\"hyper-x\"}}\n"), "line 2 is not an event");
        check(
            &header.replace("80", "65535"),
            "line 1 is not the beginning of a recording: the screen has 65535 by 24",
        );
        let huge = "{\"at\":1,\"resize\":{\"width\":9,\"height\":65535}}";
        check(&format!("{header}{huge}\n"), "line 2 is not an event: the screen has 9 by 65535 cells");
        let keys = Recording::parse(&format!("{header}{{\"at\":1,\"key\":\"ctrl-l\"}}\n")).unwrap();
        assert_eq!(keys.events[0].what, What::Key("ctrl-l".parse().unwrap()));
    }
}
