//! Which names of symbols an encoder reads.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    corpus::Passage,
    symbols::canonical::{both, canonical},
};

/// Whether an encoder sees what a symbol is called.
///
/// A level of symbol replacement renames the proof's symbols. Canonical names number the symbols of each text by
/// first occurrence, so a text reads the same whatever its symbols are called: by construction no level of ours can
/// change what a model with canonical names is given. (The reference program's levels can: they merge symbols.)
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

    /// The passage as it is read.
    pub fn of(self, passage: &Passage) -> Cow<'_, Passage> {
        match self {
            SymbolNames::Literal => Cow::Borrowed(passage),
            SymbolNames::Canonical => Cow::Owned(canonical(passage)),
            SymbolNames::Both => Cow::Owned(both(passage)),
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
