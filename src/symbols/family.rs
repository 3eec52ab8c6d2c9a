//! Families: the letters of a proof that move together.
//!
//! The paper's rule is that a → b takes A to B. A family is therefore a base letter with the small and
//! capital forms that the proof uses, in all their fonts. It moves when one of its symbols occurs, in the
//! same case and font, in the statement too; the others are its companions and move with it.
//!
//! Letters that must stay (constants, protected ones) are no members. Where `e` is Euler's number, `E` is
//! a family without a small letter; where `P` is protected, `p` is one without a capital.
//!
//! A variant form (ε beside ϵ) is the same letter to an author who uses one of the two and a different one
//! to an author who uses both. So the capital goes with whichever form the proof has; in a proof with
//! both forms the variant is a family of its own and the capital goes with the main form.

use super::{
    letter::{Alphabet, Base, Case, Letter},
    letter_set::LetterSet,
    reading::Reading,
};

/// Letters of the proof that get their new names together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    pub name: Name,
    /// The forms that occur in the proof and may change.
    pub letters: LetterSet,
    /// Some of them carry their font in the character, which only the same alphabet has.
    pub is_styled: bool,
}

/// A name that a family has or can be given: a small letter and its capital.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    pub base: Base,
    small: Option<Letter>,
    capital: Option<Letter>,
}

impl Name {
    /// The usual name with this base: the main small form and the capital.
    pub fn of(base: Base) -> Name {
        Name { base, small: base.small(), capital: Some(base.capital()) }
    }

    /// The name with the variant small form, if the base has one.
    pub fn variant_of(base: Base) -> Option<Name> {
        base.variant().map(|small| Name { small: Some(small), ..Name::of(base) })
    }

    pub fn form(&self, case: Case) -> Option<Letter> {
        match case {
            Case::Small => self.small,
            Case::Capital => self.capital,
        }
    }
}

impl Family {
    /// The families of the proof that share a symbol with the statement, in the order of the alphabet.
    pub fn shared(statement: &Reading, proof: &Reading, frozen: LetterSet) -> Vec<Family> {
        let shared = statement.free.intersection(&proof.free).letters().without(frozen);
        let present = proof.free.letters();
        let mut families = Vec::with_capacity(shared.len());
        for base in Base::all().filter(|base| !LetterSet::forms(*base).intersection(shared).is_empty()) {
            for (name, letters) in split(base, present).into_iter().flatten() {
                let letters = letters.without(frozen);
                if !letters.intersection(shared).is_empty() {
                    let is_styled = !letters.intersection(proof.styled).is_empty();
                    families.push(Family { name, letters, is_styled });
                }
            }
        }
        families
    }

    pub fn alphabet(&self) -> Alphabet {
        self.name.base.alphabet()
    }

    pub fn has(&self, case: Case) -> bool {
        self.letters.iter().any(|letter| letter.case() == case)
    }

    /// What the family's letters become under a name. `None` when the name lacks a form they need, when it
    /// would produce a letter that must not be produced, or when Unicode lacks it in their font.
    pub fn images(&self, name: &Name, frozen: LetterSet) -> Option<LetterSet> {
        let images: LetterSet =
            self.letters.iter().map(|letter| name.form(letter.case())).collect::<Option<_>>()?;
        let has_fonts = name.base.alphabet() == self.alphabet() && !lacks_fonts(images);
        let is_possible = images.intersection(frozen).is_empty() && (has_fonts || !self.is_styled);
        is_possible.then_some(images)
    }
}

/// Whether Unicode has some of the letters in one font at most.
pub fn lacks_fonts(letters: LetterSet) -> bool {
    letters.iter().any(|letter| matches!(letter.character(), 'ı' | 'ȷ' | 'ϝ' | 'Ϝ'))
}

/// The one or two families of a base, by the forms that are present.
fn split(base: Base, present: LetterSet) -> [Option<(Name, LetterSet)>; 2] {
    let forms = [base.small(), base.variant(), Some(base.capital())];
    let [main, variant, capital] =
        forms.map(|form| form.filter(|letter| present.contains(*letter)).into_iter().collect::<LetterSet>());
    if main.is_empty() && variant.is_empty() && capital.is_empty() {
        return [None, None];
    }
    let named = Name::of(base);
    match (main.is_empty(), variant.is_empty()) {
        (_, true) => [Some((named, main.union(capital))), None],
        (true, false) => [Some((Name { small: base.variant(), ..named }, variant.union(capital))), None],
        (false, false) => [
            Some((named, main.union(capital))),
            Some((Name { base, small: base.variant(), capital: None }, variant)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Formula, Passage};

    fn families(statement: &str, proof: &str, frozen: &str) -> Vec<String> {
        let read = |linear: &str| {
            let mut passage = Passage::new();
            passage.push_formula(Formula { linear, ..Formula::default() });
            Reading::of(&passage)
        };
        let frozen = frozen.chars().filter_map(Letter::from_char).collect();
        Family::shared(&read(statement), &read(proof), frozen)
            .iter()
            .map(|family| family.letters.iter().map(Letter::character).collect())
            .collect()
    }

    #[test]
    fn case_and_font_companions_belong_to_the_family() {
        assert_eq!(families("a + B", "a + A + b + B____bold + c", ""), ["aA"]);
        assert_eq!(families("a____bold", "a____bold = a + A____script", ""), ["aA"]);
        // The same letter in another case or font is another symbol: nothing is shared here.
        assert!(families("A + x____bold", "a + x", "").is_empty());
        assert!(families("R____double-struck", "R____double-struck + R", "").is_empty());
    }

    #[test]
    fn letters_that_stay_are_no_members() {
        assert_eq!(families("e + E + P", "e + E + P + p", "eP"), ["E"]);
        assert_eq!(families("p + P", "p + P", "P"), ["p"]);
    }

    #[test]
    fn a_capital_goes_with_the_form_that_the_proof_uses() {
        assert_eq!(families("φ", "φ + Φ", ""), ["Φφ"]);
        assert_eq!(families("ϕ", "ϕ + Φ", ""), ["ϕΦ"]);
        assert_eq!(families("ϕ + φ", "ϕ + φ + Φ", ""), ["ϕΦ", "φ"]);
        assert_eq!(families("ε", "ϵ + Ε", ""), Vec::<String>::new());
    }
}
