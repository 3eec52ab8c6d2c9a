//! The corpus: articles, pairs, passages and tokens, and the file that stores them.
//!
//! All other modules use these types, which do not depend on XML, models or the terminal.

pub mod annotations;
pub(crate) mod article;
pub(crate) mod categories;
pub mod demo;
pub mod exchange;
pub mod extract;
pub mod formats;
pub(crate) mod input;
pub(crate) mod kind;
pub(crate) mod layout;
pub(crate) mod leaks;
mod open;
pub(crate) mod origin;
pub(crate) mod pair;
pub(crate) mod passage;
pub(crate) mod reading;
mod reference;
pub mod split;
pub mod statistics;
pub mod store;
pub(crate) mod synth;
pub(crate) mod token;
pub(crate) mod typed;
mod unpacking;

pub use crate::base::font::Font;
pub use article::{Article, Dialect};
pub use input::Input;
pub use kind::Kind;
pub use open::{OpenError, open_corpus};
pub use pair::{Pair, PairId};
pub use passage::{Formula, Passage, Run};
pub use reading::{TokenPosition, readable};
pub use reference::CorpusReference;
pub use token::Token;
