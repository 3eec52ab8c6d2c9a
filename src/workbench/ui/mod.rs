//! The workbench at a terminal: the event loop and everything that is drawn.
//!
//! Nothing here decides anything: the views draw what `app` says. It is the only room that knows of
//! ratatui and crossterm.

mod canvas;
mod draw;
mod event_loop;
mod headless;
mod input;
mod looks;
mod panes;
mod signals;
mod start;
mod svg;
mod tape;
mod terminal;
pub mod theme;
mod widgets;

#[cfg(test)]
pub(super) mod tests;

pub use draw::draw;
pub use headless::Headless;
pub use start::{Compared, Opening, Replay, Surroundings, Wishes};

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
};

use crate::{corpus::store::StoreError, workbench::app::area::Size, workbench::session::SessionError};

/// Why the workbench could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    #[error("while using the terminal: {0}")]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("{0}")]
    Corpus(String),
    #[error("there is no home directory to keep sessions in; name a folder with --workspace DIR")]
    NoWorkspace,
    #[error("cannot start the recording {}: {source}", path.display())]
    Record { path: PathBuf, source: io::Error },
}

/// Whether there is a terminal to work at.
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Opens the workbench; returns what is to be told when it is closed again.
pub fn open(around: &Surroundings<'_>, wishes: &Wishes) -> Result<Vec<String>, UiError> {
    let (width, height) = crossterm::terminal::size()?;
    let begun = around.begin(wishes, Size { width, height })?;
    event_loop::run(begun, around, wishes)
}
