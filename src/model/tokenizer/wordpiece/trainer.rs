//! Trains a WordPiece vocabulary.
//!
//! Words are counted, then `tokenizers` merges characters into the most frequent pieces. Symbols are not merged: each symbol
//! that occurs at least twice is a token, and symbols take at most half of the vocabulary, the most frequent first.

use std::collections::{BTreeSet, HashMap};

use tokenizers::{
    AddedToken, NormalizedString, Normalizer, OffsetReferential, OffsetType, PreTokenizedString,
    PreTokenizer,
    models::bpe::{BPE, BpeTrainer},
};

use super::{LineStyle, SPECIAL, WordPiece, WordPieceError, description, line};
use crate::{corpus::Passage, model::tokenizer::input::Input};

/// Counts words and symbols, and builds a vocabulary from them.
pub struct WordPieceTrainer {
    style: LineStyle,
    size: usize,
    words: HashMap<String, u64>,
    symbols: HashMap<String, (u64, usize)>,
    splitter: Option<WordPiece>,
}

/// The maximum number of distinct characters; rarer ones are unknown.
const MOST_LETTERS: usize = 1_000;
/// The minimum number of occurrences of a piece or symbol.
const LEAST: u64 = 2;

impl WordPieceTrainer {
    pub fn new(style: LineStyle, size: usize) -> WordPieceTrainer {
        let splitter = description(style, &SPECIAL)
            .ok()
            .and_then(|json| WordPiece::from_json("memory", json.to_string().as_bytes()).ok());
        WordPieceTrainer { style, size, words: HashMap::new(), symbols: HashMap::new(), splitter }
    }

    /// Counts the words of a passage.
    pub fn add(&mut self, passage: &Passage) {
        let text = line(passage, Input::Both, self.style);
        let Some(splitter) = &self.splitter else { return };
        let mut normalized = NormalizedString::from(text.as_str());
        if let Some(normalizer) = splitter.tokenizer.get_normalizer()
            && normalizer.normalize(&mut normalized).is_err()
        {
            return;
        }
        let mut pieces = PreTokenizedString::from(normalized);
        if let Some(pre_tokenizer) = splitter.tokenizer.get_pre_tokenizer()
            && pre_tokenizer.pre_tokenize(&mut pieces).is_err()
        {
            return;
        }
        for (piece, _, _) in pieces.get_splits(OffsetReferential::Normalized, OffsetType::Byte) {
            if self.style == LineStyle::Marked && piece.starts_with(super::line::OPEN) {
                let place = self.symbols.len();
                match self.symbols.get_mut(piece) {
                    Some((count, _)) => *count += 1,
                    None => _ = self.symbols.insert(piece.to_owned(), (1, place)),
                }
            } else {
                match self.words.get_mut(piece) {
                    Some(count) => *count += 1,
                    None => _ = self.words.insert(piece.to_owned(), 1),
                }
            }
        }
    }

    pub fn finish(self) -> Result<WordPiece, WordPieceError> {
        let room = self.size.saturating_sub(SPECIAL.len());
        if room < 10 {
            return Err(WordPieceError::Training(format!("{} words are too few", self.size)));
        }
        let mut symbols: Vec<_> =
            self.symbols.into_iter().filter(|(_, (count, _))| *count >= LEAST).collect();
        symbols.sort_unstable_by_key(|(_, (count, place))| (std::cmp::Reverse(*count), *place));
        symbols.truncate(room / 2);
        let pieces = pieces(self.words, room - symbols.len())?;
        let mut words: Vec<&str> = SPECIAL.to_vec();
        words.extend(symbols.iter().map(|(symbol, _)| symbol.as_str()));
        // a word that is spelled like a special token has an id already
        words.extend(pieces.iter().map(String::as_str).filter(|piece| !SPECIAL.contains(piece)));
        words.truncate(self.size);
        let json = description(self.style, &words)
            .map_err(|token| WordPieceError::Training(format!("there is no {token}")))?;
        WordPiece::from_json("memory", json.to_string().as_bytes())
    }
}

/// Returns the pieces of words: characters first, then in the order of merging.
fn pieces(words: HashMap<String, u64>, most: usize) -> Result<Vec<String>, WordPieceError> {
    let mut letters: HashMap<char, u64> = HashMap::new();
    for (word, count) in &words {
        word.chars().for_each(|letter| *letters.entry(letter).or_default() += count);
    }
    let mut letters: Vec<(char, u64)> = letters.into_iter().collect();
    letters.sort_unstable_by_key(|(letter, count)| (std::cmp::Reverse(*count), *letter));
    letters.truncate(MOST_LETTERS.min(most / 3));
    let letters: BTreeSet<char> = letters.into_iter().map(|(letter, _)| letter).collect();
    // The trainer assigns ids in the order of a hash map, and ties between merges go to the lower id. Special tokens get
    // their ids first and in order, so every character is passed as one.
    let given = letters.iter().flat_map(|letter| [letter.to_string(), format!("##{letter}")]);
    let trainer = BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(most)
        .min_frequency(LEAST)
        .continuing_subword_prefix("##".to_owned())
        .special_tokens(given.map(|piece| AddedToken::from(piece, false)).collect())
        .build();
    let known = |word: &String| word.chars().all(|letter| letters.contains(&letter));
    let counts = words.into_iter().filter(|(word, _)| known(word)).map(|(word, count)| (word.into(), count));
    let mut model = BPE::default();
    trainer
        .do_train(&counts.collect(), &mut model)
        .map_err(|error| WordPieceError::Training(error.to_string()))?;
    let mut pieces: Vec<(String, u32)> = model.get_vocab().into_iter().collect();
    pieces.sort_unstable_by_key(|(_, number)| *number);
    Ok(pieces.into_iter().map(|(piece, _)| piece).collect())
}
