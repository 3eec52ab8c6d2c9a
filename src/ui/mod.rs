//! What stands on the terminal.

pub mod theme;
