//! The readable form of a passage.
//!
//! Formulas are displayed on one line in Unicode, with the spaces of the article around them. Released files do not
//! record where a formula touches the text beside it; there the usual rules of typesetting apply, so "`x , where`" is
//! displayed as "`x, where`".

use super::{
    layout,
    passage::{Formula, Passage, Run},
};

/// The origin of a piece of the displayed text: the run of the passage and the token of the formula, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenPosition {
    pub run: usize,
    pub token: usize,
}

/// The whole passage on one line.
pub fn readable(passage: &Passage) -> String {
    let mut shown = String::with_capacity(passage.encoded().len());
    show(passage, &mut |text, _| shown.push_str(text));
    shown
}

/// A piece of the displayed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    Word(TokenPosition),
    Symbol(TokenPosition),
    /// A space, or a mark that the layout of a formula adds.
    Other,
}

/// Passes the passage to `out`, piece by piece, so that each token of a formula can be styled.
pub fn show(passage: &Passage, out: &mut dyn FnMut(&str, Option<TokenPosition>)) {
    show_pieces(passage, &mut |text, piece| match piece {
        Piece::Symbol(position) => out(text, Some(position)),
        Piece::Word(_) | Piece::Other => out(text, None),
    });
}

/// Like [`show`], with the positions of words too.
pub fn show_pieces(passage: &Passage, out: &mut dyn FnMut(&str, Piece)) {
    let mut before = None;
    for (index, run) in passage.runs().enumerate() {
        // An empty run adds no space.
        let mut due = before.is_some_and(|before| are_separated(before, run));
        let mut is_shown = false;
        let mut emit = |text: &str, piece| {
            if text.is_empty() {
                return;
            }
            if std::mem::take(&mut due) {
                out(" ", Piece::Other);
            }
            out(text, piece);
            is_shown = true;
        };
        match run {
            Run::Text(text) => {
                for (number, word) in text.split_whitespace().enumerate() {
                    if number > 0 {
                        emit(" ", Piece::Other);
                    }
                    emit(word, Piece::Word(TokenPosition { run: index, token: number }));
                }
            }
            Run::Math(formula) => layout::show(formula.tokens(), formula.layout, &mut |text, token| {
                let position = token.map(|token| TokenPosition { run: index, token });
                emit(text, position.map_or(Piece::Other, Piece::Symbol));
            }),
        }
        if is_shown {
            before = Some(run);
        }
    }
}

/// Whether there is a space between two runs.
pub fn are_separated(before: Run<'_>, after: Run<'_>) -> bool {
    match (before, after) {
        (Run::Math(formula), _) if formula.joined_right => false,
        (_, Run::Math(formula)) if formula.joined_left => false,
        (Run::Math(formula), Run::Text(text)) if has_only_tokens(&formula) => {
            !text.trim_start().starts_with([',', '.', ';', ':', '!', '?', ')', ']', '-', '\'', '’'])
        }
        (Run::Text(text), Run::Math(formula)) if has_only_tokens(&formula) => {
            !text.trim_end().ends_with(['(', '['])
        }
        _ => true,
    }
}

/// Whether a formula comes from a file with tokens only.
fn has_only_tokens(formula: &Formula<'_>) -> bool {
    formula.layout.is_empty() && formula.tex.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(linear: &'static str) -> Formula<'static> {
        Formula { linear, ..Formula::default() }
    }

    fn shown(runs: &[Run<'_>]) -> String {
        let mut passage = Passage::new();
        runs.iter().for_each(|&run| passage.push(run));
        readable(&passage)
    }

    #[test]
    fn joints_of_an_article_are_respected() {
        let module = Formula { layout: ".", joined_right: true, ..formula("G") };
        let power = Formula { layout: ".^.}", ..formula("x 2") };
        assert_eq!(
            shown(&[Run::Text("Every"), Run::Math(module), Run::Text("-module  has"), Run::Math(power)]),
            "Every G-module has x²"
        );
        assert_eq!(shown(&[Run::Text("a"), Run::Math(power), Run::Text("; b")]), "a x² ; b");
    }

    #[test]
    fn imported_formulas_are_set_by_the_usual_rules() {
        assert_eq!(
            shown(&[
                Run::Text("Let ("),
                Run::Math(formula("a = b")),
                Run::Text(") hold, then"),
                Run::Math(formula("c")),
                Run::Text(".")
            ]),
            "Let (a = b) hold, then c."
        );
    }

    #[test]
    fn empty_runs_leave_no_trace() {
        assert_eq!(shown(&[Run::Text("a"), Run::Text(" "), Run::Math(formula("")), Run::Text("b")]), "a b");
        assert_eq!(shown(&[]), "");
    }
}
