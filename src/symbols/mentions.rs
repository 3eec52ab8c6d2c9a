//! Symbols named in the text of a proof, outside any formula.
//!
//! "the n-th term", "so k divides": typed as text, these are words, and no level changes words. They are
//! left alone and counted, because after a level they still show the old name.

use crate::corpus::{Passage, Run};

use super::{
    letter::{Letter, Symbol},
    mapping::Mapping,
};

/// How often the text names a symbol that the mapping renames.
///
/// A mention is a word of one letter, or one letter and a hyphen before a word (`n-th`, `G-module`). The
/// English words a, A and I are none.
pub fn text_mentions(proof: &Passage, mapping: &Mapping) -> usize {
    if mapping.is_empty() {
        return 0;
    }
    let is_renamed = |letter: Letter| {
        let symbol = Symbol { letter, font: crate::corpus::Font::Plain };
        mapping.image(symbol) != symbol
    };
    proof
        .runs()
        .filter_map(|run| match run {
            Run::Text(text) => Some(text),
            Run::Math(_) => None,
        })
        .flat_map(str::split_whitespace)
        .filter_map(mentioned)
        .filter(|letter| is_renamed(*letter))
        .count()
}

fn mentioned(word: &str) -> Option<Letter> {
    let word =
        word.trim_matches(|character: char| matches!(character, '(' | ')' | ',' | '.' | ';' | ':' | '"'));
    let (name, is_prefix) = match word.split_once('-') {
        Some((name, rest)) if !rest.is_empty() => (name, true),
        _ => (word, false),
    };
    let mut characters = name.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else { return None };
    let is_english = matches!(character, 'a' | 'A' | 'I') && !is_prefix;
    if is_english { None } else { Letter::from_char(character) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Font;

    #[test]
    fn one_letter_words_are_mentions() {
        let mentions = |text: &str| {
            let mut passage = Passage::new();
            passage.push_text(text);
            let change = |from: char, to: char| {
                let letter = Letter::from_char(from).unwrap();
                (Symbol { letter, font: Font::Plain }, Letter::from_char(to).unwrap())
            };
            text_mentions(&passage, &Mapping::new([change('n', 'm'), change('a', 'b'), change('G', 'H')]))
        };
        assert_eq!(mentions("the n-th term of a G-module, so n, (n) and n."), 5);
        assert_eq!(mentions("a A I e.g. k an n- no"), 0);
    }
}
