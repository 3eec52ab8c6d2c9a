//! The positions of a symbol in the TeX of a passage.
//!
//! TeX does not say which of its letters became which token. But a formula whose TeX spells a letter exactly as often as
//! its tokens have the symbol leaves no doubt, and that is nearly every formula; in the others nothing is claimed.

use std::ops::Range;

use super::StyledText;
use crate::corpus::{Passage, typed};

/// The byte ranges of a letter in the passage's TeX form. `count` returns how often the symbol occurs in the formula of a run.
pub fn tex_positions(passage: &Passage, letter: char, count: &dyn Fn(usize) -> usize) -> Vec<Range<usize>> {
    let mut formulas = Vec::new();
    let mut prose = StyledText::default();
    prose.push_tex(passage, &mut |run, range| formulas.push((run, range)));
    let mut places = Vec::new();
    for (run, range) in formulas {
        let wanted = count(run);
        let found = if wanted == 0 { Vec::new() } else { spelled(&prose.text[range.clone()], letter) };
        if found.len() == wanted {
            places.extend(found.into_iter().map(|found| range.start + found.start..range.start + found.end));
        }
    }
    places
}

/// Where TeX writes a letter: itself, or by the command for it.
fn spelled(tex: &str, letter: char) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut rest = tex.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        if character == '\\' {
            let mut end = start + 1;
            while let Some((at, next)) = rest.next_if(|(_, next)| next.is_ascii_alphabetic()) {
                end = at + next.len_utf8();
            }
            if end == start + 1 {
                // `\{` is a sign of its own.
                rest.next();
            } else if typed::symbol_of_command(&tex[start + 1..end])
                .is_some_and(|symbol| symbol.chars().eq([letter]))
            {
                found.push(start..end);
            }
        } else if character == letter {
            found.push(start..start + character.len_utf8());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::Formula, workbench::app::document::Form};

    fn check(tex: &str, letter: char, count: usize, expected: &[&str]) {
        let mut passage = Passage::new();
        passage.push_text("Let");
        passage.push_formula(Formula { linear: "x", tex, ..Formula::default() });
        let text = StyledText::of(&passage, Form::Tex).text;
        let found: Vec<&str> =
            tex_positions(&passage, letter, &|_| count).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{tex}");
    }

    #[test]
    fn letters_and_commands_are_found_when_there_is_no_doubt() {
        check("x^{2}+\\max x", 'x', 2, &["x", "x"]);
        check("\\lambda+\\lambda_{x}", 'λ', 2, &["\\lambda", "\\lambda"]);
        check("\\{x\\}", 'x', 1, &["x"]);
        // One of them is not the symbol, and it is not known which.
        check("x+\\operatorname{ext}", 'x', 1, &[]);
        check("y", 'x', 0, &[]);
    }
}
