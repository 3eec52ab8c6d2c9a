//! A passage as the line of text that a WordPiece tokenizer reads.

use super::super::input::{Input, PreToken, pre_tokens};
use crate::corpus::Passage;

/// How symbols are told from words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// Words are lower-cased, symbols stand in brackets that no text has.
    Marked,
    /// Both are written as they are, and the tokenizer sees no difference.
    Plain { lowercase: bool },
}

/// What a symbol stands in: white curly brackets, which hardly any text has. Where one has them they are left out.
pub const OPEN: char = '\u{2983}';
pub const CLOSE: char = '\u{2984}';

/// What a line of [`LineStyle::Marked`] is cut into: symbols, signs of punctuation, and words.
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
