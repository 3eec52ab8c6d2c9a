//! What happens to the workbench.
//!
//! Whatever the workbench does follows from the messages it was given, in order. Those that come from
//! the outside can be written down and given again.

use serde::{Deserialize, Serialize};

use super::{area::Size, key::KeyPress, work::Reply};

/// Something that happened.
#[derive(Debug)]
pub enum Msg {
    Key(KeyPress),
    Mouse(Mouse),
    Resize(Size),
    /// Text that the terminal says was pasted, not typed.
    Paste(String),
    /// Time passes: milliseconds since the start.
    Tick(u64),
    /// The backend has replied to a request.
    Reply(Box<Reply>),
    /// Something outside is done or has gone wrong.
    Report(Report),
}

/// What the outside has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    Done(String),
    Wrong(String),
    /// Whether the session could be saved, so that leaving loses nothing.
    Remembered(bool),
    /// The sessions that can be opened.
    Sessions(Vec<Offer>),
}

/// Something that can be chosen by its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    pub name: String,
    /// A few words about it.
    pub about: String,
}

/// What the mouse did, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mouse {
    pub event: MouseEvent,
    pub x: u16,
    pub y: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseEvent {
    /// The left button, which is the only one the workbench listens to.
    Press,
    Drag,
    Release,
    WheelUp,
    WheelDown,
}
