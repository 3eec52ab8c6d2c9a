//! Reading a passage for its letters: which occur, where, and which of them only spell a name.

use std::ops::Range;

use crate::corpus::{Font, Passage, Run};

use super::{
    constants,
    letter::{Letter, Symbol},
    letter_set::{LetterSet, SymbolSet},
    operators::Operators,
    scripts::{self, Exponent, Place},
};

/// The letters of a passage in reading order.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    pub sightings: Vec<Sighting>,
    /// Symbols that occur outside of names.
    pub free: SymbolSet,
    /// Symbols that occur as a letter of a spelled name.
    pub spelled: SymbolSet,
    /// Letters that occur with their font in the character itself.
    pub styled: LetterSet,
    /// Chains of two or more adjacent sightings.
    pub chains: Vec<Range<usize>>,
}

/// One letter in one place.
#[derive(Clone, Copy, Debug)]
pub struct Sighting {
    /// The run of the passage and the token of the formula, both from 0.
    pub run: u32,
    pub token: u32,
    /// The letter's offset in the formula's linear form, and its length in bytes.
    pub offset: u32,
    pub length: u32,
    pub symbol: Symbol,
    /// The font is in the character itself (`𝐱`), not written after it (`x____bold`).
    pub is_styled: bool,
    /// The letter belongs to a name such as d i m.
    pub is_spelled: bool,
    /// Its position; `None` if the formula has no layout.
    pub place: Option<Place>,
    /// A relation follows (`i = 1`), so the letter is a variable.
    pub before_relation: bool,
}

impl Reading {
    pub fn of(passage: &Passage) -> Reading {
        Reading::with(passage, Operators::listed())
    }

    pub fn with(passage: &Passage, operators: &Operators) -> Reading {
        let mut reading = Reading { sightings: Vec::with_capacity(128), ..Reading::default() };
        let mut places = Vec::new();
        for (run, part) in (0u32..).zip(passage.runs()) {
            if let Run::Math(formula) = part {
                let first = reading.sightings.len();
                let count = reading.read_linear(run, formula.linear);
                reading.set_places(first, formula.layout, count, &mut places);
                reading.find_chains(first, formula.linear);
            }
        }
        reading.find_names(operators);
        for sighting in &reading.sightings {
            let set = if sighting.is_spelled { &mut reading.spelled } else { &mut reading.free };
            set.insert(sighting.symbol);
            if sighting.is_styled {
                reading.styled.insert(sighting.symbol.letter);
            }
        }
        reading
    }

    /// Every symbol that occurs, in a name or not.
    pub fn symbols(&self) -> SymbolSet {
        self.free.union(&self.spelled)
    }

    /// The symbols that overlap is about: every letter in its font that a level may rename. Double-struck letters, `π` and
    /// the letters of spelled names (`d i m`) keep their names at every level. That a statement and a proof share them is what
    /// the texts are about, not how their author names things.
    pub fn names(&self) -> SymbolSet {
        let constants = constants::always();
        let is_name =
            |symbol: &Symbol| symbol.font != Font::DoubleStruck && !constants.contains(symbol.letter);
        self.free.iter().filter(is_name).collect()
    }

    /// The sightings that are not part of a name.
    pub fn free_sightings(&self) -> impl Iterator<Item = &Sighting> {
        self.sightings.iter().filter(|sighting| !sighting.is_spelled)
    }

    /// Finds the letters of a formula; returns how many tokens it has.
    fn read_linear(&mut self, run: u32, linear: &str) -> usize {
        let mut count = 0;
        for written in linear.split_ascii_whitespace() {
            let token = count;
            count += 1;
            let Some(first) = written.chars().next() else { continue };
            if is_relation(first)
                && let Some(last) = self.sightings.last_mut()
                && (last.run, last.token + 1) == (run, token)
            {
                last.before_relation = true;
            }
            let Some((symbol, is_styled)) = letter_token(written, first) else { continue };
            self.sightings.push(Sighting {
                run,
                token,
                offset: (written.as_ptr() as usize - linear.as_ptr() as usize) as u32,
                length: first.len_utf8() as u32,
                symbol,
                is_styled,
                is_spelled: false,
                place: None,
                before_relation: false,
            });
        }
        count as usize
    }

    fn set_places(&mut self, first: usize, layout: &str, count: usize, places: &mut Vec<Place>) {
        if first < self.sightings.len() && scripts::places(layout, count, places) {
            for sighting in &mut self.sightings[first..] {
                sighting.place = places.get(sighting.token as usize).copied();
            }
        }
    }

    /// Letters are adjacent if nothing, or only an invisible times, is between them and both are
    /// on the same line of the layout.
    fn find_chains(&mut self, first: usize, linear: &str) {
        let mut start = first;
        for at in first + 1..=self.sightings.len() {
            if at < self.sightings.len() && touches(&self.sightings[at - 1], &self.sightings[at], linear) {
                continue;
            }
            if at - start > 1 {
                self.chains.push(start..at);
            }
            start = at;
        }
    }

    fn find_names(&mut self, operators: &Operators) {
        let mut letters = Vec::new();
        for chain in &self.chains {
            letters.clear();
            letters.extend(self.sightings[chain.clone()].iter().map(|sighting| sighting.symbol));
            let sightings = &mut self.sightings[chain.clone()];
            operators.find(&letters, |at, length| {
                sightings[at..at + length].iter_mut().for_each(|sighting| sighting.is_spelled = true);
            });
        }
    }
}

/// The symbol that a token is, if it is one letter; and whether the font is in the character.
pub fn letter_token(written: &str, first: char) -> Option<(Symbol, bool)> {
    let rest = &written[first.len_utf8()..];
    if let Some(letter) = Letter::from_char(first) {
        if rest.is_empty() {
            return Some((Symbol { letter, font: Font::Plain }, false));
        }
        let font = Font::from_name(rest.strip_prefix(crate::corpus::token::FONT_SEPARATOR)?)?;
        return Some((Symbol { letter, font }, false));
    }
    if !rest.is_empty() {
        return None;
    }
    let (base, font) = Font::split(first);
    Some((Symbol { letter: Letter::from_char(base)?, font: font? }, true))
}

fn touches(left: &Sighting, right: &Sighting, linear: &str) -> bool {
    const INVISIBLE_TIMES: &str = "\u{2062}";
    if left.run != right.run || right.place.is_some_and(|place| place.apart) {
        return false;
    }
    match right.token - left.token {
        1 => true,
        2 => {
            let between = (left.offset + left.length) as usize..right.offset as usize;
            linear.get(between).is_some_and(|between| between.contains(INVISIBLE_TIMES))
                && left.place.map(|place| (place.in_subscript, place.exponent_of))
                    == right.place.map(|place| (place.in_subscript, place.exponent_of))
                && !left.place.is_some_and(|place| place.has_subscript || place.has_superscript)
        }
        _ => false,
    }
}

fn is_relation(first: char) -> bool {
    matches!(first, '=' | '∈' | '≤' | '<' | '≥' | '>' | '⩽' | '⩾' | '≠' | '∉' | '≡' | '≔' | ':' | '→' | '∣')
}

impl Sighting {
    /// Whether the letter is in the exponent of the given token of its formula.
    pub fn in_exponent_of(&self, token: u32) -> bool {
        self.place.is_some_and(|place| place.exponent_of == Exponent::Of(token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn reading(linear: &str, layout: &str) -> Reading {
        let mut passage = Passage::new();
        passage.push_text("Let a be");
        passage.push_formula(Formula { linear, layout, ..Formula::default() });
        Reading::of(&passage)
    }

    fn free(linear: &str, layout: &str) -> String {
        reading(linear, layout).free_sightings().map(|sighting| sighting.symbol.styled()).collect()
    }

    #[test]
    fn letters_are_tokens_of_one_letter() {
        assert_eq!(free("x____bold = f ( 2 y ) + dim V", ""), "𝐱fyV");
        assert_eq!(free("Γ ϵ ε φ____bold-italic ∂ ∑ ∞ ′ é", ""), "Γϵε𝝋");
        assert_eq!(free("𝒢 ℓ ℝ x____wavy", ""), "𝒢ℓℝ");
        assert_eq!(free("____bold ____________ x____", ""), "");
    }

    #[test]
    fn spelled_names_are_not_letters() {
        assert_eq!(free("d i m V", "...."), "V");
        assert_eq!(free("d \u{2062} i \u{2062} m \u{2062} V", "......."), "V");
        assert_eq!(free("G L n ( k )", ".._.}..."), "nk");
        // d_{i m} is a matrix entry, and d^i m a product.
        assert_eq!(free("d i m", "._..}"), "dim");
        assert_eq!(free("d i m", ".^.}."), "dim");
        assert_eq!(free("d i m", ""), "");
    }

    #[test]
    fn sightings_say_where_the_letter_is() {
        let reading = reading("2 x____bold ≤ 𝒢", "....");
        let [x, g] = reading.sightings[..] else { panic!("two letters expected") };
        assert_eq!((x.run, x.token, x.offset, x.length, x.before_relation), (1, 1, 2, 1, true));
        assert_eq!((g.token, g.length, g.is_styled), (3, 4, true));
    }
}
