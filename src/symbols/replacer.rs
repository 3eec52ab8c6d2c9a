//! The replacement setting of a whole corpus, as used by commands, panes and training.

use std::{borrow::Cow, sync::Arc};

use crate::corpus::{
    Pair,
    store::{Store, StoreError},
};

use super::{
    compat,
    letter_set::LetterSet,
    level::{Naming, Seed, Setting},
    protected::{Protected, ProtectedError},
    replace::{Replacement, replace},
    strangers::Strangers,
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

/// A level, a seed, the protected symbols and the letters of strangers, ready for any pair.
#[derive(Clone, Debug)]
pub struct Replacer {
    pub setting: Setting,
    pub seed: Seed,
    pub mode: ReplaceMode,
    pub protected: Protected,
    /// The proofs from which new names are drawn: those of the corpus, or the built-in ones for a pair of no corpus.
    pub strangers: Arc<Strangers>,
}

impl Replacer {
    /// A replacer for pairs of no corpus.
    pub fn new(setting: Setting, seed: Seed, mode: ReplaceMode, protected: Protected) -> Replacer {
        Replacer { setting, seed, mode, protected, strangers: Strangers::built_in() }
    }

    /// A replacer in exact mode, with the built-in protected symbols.
    pub fn exact(setting: Setting, seed: Seed) -> Result<Replacer, ProtectedError> {
        Ok(Replacer::new(setting, seed, ReplaceMode::Exact, Protected::built_in()?))
    }

    /// The replacer for the pairs of a corpus.
    pub fn in_corpus(mut self, store: &Store) -> Result<Replacer, StoreError> {
        if self.setting.level.naming() == Some(Naming::Stranger) {
            self.strangers = Strangers::of(store)?;
        }
        Ok(self)
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
            ReplaceMode::Exact => {
                replace(prepared, self.setting.level, self.seed, protected, &self.strangers)
            }
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
