//! Bars that open and close: `|x|` and `‖x‖` have the same sign on both sides.

use super::{
    CELL, CLOSE, CLOSE_GROUP, DEGREE, OPEN_GROUP, ROW, SUBSCRIPT, SUPERSCRIPT, TOKEN,
    grouping::{is_bar, is_large},
    is_binary, is_opening, is_relation, is_token, symbol_of,
};
use crate::corpus::token::Token;

/// The bars, by their tokens, that close one before them.
pub fn closing_bars(tokens: &[Token<'_>], marks: &[u8]) -> Vec<usize> {
    if !tokens.iter().any(|token| symbol_of(Some(token)).is_some_and(is_bar)) {
        return Vec::new();
    }
    let mut closing = Vec::new();
    // The open bars of each bracket, script and group.
    let mut levels: Vec<Vec<&str>> = vec![Vec::new()];
    // Whether something ends before the next token, so that a bar may close.
    let mut has_operand = false;
    let mut next = 0;
    for mark in marks.iter().map(|mark| char::from(*mark)) {
        match mark {
            SUBSCRIPT | SUPERSCRIPT | DEGREE | OPEN_GROUP => {
                levels.push(Vec::new());
                has_operand = false;
            }
            CLOSE | CLOSE_GROUP => {
                close(&mut levels);
                has_operand = true;
            }
            CELL | ROW => {
                levels.last_mut().into_iter().for_each(Vec::clear);
                has_operand = false;
            }
            TOKEN => {
                let symbol = symbol_of(tokens.get(next)).unwrap_or_default();
                let open = levels.last_mut().and_then(|open| {
                    let is_closed = is_bar(symbol) && has_operand && open.contains(&symbol);
                    is_closed.then_some(open)
                });
                match (symbol, open) {
                    (_, Some(open)) => {
                        while open.pop().is_some_and(|opened| opened != symbol) {}
                        closing.push(next);
                        has_operand = true;
                    }
                    (")" | "]" | "}" | "⟩" | "⌋" | "⌉", _) => {
                        close(&mut levels);
                        has_operand = true;
                    }
                    (symbol, _) if is_bar(symbol) => {
                        levels.last_mut().into_iter().for_each(|open| open.push(symbol));
                        has_operand = false;
                    }
                    (symbol, _) if is_opening(symbol) => {
                        levels.push(Vec::new());
                        has_operand = false;
                    }
                    ("," | ";", _) => {
                        levels.last_mut().into_iter().for_each(Vec::clear);
                        has_operand = false;
                    }
                    _ => has_operand = !is_binary(symbol) && !is_relation(symbol) && !is_large(symbol),
                }
            }
            _ => {}
        }
        next += usize::from(is_token(mark));
    }
    closing
}

/// Leaves a bracket; the outermost level stays.
fn close(levels: &mut Vec<Vec<&str>>) {
    if levels.len() > 1 {
        levels.pop();
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
    fn an_operator_after_a_closing_bar_has_spaces() {
        check("‖ x ‖ + ‖ y − x ‖", ".........", "‖x‖ + ‖y − x‖");
        check("log | A | − log | B |", ".........", "log|A| − log|B|");
        check("| x − | y | | − z", ".........", "|x − |y|| − z");
        check("| x | 2 − 1", "...^.}..", "|x|² − 1");
        check("‖ ( x ) ‖ − 1", ".......", "‖(x)‖ − 1");
    }

    #[test]
    fn a_sign_after_an_opening_bar_has_none() {
        check("| − x | | − y |", "........", "|−x||−y|");
        check("P ( A | − B )", ".......", "P(A|−B)");
        check("{ x | | x | < 1 }", ".........", "{x||x| < 1}");
    }
}
