//! Which names of symbols an encoder reads.

use serde::{Deserialize, Serialize};

use crate::{
    corpus::{Pair, Passage},
    symbols::{
        ReplaceMode, Replacer,
        canonical::{Scope, both, canonical, numbered},
    },
};

/// Whether an encoder sees what a symbol is called.
///
/// A level of symbol replacement renames the proof's symbols. Canonical names number the symbols of each text by
/// first occurrence, so a text reads the same whatever its symbols are called. A symbol is what a level may
/// rename, as the text was before the level: a product whose new letters happen to spell `dim` stays a product.
/// So by construction no level can change the input of a model with canonical names. (The reference program's levels
/// can: they merge symbols.)
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SymbolNames {
    /// As they are written.
    #[default]
    Literal,
    /// Numbered by first occurrence; fonts, cases, constants and multi-letter names stay.
    Canonical,
    /// Each symbol as it is written, and its number after it.
    Both,
    /// Numbered by first occurrence within each formula. [Windows](super::FeatureSet) number the symbols of a window.
    Renamed,
}

impl SymbolNames {
    pub fn is_literal(&self) -> bool {
        *self == SymbolNames::Literal
    }

    /// Whether an encoder sees the names that are written.
    pub fn has_literal(self) -> bool {
        matches!(self, SymbolNames::Literal | SymbolNames::Both)
    }

    /// Whether an encoder sees numbers, which no level changes.
    pub fn has_renamed(self) -> bool {
        self != SymbolNames::Literal
    }

    /// Returns a pair at a level, with the names that the encoder reads.
    pub fn apply<S: AsRef<str>>(self, replacer: &Replacer, pair: &Pair, categories: &[S]) -> Pair {
        let written = replacer.apply(pair, categories);
        if self == SymbolNames::Literal {
            return written;
        }
        let named = if replacer.mode == ReplaceMode::Exact { pair } else { &written };
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
            SymbolNames::Renamed => numbered(named, Scope::Formula),
        }
    }

    /// Returns the maximum number of ids per token.
    pub fn max_ids_per_token(self) -> usize {
        if self == SymbolNames::Both { 2 } else { 1 }
    }
}
