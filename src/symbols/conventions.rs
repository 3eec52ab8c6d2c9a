//! Whether a renaming respects what letters mean by convention.
//!
//! A level renames every letter that it cannot prove to be a constant: the `i` of `λ = α + iβ` and the `d` of `dx` too. For
//! a measurement that is harmless, because it happens alike in every pair. Where a single pair is shown as an example, a
//! mathematician would stumble over it.

use super::{letter::Letter, letter_set::LetterSet, mentions::text_mentions, replace::Replacement};
use crate::corpus::Passage;

/// Imaginary unit, Euler's number, differential, the circle's constant.
const CONVENTIONAL: [char; 4] = ['i', 'e', 'd', 'π'];

/// Whether a replaced proof reads as well as the original: no letter with a conventional or a protected meaning has
/// another name, and the prose names none that has.
pub fn keeps_conventions(original: &Passage, replacement: &Replacement, protected: LetterSet) -> bool {
    let mut fixed = protected;
    CONVENTIONAL.into_iter().filter_map(Letter::from_char).for_each(|letter| fixed.insert(letter));
    replacement.occurrences.iter().all(|occurrence| !fixed.contains(occurrence.was.letter))
        && text_mentions(original, &replacement.mapping) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::typed,
        symbols::{Level, Seed, Strangers, replace},
    };

    #[test]
    fn letters_with_a_conventional_meaning_are_noticed() {
        let check = |statement: &str, proof: &str| {
            let (_, pair) = typed::pair(statement, proof).unwrap();
            let replaced = replace(&pair, Level::FULL, Seed(1), LetterSet::EMPTY, &Strangers::built_in());
            keeps_conventions(&pair.proof, &replaced, LetterSet::EMPTY)
        };
        assert!(check("Let $x < y$.", "Thus $x + y > x$."));
        assert!(!check("Let $z = x + i y$.", "Thus $z - x = i y$."));
        assert!(!check("Let $\\int f(x) d x = 0$.", "Thus $2 \\int f(x) d x = 0$."));
        assert!(!check("Let $n > 1$.", "The n-th root of $n$ is positive."));
    }
}
