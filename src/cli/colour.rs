//! Colors of symbols on a terminal: each symbol has one color, on both sides and at every level.

use std::collections::HashMap;

use super::{output::printable, painted::Painted};
use crate::{
    corpus::{
        Pair, Passage,
        reading::{TokenPosition, show},
    },
    symbols::{Replacement, Symbol, reading::Reading},
};

/// Colors of the 256-color palette that are distinguishable on dark and light backgrounds.
const PALETTE: [u8; 12] = [33, 208, 35, 162, 136, 99, 31, 166, 64, 126, 45, 172];

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
    pub fn statement(&self, passage: &Passage) -> Painted {
        let places = Reading::of(passage).sightings.into_iter();
        let symbols =
            places.map(|sighting| (place(sighting.run, sighting.token), (sighting.symbol, false))).collect();
        self.paint(passage, &symbols)
    }

    /// The replaced proof: each symbol in the color of the original one, changed ones underlined.
    pub fn proof(&self, replacement: &Replacement) -> Painted {
        let sightings = Reading::of(&replacement.proof).sightings.into_iter();
        let mut symbols: HashMap<TokenPosition, (Symbol, bool)> = sightings
            .map(|sighting| (place(sighting.run, sighting.token), (sighting.symbol, false)))
            .collect();
        for occurrence in &replacement.occurrences {
            symbols.insert(place(occurrence.run, occurrence.token), (occurrence.was, true));
        }
        self.paint(&replacement.proof, &symbols)
    }

    /// Adds a symbol in its color.
    pub fn push_symbol(&self, painted: &mut Painted, symbol: Symbol, is_changed: bool, text: &str) {
        let colour = self.by_base.get(&symbol.letter.base().index()).map(|colour| format!("38;5;{colour}"));
        let underline = is_changed.then(|| "4".to_owned());
        let style: Vec<String> = underline.into_iter().chain(colour).collect();
        match style.is_empty() {
            true => painted.push(text),
            false => painted.push_styled(&style.join(";"), text),
        };
    }

    fn paint(&self, passage: &Passage, symbols: &HashMap<TokenPosition, (Symbol, bool)>) -> Painted {
        let mut painted = Painted::default();
        show(passage, &mut |text, place| match place.and_then(|place| symbols.get(&place)) {
            Some(&(symbol, is_changed)) => self.push_symbol(&mut painted, symbol, is_changed, text),
            None => drop(painted.push(&printable(text))),
        });
        painted
    }
}

fn place(run: u32, token: u32) -> TokenPosition {
    TokenPosition { run: run as usize, token: token as usize }
}
