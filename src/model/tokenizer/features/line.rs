//! A passage as a line of words and symbols, of which features are made.

use std::ops::Range;

use crate::{
    corpus::{Input, Passage, Run},
    model::tokenizer::SymbolNames,
    symbols::canonical::{CanonicalName, canonical_name},
};

/// The number of letters that stand for a word.
const STEM: usize = 5;

pub(super) struct Line<'a> {
    pub units: Vec<Unit<'a>>,
    /// The units of each formula.
    pub formulas: Vec<Range<usize>>,
}

pub(super) struct Unit<'a> {
    pub text: UnitText<'a>,
    /// The position of the word or symbol in the passage. The end of a formula has a position too.
    pub place: u32,
}

pub(super) enum UnitText<'a> {
    /// A word's first letters.
    Word(String),
    Symbol {
        written: &'a str,
        letter: Option<CanonicalName<'a>>,
    },
}

impl<'a> Line<'a> {
    pub fn new(passage: &'a Passage, input: Input, symbols: SymbolNames) -> Line<'a> {
        let mut line = Line { units: Vec::new(), formulas: Vec::new() };
        let mut place = 0;
        for run in passage.runs() {
            let is_read = input.reads(&run);
            match run {
                Run::Text(text) => {
                    for word in text.split_whitespace() {
                        if is_read {
                            line.push_word(word, place);
                        }
                        place += 1;
                    }
                }
                Run::Math(formula) => {
                    let start = line.units.len();
                    let mut tokens = formula.linear.split_whitespace().peekable();
                    while let Some(written) = tokens.next() {
                        let letter = match symbols {
                            SymbolNames::Literal => None,
                            SymbolNames::Canonical | SymbolNames::Renamed => canonical_name(written),
                            // the number of a letter follows it
                            SymbolNames::Both => tokens.peek().copied().and_then(canonical_name),
                        };
                        if symbols == SymbolNames::Both && letter.is_some() {
                            tokens.next();
                        }
                        if is_read {
                            line.units.push(Unit { text: UnitText::Symbol { written, letter }, place });
                        }
                        place += 1;
                    }
                    place += 1;
                    line.formulas.push(start..line.units.len());
                }
            }
        }
        line
    }

    /// A hyphenated word is several words, and a number is none.
    fn push_word(&mut self, word: &str, place: u32) {
        for part in word.split(|letter: char| !letter.is_alphabetic()).filter(|part| !part.is_empty()) {
            let stem = part.chars().flat_map(char::to_lowercase).take(STEM).collect();
            self.units.push(Unit { text: UnitText::Word(stem), place });
        }
    }
}

impl Unit<'_> {
    pub fn is_word(&self) -> bool {
        matches!(self.text, UnitText::Word(_))
    }

    pub fn write_word(&self, out: &mut String) {
        if let UnitText::Word(stem) = &self.text {
            out.push_str(stem);
        }
    }

    pub fn write_symbol(&self, out: &mut String) {
        if let UnitText::Symbol { written, .. } = self.text {
            out.push_str(written);
        }
    }

    /// Words and symbols are distinct: the article "a" is not the variable.
    pub fn write_literal(&self, out: &mut String) {
        out.push(if self.is_word() { 'T' } else { 'M' });
        self.write_word(out);
        self.write_symbol(out);
    }
}
