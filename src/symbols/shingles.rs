//! Shingles up to renaming, for finding texts that differ only by the names of their symbols.
//!
//! Letters are numbered within each shingle, so a change in one place affects only the shingles around it.

use super::canonical::{CanonicalName, canonical, canonical_name};
use crate::{
    base::rng::GOLDEN_GAMMA,
    corpus::{
        Passage, Run,
        leaks::{Shingled, shingle_hash, symbol_hash, text_hash, windows, word_hash},
    },
};

enum Token {
    Fixed(u64),
    /// A letter: its number in the text, and a hash of its case and font.
    Letter {
        number: u64,
        mark: u64,
    },
}

/// The shingles of a passage in which each letter is replaced by the number of its first occurrence in the shingle.
pub fn renamed_shingles(passage: &Passage) -> Shingled {
    let numbered = canonical(passage);
    let mut tokens = Vec::with_capacity(512);
    let mut hashes = Vec::with_capacity(512);
    for run in numbered.runs() {
        match run {
            Run::Text(text) => tokens.extend(text.split_whitespace().filter_map(word_hash).map(Token::Fixed)),
            Run::Math(formula) => tokens.extend(formula.linear.split_whitespace().map(token)),
        }
    }
    hashes.extend(tokens.iter().map(|token| match *token {
        Token::Fixed(hash) => hash,
        Token::Letter { number, mark } => mark ^ number.wrapping_mul(GOLDEN_GAMMA),
    }));
    let mut renamed = Vec::new();
    let shingles = windows(&tokens).map(|window| {
        let mut letters: [u64; 8] = [0; 8];
        let mut known = 0;
        renamed.clear();
        renamed.extend(window.iter().map(|token| match *token {
            Token::Fixed(hash) => hash,
            Token::Letter { number, mark } => {
                let place = letters[..known].iter().position(|&letter| letter == number).unwrap_or(known);
                if place == known && known < letters.len() {
                    letters[known] = number;
                    known += 1;
                }
                mark ^ (place as u64 + 1).wrapping_mul(GOLDEN_GAMMA)
            }
        }));
        shingle_hash(&renamed)
    });
    Shingled { shingles: shingles.collect(), text: text_hash(&hashes) }
}

fn token(written: &str) -> Token {
    match canonical_name(written) {
        Some(CanonicalName { case, number, font }) => Token::Letter {
            number: number.parse().unwrap_or_default(),
            mark: symbol_hash(font) ^ u64::from(u32::from(case)).wrapping_mul(GOLDEN_GAMMA),
        },
        None => Token::Fixed(symbol_hash(written)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn shingled(linear: &str) -> Shingled {
        let mut passage = Passage::new();
        passage.push_text("Suppose that");
        passage.push_formula(Formula { linear, ..Formula::default() });
        renamed_shingles(&passage)
    }

    #[test]
    fn a_renaming_changes_nothing_and_structure_does() {
        assert_eq!(shingled("x + y = x ⋅ z"), shingled("a + b = a ⋅ c"));
        assert_ne!(shingled("x + y = x ⋅ z"), shingled("x + y = y ⋅ z"));
        assert_ne!(shingled("x + y").text, shingled("X + y").text);
        assert_ne!(shingled("x + y").text, shingled("x + 2").text);
    }

    #[test]
    fn a_change_is_local() {
        let long = "a + b = c ⋅ d < e / f ≤ g ∈ h ⊂ k ∪ l ∩ m ∘ n ∼ p ≅ q ≡ r";
        let changed = format!("q = {long}");
        let [one, other] = [shingled(long), shingled(&changed)].map(Shingled::set);
        let common = one.iter().filter(|shingle| other.contains(shingle)).count();
        assert!(common * 10 >= one.len() * 7, "{common} of {}", one.len());
    }
}
