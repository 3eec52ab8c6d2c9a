//! What the workbench wants done to the world outside.

use super::{
    snapshot::AppSnapshot,
    work::{Generation, Request, Slot},
};

/// Something that only the event loop may do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a request to the backend.
    Request {
        generation: Generation,
        request: Request,
    },
    /// Cancel the request of a slot.
    Cancel(Slot),
    /// Put a text on the clipboard.
    Copy(String),
    /// Listen to the mouse, or leave it to the terminal so that text can be selected.
    CaptureMouse(bool),
    /// Draw with this theme from now on.
    UseTheme(String),
    /// Save the session under a name, or as the one that the next start opens.
    SaveSession {
        name: Option<String>,
        snapshot: Box<AppSnapshot>,
    },
    /// Find out which sessions there are; [`super::message::Report::Sessions`] tells.
    ListSessions,
    /// Leave what is open and open a session.
    OpenSession(String),
    /// Draw everything again, whatever the terminal is thought to show.
    Redraw,
    /// Give the terminal back to the shell until the user returns.
    Suspend,
    Quit,
}
