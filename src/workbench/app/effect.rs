//! Effects: what [`super::update`] asks the event loop to do.

use super::{
    build::BuildRequest,
    paths::PathPurpose,
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
    /// List the entries of a folder; [`super::message::Report::Paths`] has the result.
    ListPaths {
        purpose: PathPurpose,
        folder: String,
    },
    /// Save the session and open another workspace.
    OpenWorkspace(String),
    /// Build a corpus in the background.
    Build(BuildRequest),
    StopBuild,
    /// List the user's settings; [`super::message::Report::Settings`] has the result.
    ListSettings,
    /// Write a setting; an empty value removes it.
    WriteSetting {
        name: String,
        value: String,
    },
    /// Close the open session and open another one.
    OpenSession(String),
    /// Redraw every cell, whatever the terminal shows.
    Redraw,
    /// Suspend the process and return to the shell.
    Suspend,
    Quit,
}
