//! The workbench: its state, what runs behind it, its session files and its terminal.

pub(crate) mod app;
pub mod backend;
pub(crate) mod session;
pub(crate) mod theme;
pub mod ui;
