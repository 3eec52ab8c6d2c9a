//! Messages: everything that happens to the workbench.
//!
//! The state is a function of the messages in their order. Those that come from
//! outside can be recorded and replayed.

use serde::{Deserialize, Serialize};

use super::{
    area::Size,
    build::BuildReport,
    key::KeyPress,
    paths::{PathOffer, PathPurpose},
    settings::SettingsList,
    work::Reply,
};

/// An event.
#[derive(Debug)]
pub enum Msg {
    Key(KeyPress),
    Mouse(Mouse),
    Resize(Size),
    /// Text that the terminal reports as pasted, not typed.
    Paste(String),
    /// The time in milliseconds since the start.
    Tick(u64),
    /// The backend has replied to a request.
    Reply(Box<Reply>),
    /// An effect was carried out or has failed.
    Report(Report),
}

/// The outcome of an effect.
#[derive(Clone, Debug)]
pub enum Report {
    Done(String),
    Wrong(String),
    /// Whether the session was saved, so that leaving loses nothing.
    SessionSaved(bool),
    /// The sessions that can be opened.
    Sessions(Vec<Offer>),
    /// Recent corpora, and corpora nearby.
    Corpora(Vec<Offer>),
    /// The entries of a folder.
    Paths {
        purpose: PathPurpose,
        folder: String,
        entries: Vec<PathOffer>,
    },
    Build(BuildReport),
    Settings(Box<SettingsList>),
    /// A value that was not written, and why.
    SettingRefused {
        name: String,
        value: String,
        problem: String,
    },
}

/// A named item of a chooser.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    pub name: String,
    /// A short description.
    pub about: String,
}

/// A mouse event and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mouse {
    pub event: MouseEvent,
    pub x: u16,
    pub y: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseEvent {
    /// The left button; the others are ignored.
    Press,
    Drag,
    Release,
    WheelUp,
    WheelDown,
}
