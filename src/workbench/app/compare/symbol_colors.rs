//! The color of a symbol. It depends on the pair alone, so it is the same in every column.

use crate::{
    corpus::Pair,
    symbols::{
        Symbol,
        letter_set::{LetterSet, SymbolSet},
        reading::Reading,
    },
    workbench::app::document::SYMBOL_COLOR_COUNT,
};

/// The symbols of a pair that matter to a level, in the order of their colors.
#[derive(Clone, Debug, Default)]
pub struct SymbolColors {
    /// Those of both sides, as the statement brings them, then those of the proof that would go along
    /// (`A`, where `a` is shared).
    symbols: Vec<Symbol>,
    shared: SymbolSet,
}

impl SymbolColors {
    pub fn of(pair: &Pair) -> SymbolColors {
        let (statement, proof) = (Reading::of(&pair.statement), Reading::of(&pair.proof));
        let shared = statement.symbols().intersection(&proof.symbols());
        let families = shared
            .letters()
            .iter()
            .fold(LetterSet::EMPTY, |all, letter| all.union(LetterSet::forms(letter.base())));
        let mut colours = SymbolColors { symbols: Vec::new(), shared };
        for symbol in statement.sightings.iter().map(|sighting| sighting.symbol) {
            if shared.contains(symbol) {
                colours.add(symbol);
            }
        }
        for symbol in proof.free_sightings().map(|sighting| sighting.symbol) {
            if families.contains(symbol.letter) {
                colours.add(symbol);
            }
        }
        colours
    }

    /// The color of a symbol, counted from 0.
    pub fn colour(&self, symbol: Symbol) -> Option<u8> {
        let place = self.symbols.iter().position(|known| *known == symbol)?;
        Some((place % SYMBOL_COLOR_COUNT) as u8)
    }

    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    pub fn is_shared(&self, symbol: Symbol) -> bool {
        self.shared.contains(symbol)
    }

    /// How many symbols statement and proof have in common before anything is replaced.
    pub fn shared_count(&self) -> usize {
        self.shared.len()
    }

    fn add(&mut self, symbol: Symbol) {
        if !self.symbols.contains(&symbol) {
            self.symbols.push(symbol);
        }
    }
}
