//! The replacement setting of a whole corpus, as used by commands, panes and training.

use std::borrow::Cow;

use crate::corpus::Pair;

use super::{
    compat,
    letter_set::LetterSet,
    level::{Seed, Setting},
    protected::{Protected, ProtectedError},
    replace::{Replacement, replace},
};

/// The rules of replacement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReplaceMode {
    /// Ours: injective, without leaks.
    #[default]
    Exact,
    /// The reference program's, for comparisons with the published numbers.
    Reference,
}

/// A level, a seed and the protected symbols, ready for any pair.
#[derive(Clone, Debug)]
pub struct Replacer {
    pub setting: Setting,
    pub seed: Seed,
    pub mode: ReplaceMode,
    pub protected: Protected,
}

impl Replacer {
    /// A replacer in exact mode, with the built-in protected symbols.
    pub fn exact(setting: Setting, seed: Seed) -> Result<Replacer, ProtectedError> {
        Ok(Replacer { setting, seed, mode: ReplaceMode::Exact, protected: Protected::built_in()? })
    }

    /// The pair as the mode reads it. The reference first merges spelled words on both sides, so its statement may
    /// differ from ours.
    pub fn prepare<'a>(&self, pair: &'a Pair) -> Cow<'a, Pair> {
        match self.mode {
            ReplaceMode::Exact => Cow::Borrowed(pair),
            ReplaceMode::Reference => compat::words::merge(pair).map_or(Cow::Borrowed(pair), Cow::Owned),
        }
    }

    /// Replaces the symbols of a prepared pair of an article with these categories.
    pub fn replace<S: AsRef<str>>(&self, prepared: &Pair, categories: &[S]) -> Replacement {
        let protected =
            if self.setting.protect { self.protected.letters(categories) } else { LetterSet::EMPTY };
        match self.mode {
            ReplaceMode::Exact => replace(prepared, self.setting.level, self.seed, protected),
            ReplaceMode::Reference => compat::replace(prepared, self.setting.level, self.seed, protected),
        }
    }

    /// The pair with its symbols replaced, without details.
    pub fn apply<S: AsRef<str>>(&self, pair: &Pair, categories: &[S]) -> Pair {
        let mut replaced = self.prepare(pair).into_owned();
        replaced.proof = self.replace(&replaced, categories).proof;
        replaced
    }
}
