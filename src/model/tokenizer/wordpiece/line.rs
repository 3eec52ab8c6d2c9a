//! A passage as a line of text, the input of a WordPiece tokenizer.

use super::super::input::{Input, PreToken, pre_tokens};
use crate::corpus::Passage;

/// How symbols are distinguished from words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// Words are lower-cased, symbols are enclosed in brackets that no text contains.
    Marked,
    /// Both are written unchanged and look alike to the tokenizer.
    Plain { lowercase: bool },
}

/// The brackets of symbols: white curly brackets, which are removed from the few texts that contain them.
pub const OPEN: char = '\u{2983}';
pub const CLOSE: char = '\u{2984}';

/// The pattern of pre-tokens in a line of [`LineStyle::Marked`]: symbols, punctuation, and words.
pub const PIECES: &str = "\u{2983}[^\u{2984}\\s]*\u{2984}|[\\p{P}\\p{S}]|[^\\s\\p{P}\\p{S}]+";

pub fn line(passage: &Passage, input: Input, style: LineStyle) -> String {
    let mut line = String::new();
    for piece in pre_tokens(passage, input) {
        let (written, is_symbol) = match piece {
            PreToken::Word(word) => (word, false),
            PreToken::Symbol(symbol) => (symbol, true),
            PreToken::Space => continue,
        };
        if !line.is_empty() {
            line.push(' ');
        }
        match (style, is_symbol) {
            (LineStyle::Plain { .. }, _) => line.push_str(written),
            (LineStyle::Marked, true) => {
                line.push(OPEN);
                line.extend(written.chars().filter(|letter| ![OPEN, CLOSE].contains(letter)));
                line.push(CLOSE);
            }
            (LineStyle::Marked, false) => {
                let letters = written.chars().filter(|letter| ![OPEN, CLOSE].contains(letter));
                line.extend(letters.flat_map(char::to_lowercase));
            }
        }
    }
    line
}
