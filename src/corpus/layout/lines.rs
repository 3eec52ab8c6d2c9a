//! Bars over and under more than one letter.
//!
//! A layout marks an accent and not what it covers. A combining bar after the last letter would read as a bar over that
//! letter alone, so the base is found again: a token with its scripts, or what is in brackets; each of its letters gets
//! the bar.

use std::ops::Range;

use super::{
    ACCENT, ACCENT_BELOW, CLOSE, CLOSE_GROUP, DEGREE, OPEN_GROUP, SUBSCRIPT, SUPERSCRIPT, TOKEN, combining,
    combining_below, is_token, styled,
};
use crate::corpus::token::Token;

/// Tokens under or over one bar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarredTokens {
    pub tokens: Range<usize>,
    /// The token of the bar itself.
    pub bar: usize,
    /// The combining character that each letter gets.
    pub mark: char,
}

const OVERLINE: char = '\u{305}';
const UNDERLINE: char = '\u{332}';

/// The bars of a formula that cover more than one letter.
pub fn bars(tokens: &[Token<'_>], marks: &[u8]) -> Vec<BarredTokens> {
    let mut bars = Vec::new();
    let mut next = 0;
    for (at, mark) in marks.iter().map(|mark| char::from(*mark)).enumerate() {
        if matches!(mark, ACCENT | ACCENT_BELOW)
            && let Some(line) = tokens.get(next).and_then(|token| line(*token, mark))
            && let Some(first) = base(tokens, &marks[..at], next)
            && tokens[first..next].iter().map(|token| styled(*token).chars().count()).sum::<usize>() > 1
        {
            bars.push(BarredTokens { tokens: first..next, bar: next, mark: line });
        }
        next += usize::from(is_token(mark));
    }
    bars
}

fn line(accent: Token<'_>, mark: char) -> Option<char> {
    let shown = styled(accent);
    match mark {
        ACCENT => (combining(&shown) == Some('\u{304}')).then_some(OVERLINE),
        _ => (combining_below(&shown) == Some(UNDERLINE)).then_some(UNDERLINE),
    }
}

/// The first token of what the marks end with; `next` is the index after its last token.
fn base(tokens: &[Token<'_>], marks: &[u8], mut next: usize) -> Option<usize> {
    let mut at = marks.len();
    let (mut scripts, mut groups, mut brackets) = (0usize, 0usize, 0usize);
    while at > 0 {
        at -= 1;
        let mark = char::from(marks[at]);
        next = next.checked_sub(usize::from(is_token(mark)))?;
        match mark {
            CLOSE => scripts += 1,
            SUBSCRIPT | SUPERSCRIPT | DEGREE => scripts = scripts.checked_sub(1)?,
            CLOSE_GROUP => groups += 1,
            OPEN_GROUP => groups = groups.checked_sub(1)?,
            TOKEN if scripts == 0 => match symbol(tokens, next) {
                ")" | "]" | "}" | "⟩" => brackets += 1,
                "(" | "[" | "{" | "⟨" => brackets = brackets.checked_sub(1)?,
                _ => {}
            },
            _ => {}
        }
        let is_start = matches!(mark, TOKEN | OPEN_GROUP);
        if is_start && scripts == 0 && groups == 0 && brackets == 0 {
            return Some(next);
        }
    }
    None
}

fn symbol<'a>(tokens: &[Token<'a>], index: usize) -> &'a str {
    match tokens.get(index) {
        Some(Token::Math { symbol, .. }) => symbol,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::super::readable;
    use super::*;

    fn check(linear: &str, layout: &str, expected: &str) {
        assert_eq!(readable(linear.split(' ').map(Token::math), layout), expected, "{linear} {layout}");
    }

    #[test]
    fn a_bar_covers_every_letter_of_its_base() {
        check("x ¯", ".~", "x\u{304}");
        check("{ x } ¯", "...~", "{\u{305}x\u{305}}\u{305}");
        check("a { x } ¯", "....~", "a{\u{305}x\u{305}}\u{305}");
        check("Proj ¯ S", ".u_.}", "P\u{332}r\u{332}o\u{332}j\u{332}_S");
        check("I ′ ¯", ".^.}u", "I\u{332}′\u{332}");
        check("f ( { x } ) ¯ + y", "......~..", "f(\u{305}{\u{305}x\u{305}}\u{305})\u{305} + y");
        check("x } ¯", "..~", "x}\u{304}");
        check("A ∪ B ¯ = C", "(...)~..", "A\u{305} \u{305}∪\u{305} \u{305}B\u{305} = C");
        check("f ( X ) ¯ + y", "(....)~..", "f\u{305}(\u{305}X\u{305})\u{305} + y");
        check("x × y ^", "(...)~", "(x × y)\u{302}");
    }
}
