//! Features of a text for bags: words, word pairs, n-grams as they are written, and windows of formulas up to renaming.
//!
//! A *window* is a few adjacent tokens of a formula in which each letter is replaced by the number of its first occurrence
//! inside the window. Case and font stay as marks, and everything that is not a letter stays as it is: `K + H = M` and
//! `A + B = C` are both `V#1 + V#2 = V#3`. No injective renaming changes a window, so no level of symbol replacement changes
//! a bag of them. What counts as a letter is what a level may rename ([`SymbolNames`]).
//!
//! A word is represented by its first letters: `bounded` and `boundary` are the same feature, which is worth two to three points of mean
//! reciprocal rank to an untrained cosine on real articles. Pairs of words are adjacent in the text; a formula
//! between two words separates them.
//!
//! A feature has a name, and the name is what is counted. The first character is its kind, see [`FeatureSet`].

mod line;
pub mod unseen;
mod vocabulary;

use std::fmt::Write;

pub use self::{
    unseen::UnseenFeatures,
    vocabulary::{FEATURES_FILE, FeatureCounter, FeatureNamer, FeatureVocabulary, FeatureVocabularyError},
};

use self::line::{Line, Unit, UnitText};
use super::symbols::SymbolNames;
use crate::{
    base::rng::mix,
    corpus::{Input, Passage},
    symbols::canonical::CanonicalName,
};

/// Which features a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureSet {
    /// Literal names add n-grams of tokens as they are written (`L`, with at least one symbol) and whole formulas (`G`);
    /// renamed ones add windows (`R`) and whole formulas up to renaming (`F`). Words and their pairs (`W`) are in every set.
    pub symbols: SymbolNames,
    /// Maximum number of tokens of an n-gram.
    pub longest_ngram: usize,
    /// Maximum number of tokens of a window.
    pub longest_window: usize,
}

/// A feature of a text.
#[derive(Clone, Copy, Debug)]
pub struct Feature<'a> {
    /// Its kind and its tokens, separated by spaces: `Wlet the`, `LTlet Mx`, `RV#1 + V#2`.
    pub name: &'a str,
    /// The words and symbols that it consists of, by their position in the passage.
    pub places: &'a [u32],
}

/// Longer formulas hardly ever occur twice.
const LONGEST_FORMULA: usize = 24;

impl FeatureSet {
    /// The set for these names of symbols. Sizes were chosen on the dev part of real articles.
    pub fn new(symbols: SymbolNames) -> FeatureSet {
        FeatureSet { symbols, longest_ngram: 2, longest_window: 3 }
    }

    /// Calls `visit` with each feature of a passage. The passage has the names that the set's
    /// [`SymbolNames`] gave it.
    pub fn for_each(self, passage: &Passage, input: Input, mut visit: impl FnMut(Feature<'_>)) {
        let line = Line::new(passage, input, self.symbols);
        let mut scratch = Scratch::default();
        for start in 0..line.units.len() {
            for length in 1..=self.longest_ngram.min(line.units.len() - start) {
                let units = &line.units[start..start + length];
                if units.iter().all(Unit::is_word) {
                    visit(scratch.feature('W', units, Unit::write_word));
                } else if self.symbols.has_literal() {
                    visit(scratch.feature('L', units, Unit::write_literal));
                }
            }
        }
        for formula in &line.formulas {
            let units = &line.units[formula.clone()];
            let is_whole = (1..=LONGEST_FORMULA).contains(&units.len());
            if self.symbols.has_literal() && is_whole {
                visit(scratch.feature('G', units, Unit::write_symbol));
            }
            if !self.symbols.has_renamed() {
                continue;
            }
            for start in 0..units.len() {
                for length in 2..=self.longest_window.min(units.len() - start) {
                    visit(scratch.window('R', &units[start..start + length]));
                }
            }
            if is_whole {
                visit(scratch.window('F', units));
            }
        }
    }

    /// The hashes of all features of a passage, in reading order.
    pub fn hashes(self, passage: &Passage, input: Input) -> Vec<u64> {
        let mut hashes = Vec::new();
        self.for_each(passage, input, |feature| hashes.push(feature_hash(feature.name)));
        hashes
    }
}

/// A hash of a feature's name. 64 bits: among a hundred million names two are equal with a chance of one in four thousand.
pub fn feature_hash(name: &str) -> u64 {
    let mut hash = name.len() as u64;
    for chunk in name.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash ^ u64::from_le_bytes(bytes));
    }
    hash
}

/// Buffers for one feature.
#[derive(Default)]
struct Scratch<'a> {
    name: String,
    places: Vec<u32>,
    /// The letters of a window by first occurrence.
    letters: Vec<&'a str>,
}

impl<'a> Scratch<'a> {
    fn feature(
        &mut self,
        kind: char,
        units: &[Unit<'a>],
        write: impl Fn(&Unit<'a>, &mut String),
    ) -> Feature<'_> {
        self.start(kind);
        for unit in units {
            self.separate();
            write(unit, &mut self.name);
            self.places.push(unit.place);
        }
        self.places.dedup();
        Feature { name: &self.name, places: &self.places }
    }

    fn window(&mut self, kind: char, units: &[Unit<'a>]) -> Feature<'_> {
        self.start(kind);
        self.letters.clear();
        for unit in units {
            self.separate();
            self.places.push(unit.place);
            let UnitText::Symbol { written, letter } = &unit.text else { continue };
            let Some(CanonicalName { case, number, font }) = *letter else {
                self.name.push_str(written);
                continue;
            };
            let known = self.letters.iter().position(|other| *other == number);
            let place = known.unwrap_or_else(|| {
                self.letters.push(number);
                self.letters.len() - 1
            });
            // Writing to a string cannot fail.
            let _ = write!(self.name, "{case}#{}{font}", place + 1);
        }
        Feature { name: &self.name, places: &self.places }
    }

    fn start(&mut self, kind: char) {
        self.name.clear();
        self.name.push(kind);
        self.places.clear();
    }

    fn separate(&mut self) {
        if !self.places.is_empty() {
            self.name.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn passage(formula: &str) -> Passage {
        let mut passage = Passage::new();
        passage.push_text("Boundedness of semi-norms");
        passage.push_formula(Formula { linear: formula, ..Formula::default() });
        passage.push_text("holds, (1).");
        passage
    }

    fn names(symbols: SymbolNames, formula: &str) -> Vec<String> {
        let passage = passage(formula);
        let read = symbols.passage(&passage, &passage);
        let mut names = Vec::new();
        FeatureSet::new(symbols).for_each(&read, Input::Both, |feature| names.push(feature.name.to_owned()));
        names
    }

    fn math(symbols: SymbolNames, formula: &str) -> Vec<String> {
        names(symbols, formula).into_iter().filter(|name| !name.starts_with('W')).collect()
    }

    #[test]
    fn words_are_their_first_letters_and_a_formula_separates_them() {
        let found = names(SymbolNames::Renamed, "x");
        let words = ["Wbound", "Wbound of", "Wof", "Wof semi", "Wsemi", "Wsemi norms", "Wnorms", "Wholds"];
        assert_eq!(found, [&words[..], &["Fv#1"]].concat());
    }

    #[test]
    fn windows_number_their_own_letters() {
        let expected = [
            "RV#1 +",
            "RV#1 + V#2",
            "R+ V#1",
            "R+ V#1 =",
            "RV#1 =",
            "RV#1 = V#2",
            "R= V#1",
            "FV#1 + V#2 = V#3",
        ];
        assert_eq!(math(SymbolNames::Renamed, "K + H = M"), expected);
        assert_eq!(math(SymbolNames::Renamed, "A + B = C"), expected);
        assert_eq!(
            math(SymbolNames::Renamed, "x____bold x X"),
            ["Rv#1____bold v#1", "Rv#1____bold v#1 V#2", "Rv#1 V#2", "Fv#1____bold v#1 V#2"]
        );
        assert_eq!(math(SymbolNames::Renamed, "2 π"), ["R2 π", "F2 π"]);
    }

    #[test]
    fn literal_ngrams_cross_the_borders_of_a_formula() {
        let expected = ["LTnorms Mx", "LMx", "LMx M=", "LM=", "LM= Tholds", "Gx ="];
        assert_eq!(math(SymbolNames::Literal, "x ="), expected);
        let both = math(SymbolNames::Both, "x =");
        assert_eq!(both, [&expected[..], &["Rv#1 =", "Fv#1 ="]].concat());
    }

    #[test]
    fn places_are_positions_in_the_passage() {
        for symbols in [SymbolNames::Literal, SymbolNames::Renamed, SymbolNames::Both] {
            let passage = passage("x = y");
            let read = symbols.passage(&passage, &passage);
            let mut found = Vec::new();
            FeatureSet::new(symbols).for_each(&read, Input::Both, |feature| {
                found.push((feature.name.to_owned(), feature.places.to_vec()));
            });
            let places =
                |name: &str| found.iter().find(|(other, _)| other == name).map(|(_, places)| &places[..]);
            // semi-norms is one word of the text
            assert_eq!(places("Wsemi norms"), Some(&[2][..]));
            // the end of the formula is a position of its own
            assert_eq!(places("Wholds"), Some(&[7][..]));
            let formula = if symbols == SymbolNames::Literal { "Gx = y" } else { "Fv#1 = v#2" };
            assert_eq!(places(formula), Some(&[3, 4, 5][..]));
        }
    }
}
