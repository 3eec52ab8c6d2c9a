//! The font of a mathematical symbol.
//!
//! Fonts carry meaning in mathematics: `x` and bold `x` in one article are two objects. A font is
//! therefore part of a token. LaTeXML writes fonts in two ways, as a `mathvariant` attribute and as
//! a Unicode letter that already has the font (`𝐱`, `ℝ`, `ℱ`); both become a base letter and a
//! [`Font`], and [`Font::styled`] goes back to the Unicode letter for display.

use strum::{EnumString, IntoStaticStr};

/// A MathML `mathvariant`. `Plain` is the default of a symbol: italic for single
/// Latin letters, upright for names, so neither `normal` nor `italic` is a separate font unless the
/// source insists (see [`Font::Italic`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Font {
    #[default]
    #[strum(serialize = "normal")]
    Plain,
    /// Only produced in reference mode, which takes the attribute literally.
    Italic,
    Bold,
    BoldItalic,
    DoubleStruck,
    Fraktur,
    BoldFraktur,
    Script,
    BoldScript,
    SansSerif,
    BoldSansSerif,
    SansSerifItalic,
    SansSerifBoldItalic,
    Monospace,
}

/// A contiguous alphabet in plane 1: its first code point and the base character of that.
struct Alphabet {
    font: Font,
    start: u32,
    base: char,
    length: u32,
}

const fn alphabet(font: Font, start: u32, base: char, length: u32) -> Alphabet {
    Alphabet { font, start, base, length }
}

/// The Mathematical Alphanumeric Symbols block (U+1D400..U+1D7FF), Latin part: capitals then small
/// letters, 52 to an alphabet; the holes are filled by [`LETTERLIKE`].
const LATIN: [Alphabet; 13] = [
    alphabet(Font::Bold, 0x1D400, 'A', 52),
    alphabet(Font::Italic, 0x1D434, 'A', 52),
    alphabet(Font::BoldItalic, 0x1D468, 'A', 52),
    alphabet(Font::Script, 0x1D49C, 'A', 52),
    alphabet(Font::BoldScript, 0x1D4D0, 'A', 52),
    alphabet(Font::Fraktur, 0x1D504, 'A', 52),
    alphabet(Font::DoubleStruck, 0x1D538, 'A', 52),
    alphabet(Font::BoldFraktur, 0x1D56C, 'A', 52),
    alphabet(Font::SansSerif, 0x1D5A0, 'A', 52),
    alphabet(Font::BoldSansSerif, 0x1D5D4, 'A', 52),
    alphabet(Font::SansSerifItalic, 0x1D608, 'A', 52),
    alphabet(Font::SansSerifBoldItalic, 0x1D63C, 'A', 52),
    alphabet(Font::Monospace, 0x1D670, 'A', 52),
];

/// Greek alphabets of the block: 58 code points each, from capital alpha to the variant pi.
const GREEK: [Alphabet; 5] = [
    alphabet(Font::Bold, 0x1D6A8, 'Α', 58),
    alphabet(Font::Italic, 0x1D6E2, 'Α', 58),
    alphabet(Font::BoldItalic, 0x1D71C, 'Α', 58),
    alphabet(Font::BoldSansSerif, 0x1D756, 'Α', 58),
    alphabet(Font::SansSerifBoldItalic, 0x1D790, 'Α', 58),
];

const DIGITS: [Alphabet; 5] = [
    alphabet(Font::Bold, 0x1D7CE, '0', 10),
    alphabet(Font::DoubleStruck, 0x1D7D8, '0', 10),
    alphabet(Font::SansSerif, 0x1D7E2, '0', 10),
    alphabet(Font::BoldSansSerif, 0x1D7EC, '0', 10),
    alphabet(Font::Monospace, 0x1D7F6, '0', 10),
];

/// The 58 Greek code points of an alphabet, in the block's order.
const GREEK_BASES: [char; 58] = [
    'Α', 'Β', 'Γ', 'Δ', 'Ε', 'Ζ', 'Η', 'Θ', 'Ι', 'Κ', 'Λ', 'Μ', 'Ν', 'Ξ', 'Ο', 'Π', 'Ρ', 'ϴ', 'Σ', 'Τ', 'Υ',
    'Φ', 'Χ', 'Ψ', 'Ω', '∇', 'α', 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ', 'ι', 'κ', 'λ', 'μ', 'ν', 'ξ', 'ο', 'π',
    'ρ', 'ς', 'σ', 'τ', 'υ', 'φ', 'χ', 'ψ', 'ω', '∂', 'ϵ', 'ϑ', 'ϰ', 'ϕ', 'ϱ', 'ϖ',
];

/// Letters with a font that older blocks of Unicode already had, and a few outside the alphabets.
const LETTERLIKE: [(char, char, Font); 29] = [
    ('ℂ', 'C', Font::DoubleStruck),
    ('ℍ', 'H', Font::DoubleStruck),
    ('ℕ', 'N', Font::DoubleStruck),
    ('ℙ', 'P', Font::DoubleStruck),
    ('ℚ', 'Q', Font::DoubleStruck),
    ('ℝ', 'R', Font::DoubleStruck),
    ('ℤ', 'Z', Font::DoubleStruck),
    ('ℊ', 'g', Font::Script),
    ('ℋ', 'H', Font::Script),
    ('ℐ', 'I', Font::Script),
    ('ℒ', 'L', Font::Script),
    ('ℓ', 'l', Font::Script),
    ('ℛ', 'R', Font::Script),
    ('ℬ', 'B', Font::Script),
    ('ℰ', 'E', Font::Script),
    ('ℱ', 'F', Font::Script),
    ('ℳ', 'M', Font::Script),
    ('ℯ', 'e', Font::Script),
    ('ℴ', 'o', Font::Script),
    ('ℌ', 'H', Font::Fraktur),
    ('ℑ', 'I', Font::Fraktur),
    ('ℜ', 'R', Font::Fraktur),
    ('ℨ', 'Z', Font::Fraktur),
    ('ℭ', 'C', Font::Fraktur),
    ('ℎ', 'h', Font::Italic),
    ('𝚤', 'ı', Font::Italic),
    ('𝚥', 'ȷ', Font::Italic),
    ('𝟊', 'Ϝ', Font::Bold),
    ('𝟋', 'ϝ', Font::Bold),
];

impl Font {
    /// The `mathvariant` name, which follows the four underscores in the released files.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The font of a `mathvariant` value; `None` for `normal` and unknown names.
    pub fn from_name(name: &str) -> Option<Font> {
        name.parse().ok().filter(|font| *font != Font::Plain)
    }

    /// Splits a letter that carries a font into base and font: `𝐱` is `x` in bold.
    ///
    /// Any other character is returned unchanged, with `None`.
    pub fn split(letter: char) -> (char, Option<Font>) {
        let code = letter as u32;
        if !(0x1D400..=0x1D7FF).contains(&code) && !(0x2100..=0x214F).contains(&code) {
            return (letter, None);
        }
        if let Some(&(_, base, font)) = LETTERLIKE.iter().find(|entry| entry.0 == letter) {
            return (base, Some(font));
        }
        split_plane_one(code).map_or((letter, None), |(base, font)| (base, Some(font)))
    }

    /// The Unicode letter for a base letter in this font, or the base letter when Unicode has none.
    pub fn styled(self, base: char) -> char {
        if let Some(&(letter, ..)) = LETTERLIKE.iter().find(|entry| entry.1 == base && entry.2 == self) {
            return letter;
        }
        let index = if base.is_ascii_uppercase() {
            base as u32 - 'A' as u32
        } else if base.is_ascii_lowercase() {
            base as u32 - 'a' as u32 + 26
        } else if base.is_ascii_digit() {
            let digit = base as u32 - '0' as u32;
            return find(&DIGITS, self).and_then(|start| char::from_u32(start + digit)).unwrap_or(base);
        } else if let Some(greek) = GREEK_BASES.iter().position(|&letter| letter == base) {
            return find(&GREEK, self).and_then(|start| char::from_u32(start + greek as u32)).unwrap_or(base);
        } else {
            return base;
        };
        find(&LATIN, self).and_then(|start| char::from_u32(start + index)).unwrap_or(base)
    }
}

fn find(alphabets: &[Alphabet], font: Font) -> Option<u32> {
    alphabets.iter().find(|alphabet| alphabet.font == font).map(|alphabet| alphabet.start)
}

fn split_plane_one(code: u32) -> Option<(char, Font)> {
    let alphabet = LATIN
        .iter()
        .chain(&GREEK)
        .chain(&DIGITS)
        .find(|alphabet| (alphabet.start..alphabet.start + alphabet.length).contains(&code))?;
    let offset = code - alphabet.start;
    let base = match alphabet.base {
        'A' if offset < 26 => char::from_u32('A' as u32 + offset)?,
        'A' => char::from_u32('a' as u32 + offset - 26)?,
        '0' => char::from_u32('0' as u32 + offset)?,
        _ => *GREEK_BASES.get(offset as usize)?,
    };
    Some((base, alphabet.font))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_carry_a_font_split_into_base_and_font() {
        for (letter, base, font) in [
            ('𝐱', 'x', Font::Bold),
            ('𝑥', 'x', Font::Italic),
            ('ℝ', 'R', Font::DoubleStruck),
            ('ℱ', 'F', Font::Script),
            ('𝒢', 'G', Font::Script),
            ('𝔤', 'g', Font::Fraktur),
            ('𝛂', 'α', Font::Bold),
            ('𝜖', 'ϵ', Font::Italic),
            ('𝟙', '1', Font::DoubleStruck),
            ('ℎ', 'h', Font::Italic),
        ] {
            assert_eq!(Font::split(letter), (base, Some(font)), "{letter}");
            assert_eq!(font.styled(base), letter, "{letter}");
        }
        assert_eq!(Font::split('x'), ('x', None));
        assert_eq!(Font::split('ℵ'), ('ℵ', None));
    }

    #[test]
    fn styling_and_splitting_are_inverse_over_the_whole_block() {
        for code in (0x1D400..=0x1D7FFu32).chain(0x2100..=0x214F) {
            let Some(letter) = char::from_u32(code) else { continue };
            if let (base, Some(font)) = Font::split(letter) {
                let (again, font_again) = Font::split(font.styled(base));
                assert_eq!((again, font_again), (base, Some(font)), "{letter} U+{code:X}");
            }
        }
    }

    #[test]
    fn names_are_those_of_mathvariant() {
        for (font, name) in [
            (Font::Italic, "italic"),
            (Font::Bold, "bold"),
            (Font::BoldItalic, "bold-italic"),
            (Font::DoubleStruck, "double-struck"),
            (Font::Fraktur, "fraktur"),
            (Font::BoldFraktur, "bold-fraktur"),
            (Font::Script, "script"),
            (Font::BoldScript, "bold-script"),
            (Font::SansSerif, "sans-serif"),
            (Font::BoldSansSerif, "bold-sans-serif"),
            (Font::SansSerifItalic, "sans-serif-italic"),
            (Font::SansSerifBoldItalic, "sans-serif-bold-italic"),
            (Font::Monospace, "monospace"),
        ] {
            assert_eq!(Font::from_name(name), Some(font));
            assert_eq!(font.name(), name);
        }
        assert_eq!(Font::Plain.name(), "normal");
        assert_eq!(Font::from_name("normal"), None);
    }
}
