//! What the workbench wants done to the world outside.

use super::work::{Generation, Question, Slot};

/// Something that only the event loop may do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Give a question to a worker.
    Ask {
        slot: Slot,
        generation: Generation,
        question: Question,
    },
    /// Put a text on the clipboard.
    Copy(String),
    /// Listen to the mouse, or leave it to the terminal so that text can be selected.
    CaptureMouse(bool),
    /// Draw everything again, whatever the terminal is thought to show.
    Redraw,
    /// Give the terminal back to the shell until the user returns.
    Suspend,
    Quit,
}
