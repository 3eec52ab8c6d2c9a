//! The proof at one level: the wrapped text and what became of each symbol.

use std::collections::HashMap;

use super::{column::Column, symbol_colors::SymbolColors};
use crate::{
    corpus::{Passage, reading::TokenPosition},
    symbols::{
        KeptReason, LetterSet, Replacement, Seed, Setting, Strangers, Symbol, mentions::text_mentions,
        reading::Reading, replace,
    },
    workbench::app::{
        document::{Role, StyledText, TextLine, wrap},
        work::LoadedPair,
    },
};

/// Everything that a wrapped proof depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofKey {
    /// `None` for a pair that is in no corpus.
    pub row: Option<u32>,
    pub setting: Setting,
    pub seed: Seed,
    pub width: usize,
}

/// A proof after a level.
#[derive(Debug)]
pub struct Proof {
    pub key: ProofKey,
    pub lines: Vec<TextLine>,
    /// Symbols that the statement has too.
    pub leaks: Vec<Symbol>,
    /// Places where the text names a symbol that has another name now.
    pub mentions: usize,
    replacement: Replacement,
    /// How often each symbol was replaced.
    changes: HashMap<Symbol, usize>,
}

/// What became of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolOutcome {
    Became {
        symbol: Symbol,
        places: usize,
    },
    Stayed(KeptReason),
    /// It is the proof's own and no other form of it had to move.
    NotShared,
}

impl Proof {
    /// Applies the level of a column; `protected` are the letters of the article's categories.
    pub fn make(
        loaded: &LoadedPair,
        column: &Column,
        protected: LetterSet,
        colours: &SymbolColors,
        width: usize,
    ) -> Proof {
        let pair = &loaded.pair;
        let (setting, seed) = (column.setting(), column.seed);
        let protected = if setting.protect { protected } else { LetterSet::EMPTY };
        let strangers = loaded.strangers.clone().unwrap_or_else(Strangers::built_in);
        let replacement = replace(pair, setting.level, seed, protected, &strangers);
        let after = Reading::of(&replacement.proof);
        let shared = Reading::of(&pair.statement).symbols().intersection(&after.symbols());
        let mut changes = HashMap::new();
        for occurrence in &replacement.occurrences {
            *changes.entry(occurrence.was).or_insert(0) += 1;
        }
        let prose = proof_prose(&replacement, &after, colours);
        Proof {
            key: ProofKey { row: loaded.row, setting, seed, width },
            lines: wrap(&prose, &[], width),
            leaks: in_order(colours, shared.iter()),
            mentions: text_mentions(&pair.proof, &replacement.mapping),
            replacement,
            changes,
        }
    }

    pub fn fate(&self, symbol: Symbol) -> SymbolOutcome {
        let image = self.replacement.mapping.image(symbol);
        if image != symbol {
            let places = self.changes.get(&symbol).copied().unwrap_or(0);
            return SymbolOutcome::Became { symbol: image, places };
        }
        let kept = self.replacement.kept.iter().find(|kept| kept.symbol == symbol);
        kept.map_or(SymbolOutcome::NotShared, |kept| SymbolOutcome::Stayed(kept.reason))
    }

    /// The proof as it reads after the level.
    pub fn passage(&self) -> &Passage {
        &self.replacement.proof
    }

    pub fn changed_places(&self) -> usize {
        self.replacement.occurrences.len()
    }
}

/// A passage with its shared symbols in color.
pub fn coloured(passage: &Passage, colours: &SymbolColors) -> StyledText {
    let roles = roles(&Reading::of(passage), colours);
    StyledText::with_roles(passage, &|place| roles.get(&place).copied().unwrap_or(Role::Math))
}

/// Each symbol in the color of its original.
fn proof_prose(replacement: &Replacement, after: &Reading, colours: &SymbolColors) -> StyledText {
    let mut roles = roles(after, colours);
    for occurrence in &replacement.occurrences {
        let colour = colours.colour(occurrence.was).unwrap_or_default();
        roles.insert(place(occurrence.run, occurrence.token), Role::Changed(colour));
    }
    StyledText::with_roles(&replacement.proof, &|place| roles.get(&place).copied().unwrap_or(Role::Math))
}

fn roles(reading: &Reading, colours: &SymbolColors) -> HashMap<TokenPosition, Role> {
    reading
        .free_sightings()
        .filter_map(|sighting| {
            let colour = colours.colour(sighting.symbol)?;
            Some((place(sighting.run, sighting.token), Role::Symbol(colour)))
        })
        .collect()
}

fn place(run: u32, token: u32) -> TokenPosition {
    TokenPosition { run: run as usize, token: token as usize }
}

/// Symbols in the order of their colors; those without one come last.
fn in_order(colours: &SymbolColors, symbols: impl Iterator<Item = Symbol>) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = symbols.collect();
    symbols.sort_by_key(|symbol| {
        colours.symbols().iter().position(|known| known == symbol).unwrap_or(usize::MAX)
    });
    symbols
}
