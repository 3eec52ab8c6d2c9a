//! The workbench at a terminal: the event loop and everything that is drawn.
//!
//! Nothing here makes decisions: the views draw the state in `app`. This is the only module that uses
//! ratatui and crossterm.

mod draw;
mod event_loop;
mod headless;
mod input;
mod panes;
mod signals;
mod styles;
mod svg;
mod terminal;
mod text;
mod widgets;

#[cfg(test)]
pub(crate) mod tests;

pub use headless::Headless;
pub use terminal::{columns, has_terminal};

use std::{io, path::PathBuf};

use crate::{
    corpus::store::StoreError,
    workbench::{
        app::area::Size,
        backend::{Environment, OpenError, OpenOptions},
        session::SessionError,
    },
};

/// Why the workbench could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    #[error("while using the terminal: {0}")]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("cannot start the recording {}: {source}", path.display())]
    Record { path: PathBuf, source: io::Error },
}

/// Runs the workbench until the user quits; returns problems to print afterwards.
pub fn open(environment: &Environment<'_>, options: &OpenOptions) -> Result<Vec<String>, UiError> {
    let (width, height) = crossterm::terminal::size()?;
    let opened = environment.open(options, Size { width, height })?;
    event_loop::run(opened, environment, options)
}
