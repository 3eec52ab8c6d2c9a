//! The letters of an article: which ones its author uses, and for what.
//!
//! Every article takes a few letters for its objects, elements, maps and indices from the alphabets
//! that mathematicians use, so that a statement and its proof share more symbols than strangers do.

use super::random::Random;
use crate::corpus::Font;

/// A letter as it stands in a formula, in each of the three notations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The text of `mi`.
    pub shown: String,
    /// Attributes of `mi`, with a space before each.
    pub attributes: &'static str,
    /// The text of `ci`.
    pub content: String,
    pub tex: String,
}

/// A symbol of an article, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolId(u16);

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Object,
    Element,
    Map,
    Index,
}

/// The symbols of an article by role, the frequent ones first.
pub struct Symbols {
    all: Vec<Symbol>,
    objects: Vec<SymbolId>,
    elements: Vec<SymbolId>,
    maps: Vec<SymbolId>,
    indices: Vec<SymbolId>,
}

impl Symbols {
    /// The habits of one author.
    pub fn draw(random: &mut Random) -> Symbols {
        let mut symbols = Symbols {
            all: Vec::with_capacity(32),
            objects: Vec::new(),
            elements: Vec::new(),
            maps: Vec::new(),
            indices: Vec::new(),
        };
        // An author has one taste for large objects and rarely uses more than two alphabets for them.
        let tastes = [Font::Plain, Font::Plain, Font::Script, Font::Fraktur, Font::Bold, Font::DoubleStruck];
        let (usual, other) = (*random.pick(&tastes), *random.pick(&tastes));
        symbols.objects = symbols.take(9, random, |random| {
            let font = if random.percent(65) { usual } else { other };
            match (font, random.percent(20)) {
                (Font::Plain, true) => greek(random, CAPITAL_GREEK),
                _ => latin(*random.pick_early(b"XYZMNGHABCDEFKLPRSTUVW"), font),
            }
        });
        let bold = random.percent(15);
        symbols.elements = symbols.take(8, random, |random| match random.below(10) {
            0..7 => latin(*random.pick_early(b"xyzabcuvwpqst"), if bold { Font::Bold } else { Font::Plain }),
            _ => greek(random, SMALL_GREEK),
        });
        symbols.maps = symbols.take(5, random, |random| match random.below(2) {
            0 => latin(*random.pick_early(b"fghFTuvpq"), Font::Plain),
            _ => greek(random, MAP_GREEK),
        });
        symbols.indices =
            symbols.take(4, random, |random| latin(*random.pick_early(b"ijklmnrd"), Font::Plain));
        symbols
    }

    pub fn get(&self, id: SymbolId) -> &Symbol {
        &self.all[usize::from(id.0)]
    }

    pub fn with_role(&self, role: Role) -> &[SymbolId] {
        match role {
            Role::Object => &self.objects,
            Role::Element => &self.elements,
            Role::Map => &self.maps,
            Role::Index => &self.indices,
        }
    }

    /// Draws symbols that no role has yet. Some letters may all be taken, so there can be fewer than asked
    /// for, but there is always one.
    fn take(
        &mut self,
        count: usize,
        random: &mut Random,
        draw: impl Fn(&mut Random) -> Symbol,
    ) -> Vec<SymbolId> {
        let mut taken = Vec::with_capacity(count);
        let mut draws = 0;
        while taken.is_empty() || (taken.len() < count && draws < 12 * count) {
            draws += 1;
            let symbol = draw(random);
            if !self.all.contains(&symbol) {
                taken.push(SymbolId(self.all.len() as u16));
                self.all.push(symbol);
            }
        }
        taken
    }
}

const CAPITAL_GREEK: &[(char, &str)] = &[
    ('Γ', "\\Gamma"),
    ('Δ', "\\Delta"),
    ('Θ', "\\Theta"),
    ('Λ', "\\Lambda"),
    ('Σ', "\\Sigma"),
    ('Φ', "\\Phi"),
    ('Ω', "\\Omega"),
];
const SMALL_GREEK: &[(char, &str)] = &[
    ('α', "\\alpha"),
    ('β', "\\beta"),
    ('γ', "\\gamma"),
    ('δ', "\\delta"),
    ('ϵ', "\\epsilon"),
    ('ε', "\\varepsilon"),
    ('λ', "\\lambda"),
    ('μ', "\\mu"),
    ('ξ', "\\xi"),
    ('ω', "\\omega"),
    ('η', "\\eta"),
];
const MAP_GREEK: &[(char, &str)] = &[
    ('φ', "\\varphi"),
    ('ϕ', "\\phi"),
    ('ψ', "\\psi"),
    ('π', "\\pi"),
    ('ρ', "\\rho"),
    ('σ', "\\sigma"),
    ('τ', "\\tau"),
    ('χ', "\\chi"),
    ('θ', "\\theta"),
];

fn latin(letter: u8, font: Font) -> Symbol {
    let letter = char::from(letter);
    let command = match font {
        Font::Script => "\\mathcal",
        Font::Fraktur => "\\mathfrak",
        Font::Bold => "\\mathbf",
        Font::DoubleStruck => "\\mathbb",
        _ => {
            // LaTeXML writes a plain letter in presentation and an italic one in content.
            let content = Font::Italic.styled(letter).to_string();
            return Symbol { shown: letter.to_string(), attributes: "", content, tex: letter.to_string() };
        }
    };
    let styled = font.styled(letter).to_string();
    Symbol {
        shown: styled.clone(),
        attributes: if font == Font::Script { " class=\"ltx_font_mathcaligraphic\"" } else { "" },
        content: styled,
        tex: format!("{command}{{{letter}}}"),
    }
}

fn greek(random: &mut Random, letters: &[(char, &str)]) -> Symbol {
    let &(letter, command) = random.pick_early(letters);
    let is_capital = letter.is_uppercase();
    let content = if is_capital { letter } else { Font::Italic.styled(letter) };
    Symbol {
        shown: letter.to_string(),
        attributes: if is_capital { " mathvariant=\"normal\"" } else { "" },
        content: content.to_string(),
        tex: command.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_author_has_symbols_for_every_role_and_none_twice() {
        for seed in 0..500 {
            let symbols = Symbols::draw(&mut Random::named(&[seed]));
            for role in [Role::Object, Role::Element, Role::Map, Role::Index] {
                assert!(symbols.with_role(role).len() >= 3, "{seed} {role:?}");
            }
            let mut shown: Vec<&str> = symbols.all.iter().map(|symbol| symbol.shown.as_str()).collect();
            shown.sort_unstable();
            shown.dedup();
            assert_eq!(shown.len(), symbols.all.len());
        }
    }

    #[test]
    fn fonts_come_as_letters_that_carry_them() {
        let script = latin(b'F', Font::Script);
        assert_eq!((script.shown.as_str(), script.tex.as_str()), ("ℱ", "\\mathcal{F}"));
        assert_eq!(latin(b'x', Font::Plain).content, "𝑥");
        assert_eq!(latin(b'R', Font::DoubleStruck).shown, "ℝ");
    }
}
