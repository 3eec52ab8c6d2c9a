//! The workbench at a terminal: the event loop and everything that is drawn.
//!
//! Nothing here decides anything: the views draw what `app` says. It is the only room that knows of
//! ratatui and crossterm.

mod canvas;
mod depth;
mod draw;
mod event_loop;
mod files;
mod highlight;
mod input;
mod panes;
mod signals;
mod style;
mod terminal;
pub mod theme;
mod widgets;
mod workers;

#[cfg(test)]
mod tests;

pub use depth::Depth;
pub use draw::draw;
pub use event_loop::UiError;
pub use style::Styles;
pub use workers::answer;

use std::io::{self, IsTerminal};

use crate::{
    app::{App, CorpusInfo, area::Size, keymap::Keymap},
    corpus::store::Store,
    symbols::{Protected, Seed, Setting},
};

/// Whether there is a terminal to work at.
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// What the workbench opens with beside a corpus.
#[derive(Default)]
pub struct Opening {
    /// A pair of the user's own, to be compared at once.
    pub compare: Option<Compared>,
    /// A list of protected symbols, and the file it came from.
    pub protected: Option<(Protected, String)>,
}

/// A file that holds a pair, and a level to see it at.
pub struct Compared {
    pub file: String,
    pub column: Option<(Setting, Seed)>,
}

/// Opens the workbench on a corpus; `name` is what the user calls it on the command line.
pub fn open(store: &Store, name: &str, opening: Opening) -> Result<(), UiError> {
    let (width, height) = crossterm::terminal::size()?;
    let corpus = CorpusInfo {
        name: name.to_owned(),
        pairs: store.pair_count(),
        articles: store.articles_with_pairs(),
    };
    let mut app = App::new(corpus, Keymap::default(), Size { width, height });
    if let Some((protected, file)) = opening.protected {
        app.compare.protect(protected, &file);
    }
    if let Some(compared) = opening.compare {
        app.compare_file(&compared.file, compared.column);
    }
    let styles = Styles::built_in(Depth::detect(|variable| std::env::var(variable).ok()));
    event_loop::run(&mut app, store, &styles)
}
