//! Canonical names: two texts that differ only by a renaming become equal.
//!
//! Letters are numbered by first occurrence: the first letter of the text is `v#1`, or `V#1` when it is a
//! capital; the font stays, as it stays under every level. `x + 𝐱 = Y` becomes `v#1 + v#1____bold = V#2`.
//! Each printed form has its own number, so `a` and `A` are two letters here: a renaming in
//! mathematics need not respect their likeness, although our levels do.
//!
//! What no level touches keeps its name: π, double-struck letters, multi-letter names, and letters that
//! spell one. A level is a renaming, so the canonical form of a proof is the same before and
//! after it; the tests hold every level to that. It is also an input for encoders without access to
//! names, and [`both`] one for encoders that see the canonical name beside the literal one.

use std::fmt::Write;

use crate::corpus::{Font, Formula, Passage, Run, token::FONT_SEPARATOR};

use super::{
    constants,
    letter::{Case, LETTERS},
    reading::Reading,
};

/// The passage with canonical names. Layouts stay; TeX sources are dropped.
pub fn canonical(passage: &Passage) -> Passage {
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
            let name = numbers.next().filter(|name| is_canonical_name(name));
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

/// Whether a token is a canonical name.
pub fn is_canonical_name(token: &str) -> bool {
    let digits = token.strip_prefix("v#").or_else(|| token.strip_prefix("V#"));
    let number = digits.map(|rest| rest.split_once(FONT_SEPARATOR).map_or(rest, |(number, _)| number));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
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
            assert_eq!(is_canonical_name(token), is_name, "{token}");
        }
    }
}
