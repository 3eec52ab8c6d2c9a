//! Tables that are diagrams.

use super::{
    ACCENT, ACCENT_BELOW, CELL, ROW, SUBSCRIPT, SUPERSCRIPT, TOKEN, group_length, is_relation, is_token,
    symbol_of,
};
use crate::corpus::token::Token;

/// Whether a cell of the table is an arrow alone, or a word alone, as in a list of cases: then no cell is an entry of a
/// matrix.
pub fn is_diagram(tokens: &[Token<'_>], marks: &[u8]) -> bool {
    let mut next = 0;
    // The only token of the cell so far; none at its beginning, and none for longer cells.
    let (mut only, mut count) = (None, 0usize);
    for mark in marks.iter().map(|mark| char::from(*mark)).chain([ROW]) {
        match mark {
            CELL | ROW => {
                if count == 1 && only.is_some_and(|index| is_arrow_or_word(tokens, index)) {
                    return true;
                }
                (only, count) = (None, 0);
            }
            TOKEN => {
                (only, count) = (Some(next), count + 1);
            }
            mark if is_token(mark) => count += 1,
            _ => {}
        }
        next += usize::from(is_token(mark));
    }
    false
}

/// Whether the cell of these marks continues the one before it: it begins with a relation, and with more than that.
pub fn continues_line(tokens: &[Token<'_>], next: usize, marks: &[u8]) -> bool {
    let begins =
        marks.first() == Some(&(TOKEN as u8)) && symbol_of(tokens.get(next)).is_some_and(is_relation);
    let mut at = 1;
    while let Some(mark) = marks.get(at).map(|mark| char::from(*mark)) {
        match mark {
            ACCENT | ACCENT_BELOW => at += 1,
            SUBSCRIPT | SUPERSCRIPT => at += group_length(&marks[at + 1..]) + 2,
            mark => return begins && !matches!(mark, CELL | ROW),
        }
    }
    false
}

fn is_arrow_or_word(tokens: &[Token<'_>], index: usize) -> bool {
    match tokens.get(index) {
        Some(Token::Math { symbol, .. }) => {
            let is_arrow =
                matches!(symbol.chars().next(), Some('\u{2190}'..='\u{21ff}' | '\u{27f5}'..='\u{27ff}'));
            is_arrow && is_relation(symbol) || matches!(*symbol, "if" | "for" | "when" | "otherwise" | "else")
        }
        _ => false,
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
    fn matrices_have_commas_and_diagrams_do_not() {
        check("( a b c d )", "..,.;.,..", "(a, b; c, d)");
        check("0 → M → N ↑ ↑", ".,.,.,.,.;,,.,,.", "0 → M → N; ↑ ↑");
        check("{ 0 if i > 1", "..,.,...", "{0 if i > 1");
        check("{ a , b", "...,.", "{a, b");
        check("{ a ; b", "...;.", "{a; b");
    }

    #[test]
    fn the_sides_of_aligned_equations_are_no_entries() {
        check("a = b ≤ c", ".,..;,..", "a = b; ≤ c");
        check("a = b , = c", ".,...;,..", "a = b; = c");
        check("= ≤ < >", ".,.;.,.", "=, ≤; <, >");
        check("A → f B", ".,.~,.", "A, →ᶠ, B");
    }

    #[test]
    fn punctuation_of_the_article_separates_rows() {
        check("{ x , t ∈ A , y if u", "...,....;.,. .", "{x, t ∈ A; y, if u");
        check("a = b . c = d", "....;...", "a = b. c = d");
        check("{ a . b", "...,;.", "{a. b");
        check("( a , c )", "...,;..", "(a; c)");
    }

    #[test]
    fn brackets_are_not_doubled_and_labels_are_raised() {
        check("1 ( n - 1 )", "./(.....)", "1/(n - 1)");
        check("2 ( q - d )", ".^.....}", "2^(q-d)");
        check("x ( q ) ( q )", ".^......}", "x^((q)(q))");
        check("M → f N", "..~.", "M →ᶠ N");
        check("M → ℓ N", "..~.", "M →^ℓ N");
        check("Supp ( F )", " . ...", "Supp(F)");
        check("End A ( M )", " ._.} ...", "End_A(M)");
        check("x and ( y )", ". . ...", "x and (y)");
        check("( Aff / S )", ". . ...", "(Aff/S)");
    }
}
