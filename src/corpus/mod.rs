//! The corpus: articles, pairs, passages and tokens, and the file that stores them.
//!
//! All other modules use these types, which do not depend on XML, models or the terminal.

pub mod article;
pub mod categories;
pub mod demo;
pub mod exchange;
pub mod extract;
pub mod formats;
pub mod input;
pub mod kind;
pub mod layout;
pub mod leaks;
mod open;
pub mod origin;
pub mod pair;
pub mod passage;
pub mod reading;
mod reference;
pub mod split;
pub mod statistics;
pub mod store;
pub mod synth;
pub mod token;
pub mod typed;

pub use crate::base::font::Font;
pub use article::{Article, Dialect};
pub use input::Input;
pub use kind::Kind;
pub use open::{OpenError, open_corpus};
pub use pair::{Pair, PairId};
pub use passage::{Formula, Passage, Run};
pub use reading::{TokenPlace, readable};
pub use reference::CorpusReference;
pub use token::Token;
