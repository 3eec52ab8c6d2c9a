//! Colors of symbols on a terminal: each symbol has one color, on both sides and at every level.

use std::collections::HashMap;

use super::output::printable;
use crate::{
    corpus::{
        Pair, Passage,
        reading::{TokenPosition, show},
    },
    symbols::{Replacement, Symbol, reading::Reading},
};

/// Colors of the 256-color palette that are distinguishable on dark and light backgrounds.
const PALETTE: [u8; 12] = [33, 208, 35, 162, 136, 99, 31, 166, 64, 126, 45, 172];
const RESET: &str = "\x1b[0m";

/// The color of each symbol.
pub struct Colours {
    by_base: HashMap<usize, u8>,
}

impl Colours {
    /// Assigns a color to every letter that statement and proof share, regardless of case and font.
    pub fn of(pair: &Pair) -> Colours {
        let shared = Reading::of(&pair.statement).symbols().intersection(&Reading::of(&pair.proof).symbols());
        let mut by_base = HashMap::new();
        for letter in shared.letters().iter() {
            let next = PALETTE[by_base.len() % PALETTE.len()];
            by_base.entry(letter.base().index()).or_insert(next);
        }
        Colours { by_base }
    }

    /// The statement with shared symbols in color.
    pub fn statement(&self, passage: &Passage) -> String {
        let places = Reading::of(passage).sightings.into_iter();
        let symbols =
            places.map(|sighting| (place(sighting.run, sighting.token), (sighting.symbol, false))).collect();
        self.paint(passage, &symbols)
    }

    /// The replaced proof: each symbol in the color of the original one, changed ones underlined.
    pub fn proof(&self, replacement: &Replacement) -> String {
        let sightings = Reading::of(&replacement.proof).sightings.into_iter();
        let mut symbols: HashMap<TokenPosition, (Symbol, bool)> = sightings
            .map(|sighting| (place(sighting.run, sighting.token), (sighting.symbol, false)))
            .collect();
        for occurrence in &replacement.occurrences {
            symbols.insert(place(occurrence.run, occurrence.token), (occurrence.was, true));
        }
        self.paint(&replacement.proof, &symbols)
    }

    /// A symbol in its color.
    pub fn symbol(&self, symbol: Symbol, text: &str) -> String {
        match self.by_base.get(&symbol.letter.base().index()) {
            Some(colour) => format!("\x1b[38;5;{colour}m{text}{RESET}"),
            None => text.to_owned(),
        }
    }

    fn paint(&self, passage: &Passage, symbols: &HashMap<TokenPosition, (Symbol, bool)>) -> String {
        let mut painted = String::new();
        show(passage, &mut |text, place| match place.and_then(|place| symbols.get(&place)) {
            Some(&(symbol, true)) => painted.push_str(&format!("\x1b[4m{}", self.symbol(symbol, text))),
            Some(&(symbol, false)) => painted.push_str(&self.symbol(symbol, text)),
            None => painted.push_str(&printable(text)),
        });
        painted
    }
}

fn place(run: u32, token: u32) -> TokenPosition {
    TokenPosition { run: run as usize, token: token as usize }
}
