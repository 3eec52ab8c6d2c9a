//! Words in formulas: names of operators, and texts of the article with the spaces at their borders.

use super::{Line, begins_with_letter, is_binary, is_name, is_opening, is_relation, symbol_of};
use crate::corpus::{Font, token::Token};

/// Words that may stand before a bracket without being applied to it.
const CONNECTIVES: [&str; 19] = [
    "if", "for", "and", "or", "not", "on", "in", "at", "of", "with", "where", "when", "as", "to", "is", "by",
    "from", "all", "then",
];

impl Line<'_, '_> {
    /// Whether a space of the article before a token is only the border of a text: `Supp(F)`, `(Aff/S)`.
    pub(super) fn is_tight(&self, token: Token<'_>) -> bool {
        let Token::Math { symbol, .. } = token else { return false };
        match symbol {
            ")" | "]" | "}" | "," | ";" | "." | "/" => true,
            "(" | "[" => self.after_operator,
            // `S-modules`
            _ if symbol.starts_with('-') && symbol.chars().nth(1).is_some_and(char::is_alphabetic) => true,
            _ => matches!(self.last, Some('(' | '[' | '{' | '/')),
        }
    }

    /// Whether a name of the article is applied to what follows it: it begins with a capital, or stands where nothing
    /// precedes that it could be a word between.
    pub(super) fn is_function(&self, name: Token<'_>) -> bool {
        let Token::Math { symbol, .. } = name else { return false };
        let before = |by| self.next.checked_sub(by).and_then(|index| symbol_of(self.tokens.get(index)));
        let is_separate =
            |symbol: &str| symbol == "," || is_opening(symbol) || is_relation(symbol) || is_binary(symbol);
        // A set is described in words: `{pairs (f, g)}`.
        let is_in_set = before(1) == Some("{") && before(2).is_none_or(is_separate);
        symbol.starts_with(char::is_uppercase)
            || (!CONNECTIVES.contains(&symbol) && !is_in_set && before(1).is_none_or(is_separate))
    }

    /// Whether a token of a script is kept from a word, which the article does by a space: `U⊂X open`.
    pub(super) fn separates_words(&mut self, token: Token<'_>) -> bool {
        let before = self.next.checked_sub(1).and_then(|index| symbol_of(self.tokens.get(index)));
        let [is_after_word, is_word] =
            [before, symbol_of(Some(&token))].map(|symbol| symbol.is_some_and(is_name));
        let are_words = match std::mem::take(&mut self.has_inner_space) {
            true => is_after_word || is_word,
            false => is_after_word && is_word,
        };
        are_words
            && begins_with_letter(token)
            && self.last.is_some_and(|last| last.is_alphanumeric() || "′)]}".contains(last))
    }

    /// Whether the token continues a name that begins with a script letter: `ℋom`.
    pub(super) fn continues_name(&self, token: Token<'_>) -> bool {
        let before = self.next.checked_sub(1).and_then(|index| self.tokens.get(index));
        let is_script = matches!(before, Some(Token::Math { font: Font::Script | Font::BoldScript, .. }));
        is_script
            && !self.is_explicit
            && symbol_of(Some(&token)).is_some_and(|symbol| symbol.starts_with(char::is_lowercase))
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
    fn words_have_the_spaces_that_they_need() {
        check("H____script om X ( F , G )", ".._.}.....", "ℋom_X(F, G)");
        check("E____script and F____script", ". . .", "ℰ and ℱ");
        check("size ( X ) ≤ size ( Y )", ". ..... ...", "size(X) ≤ size(Y)");
        check("M / a -power-torsion", "... .", "M/a-power-torsion");
        check("colim U ⊂ X open F", "._... .}.", "colim_(U⊂X open) F");
        check("x i , j ∈ I", "._..  ...}", "x_(i,j∈I)");
        check("∐ u ∈ U lying over x", "._... .. .}", "∐_(u∈U lying over x)");
        check("max { size ( X ) , size ( Y ) }", ".. . .... . ....", "max{size(X), size(Y)}");
        check("{ pairs ( f , g ) }", ". . ......", "{pairs (f, g)}");
        check("D Coh b ( X )", "._ . }^.}...", "Dᵇ_Coh(X)");
        check("⋃ p ∈ Ass ( M )", "._.. . ...}", "⋃_(p∈Ass(M))");
    }
}
