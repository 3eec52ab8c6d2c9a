//! The formulas of heatmaps as TeX, in which every token can have a color of its own.
//!
//! Tokens come from untrusted articles: each is escaped, and the structure comes from the layout alone.

use crate::{
    base::latex::{escape, symbol},
    corpus::{
        Font, Token,
        layout::{self, TexStyle},
    },
};

/// The content of a formula in math mode; `color` gets the index of a token and its TeX, and may wrap it.
pub fn formula(tokens: &[Token<'_>], marks: &str, color: &dyn Fn(usize, String) -> String) -> String {
    layout::tex(tokens, marks, &Colored(color))
}

/// Writes tokens escaped, then colored.
struct Colored<'a>(&'a dyn Fn(usize, String) -> String);

impl TexStyle for Colored<'_> {
    // As on the screen.
    const CELL: &'static str = ",\\ ";
    const ROW: &'static str = ";\\ ";

    fn token(&self, index: usize, token: Token<'_>) -> String {
        (self.0)(index, in_math(token))
    }

    fn group(&self, inside: &str) -> String {
        format!("({inside})")
    }

    /// Without a package, which `\binom` needs.
    fn binomial(&self, above: &str, below: &str) -> String {
        format!("{{{{{above}}}\\choose{{{below}}}}}")
    }

    fn table(&self, line: String) -> String {
        line
    }
}

/// A token in math mode.
fn in_math(token: Token<'_>) -> String {
    let (text, font) = match token {
        Token::Text(word) => return format!("\\mbox{{{}}}", escape(word)),
        Token::Math { symbol, font } => (symbol, font),
    };
    let is_plain = |letter: char| letter.is_ascii_digit() || "+-=<>()[]|/*!.,;:".contains(letter);
    if font == Font::Plain && !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    match text {
        "{" | "}" => format!("\\{text}"),
        _ if text.chars().all(layout::is_invisible) => String::new(),
        _ => {
            let written = symbol(text, font);
            if written.starts_with("\\ensuremath{") { written } else { format!("\\mbox{{{written}}}") }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(linear: &str, marks: &str, expected: &str) {
        let tokens: Vec<Token<'_>> = linear.split(' ').map(Token::math).collect();
        let tex = formula(&tokens, marks, &|_, tex| tex);
        assert_eq!(tex.replace("\\ensuremath", ""), expected, "{linear}");
    }

    #[test]
    fn tokens_are_escaped_inside_the_structure() {
        check("x n + 1", "._...}", "{x}_{{n}+1}");
        check("a + b c", "(...)/.", "\\frac{{a}+{b}}{{c}}");
        check("x ′ 2", ".^.}^.}", "{x}^{{\\prime}}{}^{2}");
        check("{ x }", "...", "\\{{x}\\}");
        check("1____bold A", "._.}", "{\\mathbf{1}}_{{A}}");
    }

    proptest! {
        /// Braces balance and nothing is executed, whatever the tokens and the layout.
        #[test]
        fn hostile_tokens_do_no_harm(tokens in prop::collection::vec("[^ \n]{1,8}", 0..8), marks in "[.hu_^d}()/r~,;cx ]{0,24}") {
            let tokens: Vec<Token<'_>> = tokens.iter().map(|token| Token::math(token)).collect();
            let tex = formula(&tokens, &marks, &|_, tex| tex);
            let mut depth = 0;
            let mut letters = tex.chars();
            while let Some(letter) = letters.next() {
                match letter {
                    '\\' => drop(letters.next()),
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                prop_assert!(depth >= 0, "{}", tex);
            }
            prop_assert_eq!(depth, 0, "{}", tex);
            prop_assert!(!tex.contains("\\input") && !tex.contains('%') || tex.contains("\\%"));
        }
    }
}
