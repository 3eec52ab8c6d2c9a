//! What Log asks the backend.

use crate::runs::Anchor;

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    /// The lines of a run's log after a position.
    Lines { run: String, anchor: Anchor },
}

#[derive(Debug)]
pub enum Response {
    Lines(LogChunk),
}

/// The lines of a log after a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChunk {
    pub run: String,
    /// The log was replaced, and these lines are from its beginning.
    pub is_restarted: bool,
    /// The number of lines before these that were skipped.
    pub left_out: usize,
    pub lines: Vec<String>,
    /// The position after them.
    pub anchor: Anchor,
}
