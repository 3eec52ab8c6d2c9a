//! One token of a statement or a proof.
//!
//! The vocabularies of text and mathematics are disjoint, as in the paper: the article "a" and the
//! variable `a` are different tokens. A mathematical token is written `symbol____font` in the released
//! files (four underscores); a token without a font is just its symbol. Formulas are
//! stored in this notation, so a released file survives a round trip byte for byte.

use std::fmt;

use super::Font;

/// The separator between a symbol and its font in the linear form of a formula.
pub const FONT_SEPARATOR: &str = "____";

/// A token, borrowed from the passage that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token<'a> {
    Text(&'a str),
    Math { symbol: &'a str, font: Font },
}

impl<'a> Token<'a> {
    /// Parses a mathematical token of a linear form: `x`, `x____bold`.
    ///
    /// Only a known font name is a font, so a token of underscores, or one with an unknown suffix, is a symbol.
    pub fn math(written: &'a str) -> Token<'a> {
        if let Some(at) = written.rfind(FONT_SEPARATOR)
            && at > 0
            && let Some(font) = Font::from_name(&written[at + FONT_SEPARATOR.len()..])
        {
            return Token::Math { symbol: &written[..at], font };
        }
        Token::Math { symbol: written, font: Font::Plain }
    }

    pub fn is_math(&self) -> bool {
        matches!(self, Token::Math { .. })
    }
}

/// The linear notation of the token: the word, or `symbol____font`.
impl fmt::Display for Token<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Text(word) => out.write_str(word),
            Token::Math { symbol, font: Font::Plain } => out.write_str(symbol),
            Token::Math { symbol, font } => write!(out, "{symbol}{FONT_SEPARATOR}{}", font.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_font_is_what_follows_the_last_separator() {
        let check = |written, symbol, font| {
            let token = Token::math(written);
            assert_eq!(token, Token::Math { symbol, font });
            assert_eq!(token.to_string(), written);
        };
        check("x", "x", Font::Plain);
        check("x____bold", "x", Font::Bold);
        check("F____double-struck", "F", Font::DoubleStruck);
        check("____________", "____________", Font::Plain);
        check("x____wavy", "x____wavy", Font::Plain);
        check("____bold", "____bold", Font::Plain);
    }
}
