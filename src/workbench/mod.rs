//! The workbench: its state, what runs behind it, its session files and its terminal.

pub mod app;
pub mod backend;
pub mod session;
pub mod theme;
pub mod ui;
