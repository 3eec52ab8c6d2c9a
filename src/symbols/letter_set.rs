//! Sets of letters and of symbols, as bits.
//!
//! The most frequent question of this module is which names occur where; one or two machine words answer it
//! without a hash table.

use crate::corpus::Font;

use super::letter::{Base, LETTERS, Letter, Symbol};

/// A set of letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LetterSet(u128);

/// A set of symbols: letters with their fonts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolSet {
    fonts: [LetterSet; FONTS],
}

// A set is a word of 128 bits.
const _: () = assert!(LETTERS <= 128);

/// Every font, in the order of the enumeration.
pub const ALL_FONTS: [Font; FONTS] = [
    Font::Plain,
    Font::Italic,
    Font::Bold,
    Font::BoldItalic,
    Font::DoubleStruck,
    Font::Fraktur,
    Font::BoldFraktur,
    Font::Script,
    Font::BoldScript,
    Font::SansSerif,
    Font::BoldSansSerif,
    Font::SansSerifItalic,
    Font::SansSerifBoldItalic,
    Font::Monospace,
];
pub const FONTS: usize = Font::Monospace as usize + 1;

impl LetterSet {
    pub const EMPTY: LetterSet = LetterSet(0);

    /// All forms of a base: small, variant, capital.
    pub fn forms(base: Base) -> LetterSet {
        let bit = |letter: Option<Letter>| letter.map_or(0, |letter| 1 << letter.index());
        LetterSet(bit(base.small()) | bit(base.variant()) | bit(Some(base.capital())))
    }

    pub fn contains(self, letter: Letter) -> bool {
        self.0 & (1 << letter.index()) != 0
    }

    pub fn insert(&mut self, letter: Letter) {
        self.0 |= 1 << letter.index();
    }

    pub fn remove(&mut self, letter: Letter) {
        self.0 &= !(1 << letter.index());
    }

    #[must_use]
    pub fn union(self, other: LetterSet) -> LetterSet {
        LetterSet(self.0 | other.0)
    }

    #[must_use]
    pub fn intersection(self, other: LetterSet) -> LetterSet {
        LetterSet(self.0 & other.0)
    }

    #[must_use]
    pub fn without(self, other: LetterSet) -> LetterSet {
        LetterSet(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The bases of the letters, in order.
    pub fn bases(self) -> impl Iterator<Item = Base> {
        Base::all().filter(move |base| !LetterSet::forms(*base).intersection(self).is_empty())
    }

    /// The letters in the order of the tables: small Latin, small Greek, capitals, variants.
    pub fn iter(self) -> impl Iterator<Item = Letter> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let index = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            Letter::from_index(index)
        })
    }
}

impl FromIterator<Letter> for LetterSet {
    fn from_iter<I: IntoIterator<Item = Letter>>(letters: I) -> LetterSet {
        let mut set = LetterSet::default();
        letters.into_iter().for_each(|letter| set.insert(letter));
        set
    }
}

impl SymbolSet {
    pub fn insert(&mut self, symbol: Symbol) {
        self.fonts[symbol.font as usize].insert(symbol.letter);
    }

    pub fn contains(&self, symbol: Symbol) -> bool {
        self.fonts[symbol.font as usize].contains(symbol.letter)
    }

    /// Removes every letter of a font.
    pub fn clear_font(&mut self, font: Font) {
        self.fonts[font as usize] = LetterSet::EMPTY;
    }

    /// The letters that occur in a font.
    pub fn in_font(&self, font: Font) -> LetterSet {
        self.fonts[font as usize]
    }

    /// The letters that occur in any font but double-struck, whose letters are constants.
    pub fn letters(&self) -> LetterSet {
        ALL_FONTS
            .iter()
            .filter(|font| **font != Font::DoubleStruck)
            .fold(LetterSet::EMPTY, |all, font| all.union(self.in_font(*font)))
    }

    #[must_use]
    pub fn union(&self, other: &SymbolSet) -> SymbolSet {
        self.zip(other, LetterSet::union)
    }

    #[must_use]
    pub fn intersection(&self, other: &SymbolSet) -> SymbolSet {
        self.zip(other, LetterSet::intersection)
    }

    #[must_use]
    pub fn without(&self, other: &SymbolSet) -> SymbolSet {
        self.zip(other, LetterSet::without)
    }

    pub fn len(&self) -> usize {
        self.fonts.iter().map(|letters| letters.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.fonts.iter().all(|letters| letters.is_empty())
    }

    /// The symbols, font by font.
    pub fn iter(&self) -> impl Iterator<Item = Symbol> {
        ALL_FONTS
            .into_iter()
            .filter(|font| !self.in_font(*font).is_empty())
            .flat_map(|font| self.in_font(font).iter().map(move |letter| Symbol { letter, font }))
    }

    fn zip(&self, other: &SymbolSet, combine: impl Fn(LetterSet, LetterSet) -> LetterSet) -> SymbolSet {
        let mut result = SymbolSet::default();
        for (place, letters) in result.fonts.iter_mut().enumerate() {
            *letters = combine(self.fonts[place], other.fonts[place]);
        }
        result
    }
}

impl FromIterator<Symbol> for SymbolSet {
    fn from_iter<I: IntoIterator<Item = Symbol>>(symbols: I) -> SymbolSet {
        let mut set = SymbolSet::default();
        symbols.into_iter().for_each(|symbol| set.insert(symbol));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(letters: &str) -> LetterSet {
        letters.chars().filter_map(Letter::from_char).collect()
    }

    #[test]
    fn sets_list_what_they_hold() {
        let letters = set("xAφ");
        assert_eq!(letters.len(), 3);
        assert_eq!(letters.iter().collect::<LetterSet>(), letters);
        assert_eq!(LetterSet::EMPTY.iter().count(), 0);
    }

    #[test]
    fn fonts_stand_in_their_order() {
        assert!(ALL_FONTS.iter().enumerate().all(|(place, font)| *font as usize == place));
    }

    #[test]
    fn a_letter_in_two_fonts_is_two_symbols() {
        let x = Letter::from_char('x').unwrap();
        let symbols = [Font::Plain, Font::Bold, Font::DoubleStruck].map(|font| Symbol { letter: x, font });
        let symbol_set: SymbolSet = symbols.into_iter().collect();
        assert_eq!(symbol_set.len(), 3);
        assert_eq!(symbol_set.letters(), set("x"));
        assert_eq!(symbol_set.iter().collect::<Vec<_>>(), symbols);
    }
}
