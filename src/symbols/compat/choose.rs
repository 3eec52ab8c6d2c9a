//! How the reference chooses names, level by level.

use crate::{
    base::rng::Rng,
    symbols::{
        letter::{Alphabet, Base, Case, Letter, Symbol},
        letter_set::{LetterSet, SymbolSet},
        level::Share,
        mapping::Mapping,
    },
};

/// The symbols of the proof as the reference divides them.
pub struct Sides {
    /// Symbols whose letter occurs, in whatever font, in the statement.
    common: Vec<Symbol>,
    proof_only: Vec<Symbol>,
    protected: LetterSet,
}

/// The names that may still be given, and those that were.
struct Pool {
    latin: Vec<Base>,
    greek: Vec<Letter>,
    latin_given: Vec<(Base, Base)>,
    changes: Vec<(Symbol, Letter)>,
}

impl Sides {
    pub fn new(statement: &SymbolSet, proof: &SymbolSet, protected: LetterSet) -> Sides {
        let letters = statement.letters();
        let (common, proof_only) = proof.iter().partition(|symbol| letters.contains(symbol.letter));
        Sides { common, proof_only, protected }
    }

    /// Every common symbol in turn; then the Latin letters that only the proof has follow their case.
    pub fn full(&self, rng: &mut Rng) -> Mapping {
        let mut items = self.common.clone();
        // The order is that of a Python set: arbitrary.
        rng.shuffle(&mut items);
        self.rename(&items, &[], rng)
    }

    /// A sample of the font variants; what was not drawn follows only where its letter was drawn.
    pub fn partial(&self, share: Share, rng: &mut Rng) -> Mapping {
        let mut items = self.common.clone();
        rng.shuffle(&mut items);
        let (sample, remaining) = items.split_at(share.of_half_even(items.len()));
        self.rename(sample, remaining, rng)
    }

    /// Latin among Latin, Greek among Greek: each letter takes one of the names left but its own, and when
    /// only its own is left it exchanges with the letter before.
    pub fn transposition(&self, rng: &mut Rng) -> Mapping {
        let movable: Vec<Symbol> = self.unprotected(&self.common).collect();
        let mut given: Vec<(Base, Base)> = Vec::new();
        for alphabet in [Alphabet::Latin, Alphabet::Greek] {
            let mut bases: Vec<Base> = movable.iter().map(|symbol| symbol.letter.base()).collect();
            bases.sort_unstable();
            bases.dedup();
            bases.retain(|base| base.alphabet() == alphabet);
            if bases.len() < 2 {
                continue;
            }
            rng.shuffle(&mut bases);
            let mut left = bases.clone();
            for base in bases {
                let others: Vec<Base> = left.iter().copied().filter(|other| *other != base).collect();
                match (rng.choose(&others), given.last_mut()) {
                    (Some(target), _) => {
                        left.retain(|other| *other != target);
                        given.push((base, target));
                    }
                    (None, Some(previous)) => {
                        let target = std::mem::replace(&mut previous.1, base);
                        given.push((base, target));
                    }
                    (None, None) => {}
                }
            }
        }
        Mapping::new(movable.iter().filter_map(|symbol| {
            let (_, target) = given.iter().find(|(base, _)| *base == symbol.letter.base())?;
            Some((*symbol, like(symbol.letter, *target)?))
        }))
    }

    fn rename(&self, items: &[Symbol], remaining: &[Symbol], rng: &mut Rng) -> Mapping {
        let mut pool = self.pool();
        for symbol in self.unprotected(items) {
            pool.give(symbol, rng);
        }
        for symbol in self.proof_only.iter().chain(remaining) {
            pool.follow(*symbol);
        }
        Mapping::new(pool.changes)
    }

    /// Any letter that is not proof-only may become a name.
    fn pool(&self) -> Pool {
        let taken: Vec<Base> = self.proof_only.iter().map(|symbol| symbol.letter.base()).collect();
        let is_free = |letter: Letter| !taken.contains(&letter.base()) && !self.protected.contains(letter);
        let letters = |text: &str| -> Vec<Letter> {
            text.chars().filter_map(Letter::from_char).filter(|letter| is_free(*letter)).collect()
        };
        Pool {
            latin: letters("abcdefghijklmnopqrstuvwxyz").into_iter().map(Letter::base).collect(),
            greek: letters("αβγδεζηθικλμνξορστυφχψω"),
            latin_given: Vec::new(),
            changes: Vec::new(),
        }
    }

    fn unprotected<'a>(&'a self, symbols: &'a [Symbol]) -> impl Iterator<Item = Symbol> + 'a {
        symbols.iter().copied().filter(|symbol| !self.protected.contains(symbol.letter))
    }
}

impl Pool {
    /// A new name, unless one name or none is left.
    fn give(&mut self, symbol: Symbol, rng: &mut Rng) {
        let base = symbol.letter.base();
        if base.alphabet() == Alphabet::Greek {
            // A Greek letter in another font is drawn for again: the reference keeps no record of it.
            if let Some(target) = draw(&mut self.greek, symbol.letter, rng) {
                self.changes.push((symbol, target));
            }
            return;
        }
        if !self.latin_given.iter().any(|(known, _)| *known == base) {
            let Some(target) = draw(&mut self.latin, base, rng) else { return };
            self.latin_given.push((base, target));
        }
        self.follow(symbol);
    }

    /// The name that the letter's base was given, if it was given one.
    fn follow(&mut self, symbol: Symbol) {
        if let Some((_, target)) = self.latin_given.iter().find(|(base, _)| *base == symbol.letter.base())
            && let Some(letter) = like(symbol.letter, *target)
        {
            self.changes.push((symbol, letter));
        }
    }
}

/// Draws another name than `own` and takes it out, as long as more than one is left.
fn draw<T: Copy + PartialEq>(names: &mut Vec<T>, own: T, rng: &mut Rng) -> Option<T> {
    if names.len() < 2 {
        return None;
    }
    let others: Vec<T> = names.iter().copied().filter(|name| *name != own).collect();
    let target = rng.choose(&others)?;
    names.retain(|name| *name != target);
    Some(target)
}

/// The letter of a base in the case of another letter; for ε and φ the form that the reference writes.
fn like(letter: Letter, base: Base) -> Option<Letter> {
    match (letter.case(), base.small().map(Letter::character)) {
        (Case::Capital, _) => Some(base.capital()),
        (Case::Small, Some('ϵ' | 'ϕ')) => base.variant(),
        (Case::Small, _) => base.small(),
    }
}
