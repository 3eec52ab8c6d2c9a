//! The workbench at a terminal: the event loop and everything that is drawn.
//!
//! Nothing here decides anything: the views draw what `app` says. It is the only room that knows of
//! ratatui and crossterm.

mod canvas;
mod draw;
mod event_loop;
mod input;
mod panes;
mod signals;
mod terminal;
pub mod theme;
mod widgets;
mod workers;

#[cfg(test)]
mod tests;

pub use draw::draw;
pub use event_loop::UiError;
pub use workers::answer;

use theme::{Depth, Themes};

use std::io::{self, IsTerminal};

use crate::{
    app::{App, CorpusInfo, area::Size, keymap::Keymap},
    corpus::store::Store,
};

/// Whether there is a terminal to work at.
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Opens the workbench on a corpus; `name` is what the user calls it on the command line.
pub fn open(store: &Store, name: &str) -> Result<(), UiError> {
    let (width, height) = crossterm::terminal::size()?;
    let corpus = CorpusInfo {
        name: name.to_owned(),
        pairs: store.pair_count(),
        articles: store.articles_with_pairs(),
    };
    let mut app = App::new(corpus, Keymap::default(), Size { width, height });
    let depth = Depth::detect(None, |variable| std::env::var(variable).ok());
    let theme = Themes::built_in().load(depth.default_theme()).0.at(depth);
    event_loop::run(&mut app, store, &theme)
}
