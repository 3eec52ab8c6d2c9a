//! Effects: what [`super::update`] asks the event loop to do.

use super::{
    snapshot::AppSnapshot,
    work::{Generation, Request, Slot},
};
use crate::base::printable::Printable;

/// A side effect; only the event loop carries it out.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a request to the backend.
    Request {
        generation: Generation,
        request: Request,
    },
    /// Cancel the request of a slot.
    Cancel(Slot),
    /// Copy a text to the clipboard.
    Copy(Printable),
    /// Open an address in the user's browser.
    OpenInBrowser(String),
    /// Capture the mouse, or leave it to the terminal so that text can be selected.
    CaptureMouse(bool),
    /// Draw with this theme from now on.
    UseTheme(String),
    /// Save the session under a name, or as the one that the next start opens.
    SaveSession {
        name: Option<String>,
        snapshot: Box<AppSnapshot>,
    },
    /// List the sessions; [`super::message::Report::Sessions`] has the result.
    ListSessions,
    /// List corpora to open; [`super::message::Report::Corpora`] has the result.
    ListCorpora,
    /// Save the session and open a corpus.
    OpenCorpus(String),
    /// Close the open session and open another one.
    OpenSession(String),
    /// Redraw every cell, whatever the terminal shows.
    Redraw,
    /// Suspend the process and return to the shell.
    Suspend,
    Quit,
}
