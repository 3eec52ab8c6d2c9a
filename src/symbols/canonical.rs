//! Canonical names: two texts that differ only by a renaming become equal.
//!
//! Letters are numbered by first occurrence: the first letter of the text is `v#1`, or `V#1` when it is a
//! capital; the font stays, as it stays under every level. `x + 𝐱 = Y` becomes `v#1 + v#1____bold = V#2`.
//! Each printed form has its own number, so `a` and `A` are two letters here: a renaming in
//! mathematics need not respect their likeness, although our levels do.
//!
//! What no level touches keeps its name: π, double-struck letters, multi-letter names, and letters that
//! spell one. A level is a renaming, so the canonical form of a proof is the same before and
//! after it, which is tested for every level. It is also an input for encoders without access to
//! names, and [`both`] one for encoders that see the canonical name beside the literal one.

use std::fmt::Write;

use crate::corpus::{Font, Formula, Passage, Run, token::FONT_SEPARATOR};

use super::{
    constants,
    letter::{Case, LETTERS},
    reading::Reading,
};

/// The text in which letters are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole passage: a letter has the same number in every formula.
    Passage,
    /// Each formula on its own, so that what one formula says does not depend on those before it.
    Formula,
}

/// The passage with canonical names. Layouts stay; TeX sources are dropped.
pub fn canonical(passage: &Passage) -> Passage {
    numbered(passage, Scope::Passage)
}

/// The passage with letters numbered within a scope. Layouts stay; TeX sources are dropped.
pub fn numbered(passage: &Passage, scope: Scope) -> Passage {
    let reading = Reading::of(passage);
    let constants = constants::always();
    let mut numbers = [0u32; LETTERS];
    let mut last = 0;
    let mut written = Passage::new();
    let mut sightings = reading.sightings.iter().peekable();
    for (run, part) in (0u32..).zip(passage.runs()) {
        let Run::Math(formula) = part else {
            written.push(part);
            continue;
        };
        if scope == Scope::Formula {
            (numbers, last) = ([0u32; LETTERS], 0);
        }
        let mut linear = String::with_capacity(2 * formula.linear.len());
        for (token, name) in (0u32..).zip(formula.linear.split_ascii_whitespace()) {
            if token > 0 {
                linear.push(' ');
            }
            let here = sightings.next_if(|sighting| (sighting.run, sighting.token) == (run, token));
            let Some(symbol) = here
                .filter(|sighting| !sighting.is_spelled)
                .map(|sighting| sighting.symbol)
                .filter(|symbol| symbol.font != Font::DoubleStruck && !constants.contains(symbol.letter))
            else {
                linear.push_str(name);
                continue;
            };
            let number = &mut numbers[symbol.letter.index()];
            if *number == 0 {
                last += 1;
                *number = last;
            }
            let case = if symbol.letter.case() == Case::Capital { 'V' } else { 'v' };
            // Writing to a string cannot fail.
            let _ = write!(linear, "{case}#{number}");
            if symbol.font != Font::Plain {
                linear.push_str(FONT_SEPARATOR);
                linear.push_str(symbol.font.name());
            }
        }
        written.push_formula(Formula { linear: &linear, tex: "", ..formula });
    }
    written
}

/// A passage with the canonical name of each letter after the letter: `x = y` becomes `x v#1 = y v#2`. The letters are
/// those of `written`, and what is a letter is read in `named`: the same passage, or the one that a level renamed.
/// Layouts and TeX sources, which lack the added names, are dropped.
pub fn both(named: &Passage, written: &Passage) -> Passage {
    let numbered = canonical(named);
    let mut out = Passage::new();
    for (written, numbered) in written.runs().zip(numbered.runs()) {
        let (Run::Math(formula), Run::Math(other)) = (written, numbered) else {
            out.push(written);
            continue;
        };
        let mut linear = String::with_capacity(2 * formula.linear.len());
        let mut numbers = other.linear.split_ascii_whitespace();
        for token in formula.linear.split_ascii_whitespace() {
            let name = numbers.next().filter(|name| canonical_name(name).is_some());
            for token in [Some(token), name].into_iter().flatten() {
                if !linear.is_empty() {
                    linear.push(' ');
                }
                linear.push_str(token);
            }
        }
        out.push_formula(Formula { linear: &linear, tex: "", layout: "", ..formula });
    }
    out
}

/// A canonical name: `v#1`, `V#12____bold`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanonicalName<'a> {
    /// `v`, or `V` for a capital.
    pub case: char,
    /// Digits.
    pub number: &'a str,
    /// The font with its separator, or nothing.
    pub font: &'a str,
}

/// Parses a canonical name; `None` for any other token.
pub fn canonical_name(token: &str) -> Option<CanonicalName<'_>> {
    let case = token.chars().next().filter(|case| matches!(case, 'v' | 'V'))?;
    let rest = token[1..].strip_prefix('#')?;
    let (number, font) = rest.split_at(rest.find(FONT_SEPARATOR).unwrap_or(rest.len()));
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(CanonicalName { case, number, font })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(linear: &str, expected: &str) {
        check_with(canonical, linear, expected);
    }

    fn check_with(rewritten: fn(&Passage) -> Passage, linear: &str, expected: &str) {
        let mut passage = Passage::new();
        passage.push_text("Let a be");
        passage.push_formula(Formula { linear, ..Formula::default() });
        let rewritten = rewritten(&passage);
        let [Run::Text(text), Run::Math(formula)] = rewritten.runs().collect::<Vec<_>>()[..] else {
            panic!("a text and a formula expected")
        };
        assert_eq!((text, formula.linear), ("Let a be", expected));
    }

    #[test]
    fn letters_are_numbered_by_first_occurrence() {
        check("y + x = y", "v#1 + v#2 = v#1");
        check("x + x____bold = Y", "v#1 + v#1____bold = V#2");
        check("2 π r ∈ R____double-struck", "2 π v#1 ∈ R____double-struck");
        check("d i m V = dim W", "d i m V#1 = dim V#2");
        check("𝒢 g", "V#1____script v#2");
    }

    #[test]
    fn a_formula_can_have_numbers_of_its_own() {
        let mut passage = Passage::new();
        for linear in ["x = y", "y = x"] {
            passage.push_formula(Formula { linear, ..Formula::default() });
        }
        let linear = |scope| {
            let numbered = numbered(&passage, scope);
            numbered.tokens().map(|token| token.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(linear(Scope::Passage), "v#1 = v#2 v#2 = v#1");
        assert_eq!(linear(Scope::Formula), "v#1 = v#2 v#1 = v#2");
    }

    #[test]
    fn both_names_stand_side_by_side_and_what_has_no_other_name_stands_alone() {
        check_with(
            |passage| both(passage, passage),
            "x____bold + Y = 2 π",
            "x____bold v#1____bold + Y V#2 = 2 π",
        );
        for (token, is_name) in [
            ("v#1", true),
            ("V#12____bold", true),
            ("v#", false),
            ("v", false),
            ("v#x", false),
            ("w#1", false),
        ] {
            assert_eq!(canonical_name(token).is_some(), is_name, "{token}");
        }
    }
}
