//! Which letters of a pair are constants of mathematics and keep their name.
//!
//! - `π` always is, in every font. (It may name a projection; the paper keeps it, and says so.) `Π` and
//!   `ϖ` are letters like others.
//! - `e` is Euler's number when each `e` of the pair, on both sides, carries a superscript and no
//!   subscript, and at least one of these exponents holds a letter. An idempotent or an edge shows up
//!   without an exponent somewhere, and then `e` is a variable everywhere.
//! - `i` is the imaginary unit when it is adjacent to `π` or in an exponent of that `e` at least once, and
//!   never in any other script, nor alone before a relation (`i = 1`), in the pair.
//!
//! Both rules need the layout of the formulas. Without it, as in imported files, `e` and `i`
//! are variables. Mistaking a constant for a variable renames it consistently, which is harmless;
//! mistaking a variable for a constant leaks a name. In doubt a letter is therefore a variable.

use crate::corpus::Font;

use super::{
    letter::Letter,
    letter_set::LetterSet,
    reading::{Reading, Sighting},
};

/// The constants of a pair, from the readings of both sides.
pub fn constants(statement: &Reading, proof: &Reading) -> LetterSet {
    let sides = [statement, proof];
    let mut found = always();
    let (Some(e), Some(i)) = (Letter::from_char('e'), Letter::from_char('i')) else { return found };
    let has_euler = is_euler(sides, e);
    if has_euler {
        found.insert(e);
    }
    if is_imaginary_unit(sides, i, has_euler.then_some(e)) {
        found.insert(i);
    }
    found
}

/// The letters that are always constants.
pub fn always() -> LetterSet {
    Letter::from_char('π').into_iter().collect()
}

fn is_euler(sides: [&Reading; 2], e: Letter) -> bool {
    let mut has_exponential = false;
    for side in sides {
        for (at, sighting) in occurrences(side, e) {
            let Some(place) = sighting.place else { return false };
            if !place.has_superscript || place.has_subscript || sighting.symbol.font != Font::Plain {
                return false;
            }
            has_exponential |= side.sightings[at + 1..]
                .iter()
                .take_while(|other| other.run == sighting.run)
                .any(|other| other.in_exponent_of(sighting.token));
        }
    }
    has_exponential
}

fn is_imaginary_unit(sides: [&Reading; 2], i: Letter, euler: Option<Letter>) -> bool {
    let mut has_evidence = false;
    for side in sides {
        for (at, sighting) in occurrences(side, i) {
            let Some(place) = sighting.place else { return false };
            let in_exponential = euler.is_some_and(|e| stands_in_exponent_of(side, at, e));
            let beside_pi = stands_beside_pi(side, at);
            let is_index = place.in_subscript
                || (place.exponent_of != super::scripts::Exponent::None && !in_exponential)
                || place.has_subscript
                || (sighting.before_relation && !beside_pi);
            if is_index || sighting.symbol.font != Font::Plain {
                return false;
            }
            has_evidence |= in_exponential || beside_pi;
        }
    }
    has_evidence
}

fn occurrences(side: &Reading, letter: Letter) -> impl Iterator<Item = (usize, &Sighting)> {
    side.sightings.iter().enumerate().filter(move |(_, sighting)| {
        sighting.symbol.letter == letter && !sighting.is_spelled && sighting.symbol.font != Font::DoubleStruck
    })
}

fn stands_in_exponent_of(side: &Reading, at: usize, letter: Letter) -> bool {
    let sighting = side.sightings[at];
    side.sightings[..at]
        .iter()
        .rev()
        .take_while(|other| other.run == sighting.run)
        .any(|other| other.symbol.letter == letter && sighting.in_exponent_of(other.token))
}

fn stands_beside_pi(side: &Reading, at: usize) -> bool {
    let is_pi = |place: usize| side.sightings[place].symbol.letter.character() == 'π';
    side.chains
        .iter()
        .find(|chain| chain.contains(&at))
        .is_some_and(|chain| (at > chain.start && is_pi(at - 1)) || (at + 1 < chain.end && is_pi(at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Formula, Passage};

    fn found(formulas: &[(&str, &str)]) -> String {
        let mut passage = Passage::new();
        for (linear, layout) in formulas {
            passage.push_formula(Formula { linear, layout, ..Formula::default() });
        }
        let letters = constants(&Reading::of(&passage), &Reading::default());
        letters.iter().map(Letter::character).collect()
    }

    #[test]
    fn pi_always_is_a_constant() {
        assert_eq!(found(&[]), "π");
    }

    #[test]
    fn e_is_eulers_number_when_it_is_only_a_base_of_powers() {
        assert_eq!(found(&[("e x + e - t", ".^.}..^..}")]), "eπ");
        // An idempotent: e² = e.
        assert_eq!(found(&[("e x", ".^.}"), ("e 2 = e", ".^.}..")]), "π");
        assert_eq!(found(&[("e x", ".^.}"), ("e i", "._.}")]), "π");
        assert_eq!(found(&[("e 2", ".^.}")]), "π");
        assert_eq!(found(&[("e x", "")]), "π");
    }

    #[test]
    fn i_is_the_imaginary_unit_beside_pi_or_in_an_exponential() {
        assert_eq!(found(&[("2 π i", "...")]), "iπ");
        assert_eq!(found(&[("2 π i = z", ".....")]), "iπ");
        assert_eq!(found(&[("e i t", ".^..}")]), "eiπ");
        assert_eq!(found(&[("2 π i", "..."), ("x i", "._.}")]), "π");
        assert_eq!(found(&[("2 π i", "..."), ("i = 1", "...")]), "π");
        assert_eq!(found(&[("x + i y", "....")]), "π");
    }
}
