//! Which names of symbols an encoder reads.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    corpus::{Pair, Passage},
    symbols::{
        Mode, Replacer,
        canonical::{both, canonical},
    },
};

/// Whether an encoder sees what a symbol is called.
///
/// A level of symbol replacement renames the proof's symbols. Canonical names number the symbols of each text by
/// first occurrence, so a text reads the same whatever its symbols are called. What is a symbol is what a level may
/// rename, as the text had it before the level: a product that comes to spell `dim` by its new letters stays a product.
/// So by construction no level can change what a model with canonical names is given. (The reference program's levels
/// can: they merge symbols.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SymbolNames {
    /// As they are written.
    #[default]
    Literal,
    /// Numbered by first occurrence; fonts, cases, constants and multi-letter names stay.
    Canonical,
    /// Each symbol as it is written, and its number after it.
    Both,
}

impl SymbolNames {
    pub const ALL: [SymbolNames; 3] = [SymbolNames::Literal, SymbolNames::Canonical, SymbolNames::Both];

    pub fn name(self) -> &'static str {
        match self {
            SymbolNames::Literal => "literal",
            SymbolNames::Canonical => "canonical",
            SymbolNames::Both => "both",
        }
    }

    pub fn is_literal(&self) -> bool {
        *self == SymbolNames::Literal
    }

    /// A pair as it is read at a level.
    pub fn apply<S: AsRef<str>>(self, replacer: &Replacer, pair: &Pair, categories: &[S]) -> Pair {
        let written = replacer.apply(pair, categories);
        if self == SymbolNames::Literal {
            return written;
        }
        let named = if replacer.mode == Mode::Exact { pair } else { &written };
        let statement = self.passage(&named.statement, &written.statement);
        let proof = self.passage(&named.proof, &written.proof);
        Pair { statement, proof, ..written }
    }

    /// A passage as it is read: its letters are those of `written`, its symbols those of `named`.
    pub fn passage(self, named: &Passage, written: &Passage) -> Passage {
        match self {
            SymbolNames::Literal => written.clone(),
            SymbolNames::Canonical => canonical(named),
            SymbolNames::Both => both(named, written),
        }
    }

    /// The most numbers that a token becomes.
    pub fn numbers_of_a_token(self) -> usize {
        if self == SymbolNames::Both { 2 } else { 1 }
    }
}

impl fmt::Display for SymbolNames {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A text does not say which names are read.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` does not say which names of symbols are read; use literal, canonical or both")]
pub struct SymbolNamesError(String);

impl FromStr for SymbolNames {
    type Err = SymbolNamesError;

    fn from_str(written: &str) -> Result<SymbolNames, SymbolNamesError> {
        let found = SymbolNames::ALL.into_iter().find(|names| names.name() == written);
        found.ok_or_else(|| SymbolNamesError(written.to_owned()))
    }
}
