//! Letters: the single-letter names that mathematics gives to its objects.
//!
//! A *letter* is a form as it is printed, without its font: `a`, `A`, `γ`, `Γ`, `ε`. Letters that differ
//! only in case share a *base*. Seven Greek letters and two Latin ones have two small forms; the main
//! form is what TeX's plain command prints (`\epsilon` ϵ, `\phi` ϕ, `\theta` θ), the other is the variant
//! (`\varepsilon` ε, `\varphi` φ, `\vartheta` ϑ, the dotless ı of `\imath`). Authors use both forms side
//! by side for different objects, so a variant is a letter of its own, not a decoration.
//!
//! Everything here is a table lookup: a corpus has a hundred million of these.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::corpus::Font;

/// Small main forms in the order of the bases: 26 Latin, 24 Greek and digamma.
const SMALL: [char; 51] = [
    'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u',
    'v', 'w', 'x', 'y', 'z', 'α', 'β', 'γ', 'δ', 'ϵ', 'ζ', 'η', 'θ', 'ι', 'κ', 'λ', 'μ', 'ν', 'ξ', 'ο', 'π',
    'ρ', 'σ', 'τ', 'υ', 'ϕ', 'χ', 'ψ', 'ω', 'ϝ',
];

/// Capitals in the order of the bases; the last one, ϴ, has no small form.
const CAPITAL: [char; 52] = [
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'P', 'Q', 'R', 'S', 'T', 'U',
    'V', 'W', 'X', 'Y', 'Z', 'Α', 'Β', 'Γ', 'Δ', 'Ε', 'Ζ', 'Η', 'Θ', 'Ι', 'Κ', 'Λ', 'Μ', 'Ν', 'Ξ', 'Ο', 'Π',
    'Ρ', 'Σ', 'Τ', 'Υ', 'Φ', 'Χ', 'Ψ', 'Ω', 'Ϝ', 'ϴ',
];

/// Variant small forms with the main form they vary.
const VARIANT: [(char, char); 9] = [
    ('ı', 'i'),
    ('ȷ', 'j'),
    ('ε', 'ϵ'),
    ('ϑ', 'θ'),
    ('ϰ', 'κ'),
    ('ϖ', 'π'),
    ('ϱ', 'ρ'),
    ('ς', 'σ'),
    ('φ', 'ϕ'),
];

const LATIN_BASES: u8 = 26;
const FIRST_CAPITAL: u8 = SMALL.len() as u8;
const FIRST_VARIANT: u8 = FIRST_CAPITAL + CAPITAL.len() as u8;
/// How many letters there are.
pub const LETTERS: usize = SMALL.len() + CAPITAL.len() + VARIANT.len();
/// How many bases there are.
pub const BASES: usize = CAPITAL.len();

/// A letter without its font, as an index into the tables above.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter(u8);

/// What the forms of a letter have in common: `a` and `A`, `ϕ`, `φ` and `Φ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base(u8);

/// The case of a letter. Both small forms of a Greek letter are small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Case {
    Small,
    Capital,
}

/// Which alphabet a base belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Alphabet {
    Latin,
    Greek,
}

/// A letter in a font: what a formula means by one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    pub letter: Letter,
    pub font: Font,
}

impl Letter {
    /// The letter a character is, if it is one.
    pub fn from_char(character: char) -> Option<Letter> {
        let code = character as u32;
        let found = match code {
            0x61..=0x7A => (code - 0x61) as u8,
            0x41..=0x5A => (code - 0x41) as u8 + FIRST_CAPITAL,
            GREEK_START..GREEK_END => GREEK_TABLE[(code - GREEK_START) as usize],
            0x131 => FIRST_VARIANT,
            0x237 => FIRST_VARIANT + 1,
            _ => NOT_A_LETTER,
        };
        (found != NOT_A_LETTER).then_some(Letter(found))
    }

    /// The letter with this index, for walks over all letters.
    pub fn from_index(index: usize) -> Option<Letter> {
        (index < LETTERS).then_some(Letter(index as u8))
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    pub fn character(self) -> char {
        match self.0 {
            FIRST_VARIANT.. => VARIANT[usize::from(self.0 - FIRST_VARIANT)].0,
            FIRST_CAPITAL.. => CAPITAL[usize::from(self.0 - FIRST_CAPITAL)],
            small => SMALL[usize::from(small)],
        }
    }

    pub fn base(self) -> Base {
        match self.0 {
            FIRST_VARIANT.. => Base(VARIANT_BASE[usize::from(self.0 - FIRST_VARIANT)]),
            FIRST_CAPITAL.. => Base(self.0 - FIRST_CAPITAL),
            small => Base(small),
        }
    }

    pub fn case(self) -> Case {
        if (FIRST_CAPITAL..FIRST_VARIANT).contains(&self.0) { Case::Capital } else { Case::Small }
    }
}

impl Base {
    pub fn all() -> impl Iterator<Item = Base> {
        (0..BASES as u8).map(Base)
    }

    pub fn alphabet(self) -> Alphabet {
        if self.0 < LATIN_BASES { Alphabet::Latin } else { Alphabet::Greek }
    }

    /// The main small form; only ϴ has none.
    pub fn small(self) -> Option<Letter> {
        (self.0 < FIRST_CAPITAL).then_some(Letter(self.0))
    }

    pub fn variant(self) -> Option<Letter> {
        let place = VARIANT_OF[self.index()];
        (place != NOT_A_LETTER).then_some(Letter(place))
    }

    pub fn capital(self) -> Letter {
        Letter(FIRST_CAPITAL + self.0)
    }

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Symbol {
    /// The symbol as a reader sees it: `𝐱`, `ℱ`, `α`.
    pub fn styled(self) -> char {
        match self.font {
            Font::Plain => self.letter.character(),
            font => font.styled(self.letter.character()),
        }
    }
}

impl fmt::Display for Letter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.character())
    }
}

impl fmt::Debug for Letter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.character())
    }
}

impl Serialize for Letter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_char(self.character())
    }
}

/// In the notation of the released files: `x`, `x____bold`.
impl fmt::Display for Symbol {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [0; 4];
        let symbol = self.letter.character().encode_utf8(&mut buffer);
        write!(out, "{}", crate::corpus::Token::Math { symbol, font: self.font })
    }
}

impl Serialize for Symbol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

const GREEK_START: u32 = 0x370;
const GREEK_END: u32 = 0x400;
const NOT_A_LETTER: u8 = u8::MAX;
const GREEK_TABLE: [u8; (GREEK_END - GREEK_START) as usize] = greek_table();
const VARIANT_BASE: [u8; VARIANT.len()] = variant_bases();

/// For each base its variant, if it has one.
const VARIANT_OF: [u8; BASES] = {
    let mut variants = [NOT_A_LETTER; BASES];
    let mut place = 0;
    while place < VARIANT_BASE.len() {
        variants[VARIANT_BASE[place] as usize] = FIRST_VARIANT + place as u8;
        place += 1;
    }
    variants
};

const fn greek_table() -> [u8; (GREEK_END - GREEK_START) as usize] {
    let mut table = [NOT_A_LETTER; (GREEK_END - GREEK_START) as usize];
    let mut base = LATIN_BASES as usize;
    while base < CAPITAL.len() {
        if base < SMALL.len() {
            table[(SMALL[base] as u32 - GREEK_START) as usize] = base as u8;
        }
        table[(CAPITAL[base] as u32 - GREEK_START) as usize] = FIRST_CAPITAL + base as u8;
        base += 1;
    }
    // The dotless letters are the two variants outside the Greek block.
    let mut place = 2;
    while place < VARIANT.len() {
        table[(VARIANT[place].0 as u32 - GREEK_START) as usize] = FIRST_VARIANT + place as u8;
        place += 1;
    }
    table
}

const fn variant_bases() -> [u8; VARIANT.len()] {
    let mut bases = [0; VARIANT.len()];
    let mut place = 0;
    while place < VARIANT.len() {
        let mut base = 0;
        while SMALL[base] != VARIANT[place].1 {
            base += 1;
        }
        bases[place] = base as u8;
        place += 1;
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(character: char) -> Letter {
        Letter::from_char(character).unwrap()
    }

    #[test]
    fn every_letter_is_found_by_its_character() {
        for index in 0..LETTERS {
            let letter = Letter::from_index(index).unwrap();
            assert_eq!(Letter::from_char(letter.character()), Some(letter));
        }
        for other in ['1', '+', 'é', 'ж', 'ℵ', '∂', '∇', '∑', 'ʹ', ' '] {
            assert_eq!(Letter::from_char(other), None, "{other}");
        }
    }

    #[test]
    fn forms_of_one_letter_share_a_base() {
        for (one, other) in [('a', 'A'), ('γ', 'Γ'), ('ϵ', 'ε'), ('φ', 'Φ'), ('ς', 'Σ'), ('ı', 'I')]
        {
            assert_eq!(letter(one).base(), letter(other).base());
        }
        assert_ne!(letter('θ').base(), letter('ϴ').base());
        assert_eq!(letter('ϕ').base().variant(), Some(letter('φ')));
        assert_eq!(letter('φ').case(), Case::Small);
        assert_eq!(letter('Ω').case(), Case::Capital);
        assert_eq!(letter('Ω').base().alphabet(), Alphabet::Greek);
    }

    #[test]
    fn case_follows_unicode() {
        for base in Base::all() {
            if let Some(small) = base.small() {
                let expected: Vec<char> = base.capital().character().to_lowercase().collect();
                let shown = small.character();
                assert!(expected == [shown] || matches!(shown, 'ϵ' | 'ϕ'), "{shown}");
            }
        }
    }
}
