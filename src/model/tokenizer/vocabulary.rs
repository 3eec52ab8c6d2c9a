//! The closed vocabulary of NPT: words and symbols that occur at least twice in the training part, by decreasing frequency.
//!
//! It is built from both input types whatever the model reads, as in the reference program, and is stored beside the weights
//! in a file of its own: the line of a word determines its token id.

use std::collections::HashMap;

use super::input::{Input, PreToken, pre_tokens};
use crate::corpus::Passage;

/// The token ids of words and symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    words: HashMap<Box<str>, u32>,
    symbols: HashMap<Box<str>, u32>,
}

/// Why a file is not a vocabulary.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum VocabularyError {
    #[error("the vocabulary does not begin with the line `{FIRST_LINE}`; was it written by matchbook?")]
    Header,
    #[error("line {line} of the vocabulary is `{found}`; expected T or M and then a word or symbol")]
    Line { line: usize, found: String },
    #[error("line {line} of the vocabulary repeats `{found}`")]
    Repeated { line: usize, found: String },
}

const FIRST_LINE: &str = "matchbook vocabulary 1";
/// The minimum number of occurrences; rarer words are unknown.
const LEAST: u32 = 2;

impl Vocabulary {
    // 0 is padding, which no text contains.
    pub const START: u32 = 1;
    pub const END: u32 = 2;
    pub const UNKNOWN: u32 = 3;
    pub const SPACE: u32 = 4;
    /// The first token id of a word or symbol.
    pub const FIRST: u32 = 5;

    /// Returns the number of token ids, including the special ones.
    pub fn len(&self) -> usize {
        Self::FIRST as usize + self.words.len() + self.symbols.len()
    }

    /// Whether it has neither words nor symbols.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.symbols.is_empty()
    }

    pub fn token_id(&self, piece: PreToken<'_>) -> u32 {
        let found = match piece {
            PreToken::Word(word) => self.words.get(word),
            PreToken::Symbol(symbol) => self.symbols.get(symbol),
            PreToken::Space => return Self::SPACE,
        };
        found.copied().unwrap_or(Self::UNKNOWN)
    }

    /// Returns the content of its file: one line per word (`T`) and symbol (`M`), ordered by token id.
    pub fn to_text(&self) -> String {
        let words = self.words.iter().map(|(word, token_id)| (*token_id, 'T', word));
        let mut lines: Vec<_> =
            words.chain(self.symbols.iter().map(|(symbol, token_id)| (*token_id, 'M', symbol))).collect();
        lines.sort_unstable();
        let mut text = format!("{FIRST_LINE}\n");
        for (_, kind, written) in lines {
            text.push(kind);
            text.push_str(written);
            text.push('\n');
        }
        text
    }

    /// Reads what [`Vocabulary::to_text`] wrote.
    pub fn from_text(text: &str) -> Result<Vocabulary, VocabularyError> {
        let mut lines = text.split_terminator('\n').enumerate();
        if lines.next().map(|(_, line)| line) != Some(FIRST_LINE) {
            return Err(VocabularyError::Header);
        }
        let mut vocabulary = Vocabulary { words: HashMap::new(), symbols: HashMap::new() };
        for (index, line) in lines {
            let token_id = vocabulary.len() as u32;
            let (kind, written) = line.split_at_checked(1).unwrap_or_default();
            let table = match kind {
                "T" if !written.is_empty() => &mut vocabulary.words,
                "M" if !written.is_empty() => &mut vocabulary.symbols,
                _ => return Err(VocabularyError::Line { line: index + 1, found: line.to_owned() }),
            };
            if table.insert(written.into(), token_id).is_some() {
                return Err(VocabularyError::Repeated { line: index + 1, found: line.to_owned() });
            }
        }
        Ok(vocabulary)
    }
}

/// Counts words and symbols.
#[derive(Default)]
pub struct VocabularyBuilder {
    words: HashMap<Box<str>, Seen>,
    symbols: HashMap<Box<str>, Seen>,
}

#[derive(Clone, Copy)]
struct Seen {
    count: u32,
    /// The number of distinct entries seen before it.
    order: usize,
}

impl VocabularyBuilder {
    pub fn add(&mut self, passage: &Passage) {
        for piece in pre_tokens(passage, Input::Both) {
            let order = self.words.len() + self.symbols.len();
            let (table, written) = match piece {
                PreToken::Word(word) => (&mut self.words, word),
                PreToken::Symbol(symbol) => (&mut self.symbols, symbol),
                PreToken::Space => continue,
            };
            match table.get_mut(written) {
                Some(seen) => seen.count += 1,
                None => _ = table.insert(written.into(), Seen { count: 1, order }),
            }
        }
    }

    pub fn finish(self) -> Vocabulary {
        let words = self.words.into_iter().map(|(written, seen)| (seen, written, false));
        let symbols = self.symbols.into_iter().map(|(written, seen)| (seen, written, true));
        let mut known: Vec<_> = words.chain(symbols).filter(|(seen, ..)| seen.count >= LEAST).collect();
        known.sort_unstable_by_key(|(seen, ..)| (std::cmp::Reverse(seen.count), seen.order));
        let mut vocabulary = Vocabulary { words: HashMap::new(), symbols: HashMap::new() };
        for ((_, written, is_symbol), token_id) in known.into_iter().zip(Vocabulary::FIRST..) {
            let table = if is_symbol { &mut vocabulary.symbols } else { &mut vocabulary.words };
            table.insert(written, token_id);
        }
        vocabulary
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::corpus::Formula;

    fn example() -> Vocabulary {
        let mut passage = Passage::new();
        passage.push_text("b a once a b a");
        passage.push_formula(Formula { linear: "a a x x once", ..Formula::default() });
        let mut builder = VocabularyBuilder::default();
        builder.add(&passage);
        builder.finish()
    }

    #[test]
    fn token_ids_fall_with_frequency_and_ties_go_to_the_first_seen() {
        let vocabulary = example();
        assert_eq!(vocabulary.to_text(), format!("{FIRST_LINE}\nTa\nTb\nMa\nMx\n"));
        let token_id = |piece| vocabulary.token_id(piece);
        assert_eq!([token_id(PreToken::Word("a")), token_id(PreToken::Symbol("a"))], [5, 7]);
        assert_eq!(
            [token_id(PreToken::Word("once")), token_id(PreToken::Symbol("once"))],
            [Vocabulary::UNKNOWN; 2]
        );
        assert_eq!(token_id(PreToken::Space), Vocabulary::SPACE);
        assert_eq!(vocabulary.len(), 9);
    }

    #[test]
    fn files_that_are_not_a_vocabulary_are_rejected() {
        assert_eq!(Vocabulary::from_text(&example().to_text()), Ok(example()));
        let error = |text: &str| Vocabulary::from_text(text).unwrap_err();
        assert_eq!(error("a\n"), VocabularyError::Header);
        assert_eq!(error(""), VocabularyError::Header);
        let line = |found: &str| format!("{FIRST_LINE}\nTa\n{found}\n");
        assert!(matches!(error(&line("xa")), VocabularyError::Line { line: 3, .. }));
        assert!(matches!(error(&line("é")), VocabularyError::Line { line: 3, .. }));
        assert!(matches!(error(&line("Ta")), VocabularyError::Repeated { line: 3, .. }));
    }

    proptest! {
        #[test]
        fn a_vocabulary_is_read_as_it_was_written(text in "[a-c\u{e9}\u{85} ]{0,60}", symbols in "[a-c ]{0,60}") {
            let mut passage = Passage::new();
            passage.push_text(&text);
            passage.push_formula(Formula { linear: &symbols, ..Formula::default() });
            let mut builder = VocabularyBuilder::default();
            builder.add(&passage);
            let vocabulary = builder.finish();
            prop_assert_eq!(Vocabulary::from_text(&vocabulary.to_text()), Ok(vocabulary));
        }
    }
}
