//! A passage as people read it.
//!
//! Formulas are shown on one line in Unicode and stand against their neighbours as in the article.
//! Released files do not say where a formula touches the text beside it; there the usual rules of
//! typesetting decide, so "`x , where`" reads "`x, where`".

use super::{
    layout,
    passage::{Formula, Passage, Run},
};

/// The whole passage on one line.
pub fn readable(passage: &Passage) -> String {
    let mut shown = String::with_capacity(passage.encoded().len());
    let mut before = None;
    for run in passage.runs() {
        let start = shown.len();
        if before.is_some_and(|before| stand_apart(before, run)) {
            shown.push(' ');
        }
        let content = shown.len();
        match run {
            Run::Text(text) => push_words(&mut shown, text),
            Run::Math(formula) => layout::write_readable(formula.tokens(), formula.layout, &mut shown),
        }
        if shown.len() == content {
            // A run that shows nothing leaves no space either.
            shown.truncate(start);
        } else {
            before = Some(run);
        }
    }
    shown
}

fn push_words(shown: &mut String, text: &str) {
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            shown.push(' ');
        }
        shown.push_str(word);
    }
}

/// Whether a space stands between two runs.
fn stand_apart(before: Run<'_>, after: Run<'_>) -> bool {
    match (before, after) {
        (Run::Math(formula), _) if formula.joined_right => false,
        (_, Run::Math(formula)) if formula.joined_left => false,
        (Run::Math(formula), Run::Text(text)) if says_nothing(&formula) => {
            !text.trim_start().starts_with([',', '.', ';', ':', '!', '?', ')', ']', '-', '\'', '’'])
        }
        (Run::Text(text), Run::Math(formula)) if says_nothing(&formula) => {
            !text.trim_end().ends_with(['(', '['])
        }
        _ => true,
    }
}

/// Whether a formula came from a file that keeps its tokens only.
fn says_nothing(formula: &Formula<'_>) -> bool {
    formula.layout.is_empty() && formula.tex.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(linear: &'static str) -> Formula<'static> {
        Formula { linear, ..Formula::default() }
    }

    fn show(runs: &[Run<'_>]) -> String {
        let mut passage = Passage::new();
        runs.iter().for_each(|&run| passage.push(run));
        readable(&passage)
    }

    #[test]
    fn joints_of_an_article_are_respected() {
        let module = Formula { layout: ".", joined_right: true, ..formula("G") };
        let power = Formula { layout: ".^.}", ..formula("x 2") };
        assert_eq!(
            show(&[Run::Text("Every"), Run::Math(module), Run::Text("-module  has"), Run::Math(power)]),
            "Every G-module has x²"
        );
        assert_eq!(show(&[Run::Text("a"), Run::Math(power), Run::Text("; b")]), "a x² ; b");
    }

    #[test]
    fn imported_formulas_are_set_by_the_usual_rules() {
        assert_eq!(
            show(&[
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
        assert_eq!(show(&[Run::Text("a"), Run::Text(" "), Run::Math(formula("")), Run::Text("b")]), "a b");
        assert_eq!(show(&[]), "");
    }
}
