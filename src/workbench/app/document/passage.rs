//! A passage as one string in which every stretch knows whether it is text or mathematics.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use super::Role;
use crate::{
    corpus::{
        Passage, Run, layout,
        reading::{self, TokenPosition},
    },
    workbench::app::cycle::cycled,
};

/// How formulas are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Form {
    /// On one line, in Unicode.
    #[default]
    Readable,
    /// The tokens that models see.
    Linear,
    /// TeX, where the article has it.
    Tex,
    /// The markup of the article's file.
    Xhtml,
}

impl Form {
    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn next(self) -> Form {
        cycled(Form::VARIANTS, &self, 1)
    }

    pub fn previous(self) -> Form {
        cycled(Form::VARIANTS, &self, -1)
    }

    /// Whether a worker has to bring it, because it is highlighted or read from the article.
    pub fn is_source(self) -> bool {
        matches!(self, Form::Tex | Form::Xhtml)
    }
}

/// A text whose stretches have roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StyledText {
    pub text: String,
    /// Where each stretch ends, and its role.
    pub stretches: Vec<(usize, Role)>,
}

impl StyledText {
    pub fn push(&mut self, text: &str, role: Role) {
        // Invisible operators tell software where a function is applied; terminals may show them as boxes.
        self.text.extend(text.chars().filter(|letter| !('\u{2061}'..='\u{2064}').contains(letter)));
        match self.stretches.last_mut() {
            Some((end, last)) if *last == role => *end = self.text.len(),
            _ => self.stretches.push((self.text.len(), role)),
        }
    }

    pub fn plain(text: &str, role: Role) -> StyledText {
        let mut prose = StyledText::default();
        prose.push(text, role);
        prose
    }

    /// A passage in a form; what the article's file has is not known here, so that form shows the readable one.
    pub fn of(passage: &Passage, form: Form) -> StyledText {
        StyledText::in_form(passage, form, &|_| Role::Math)
    }

    /// The readable form, each token of a formula in the role that its place has.
    pub fn with_roles(passage: &Passage, role: &dyn Fn(TokenPosition) -> Role) -> StyledText {
        StyledText::in_form(passage, Form::Readable, role)
    }

    /// A form with the roles of its tokens; TeX has none.
    pub fn in_form(passage: &Passage, form: Form, role: &dyn Fn(TokenPosition) -> Role) -> StyledText {
        let mut prose = StyledText::default();
        match form {
            Form::Readable | Form::Xhtml => prose.push_readable(passage, role),
            Form::Linear => prose.push_linear(passage, role),
            Form::Tex => prose.push_tex(passage, &mut |_, _| {}),
        }
        prose
    }

    /// The same text, with other roles where `roles` has some: byte ranges in order.
    pub fn overlaid(&self, roles: &[(Range<usize>, Role)]) -> StyledText {
        let mut prose = StyledText::default();
        let mut roles = roles.iter().peekable();
        let mut start = 0;
        for &(end, role) in &self.stretches {
            while start < end {
                while roles.next_if(|(range, _)| range.end <= start).is_some() {}
                let (stop, shown) = match roles.peek() {
                    Some((range, other)) if range.start <= start => (range.end.min(end), *other),
                    Some((range, _)) => (range.start.min(end), role),
                    None => (end, role),
                };
                // Ranges that cut a letter are passed over.
                match self.text.get(start..stop) {
                    Some(piece) => prose.push(piece, shown),
                    None => return self.clone(),
                }
                start = stop;
            }
        }
        prose
    }

    fn push_readable(&mut self, passage: &Passage, role: &dyn Fn(TokenPosition) -> Role) {
        let edges: Vec<Edges> = passage.runs().map(Edges::of).collect();
        // Pieces that show no token are words, or brackets, bars and spaces of a formula. Which of them end
        // the formula before and which begin the one after is known when the next token comes.
        let mut held: Vec<String> = Vec::new();
        let mut last_run = None;
        let edges_of = |run: Option<usize>| run.and_then(|run| edges.get(run)).copied().unwrap_or_default();
        reading::show(passage, &mut |text, place| match place {
            None => held.push(text.to_owned()),
            Some(place) => {
                let between = match last_run == Some(place.run) {
                    true => held.len()..held.len(),
                    false => {
                        let start = edges_of(last_run).after.min(held.len());
                        start..held.len().saturating_sub(edges_of(Some(place.run)).before).max(start)
                    }
                };
                for (index, piece) in held.drain(..).enumerate() {
                    self.push(&piece, if between.contains(&index) { Role::Text } else { Role::Math });
                }
                self.push(text, role(place));
                last_run = Some(place.run);
            }
        });
        let after = edges_of(last_run).after;
        for (index, piece) in held.drain(..).enumerate() {
            self.push(&piece, if index < after { Role::Math } else { Role::Text });
        }
    }

    /// Tokens are separated by spaces, as models see them.
    fn push_linear(&mut self, passage: &Passage, role: &dyn Fn(TokenPosition) -> Role) {
        for (index, run) in passage.runs().enumerate() {
            if index > 0 {
                self.push(" ", Role::Text);
            }
            match run {
                Run::Text(text) => self.push(text, Role::Text),
                Run::Math(formula) => {
                    for (token, text) in formula.linear.split_whitespace().enumerate() {
                        if token > 0 {
                            self.push(" ", Role::Math);
                        }
                        self.push(text, role(TokenPosition { run: index, token }));
                    }
                }
            }
        }
    }

    /// Formulas touch their neighbors as in the article, so that it can be put into a document.
    /// Calls back with the run and the byte range of each formula.
    pub(super) fn push_tex(&mut self, passage: &Passage, told: &mut dyn FnMut(usize, Range<usize>)) {
        let mut is_joined = true;
        for (index, run) in passage.runs().enumerate() {
            let (joined_left, joined_right) = match run {
                Run::Text(_) => (false, false),
                Run::Math(formula) => (formula.joined_left, formula.joined_right),
            };
            if !is_joined && !joined_left {
                self.push(" ", Role::Text);
            }
            let start = self.text.len();
            match run {
                Run::Text(text) => self.push(text.trim(), Role::Text),
                Run::Math(formula) if formula.tex.is_empty() => self.push(formula.linear, Role::Math),
                Run::Math(formula) => self.push(&format!("${}$", on_one_line(formula.tex)), Role::Math),
            }
            if matches!(run, Run::Math(_)) {
                told(index, start..self.text.len());
            }
            is_joined = joined_right;
        }
    }
}

/// TeX without the comments that LaTeXML breaks long formulas with: on one line they would swallow the rest.
fn on_one_line(tex: &str) -> String {
    let mut line = String::with_capacity(tex.len());
    for part in tex.split_inclusive("% ") {
        let is_escaped = part.ends_with("\\% ");
        line.push_str(if is_escaped { part } else { part.strip_suffix("% ").unwrap_or(part) });
    }
    line
}

/// The number of pieces of a formula before its first token and after its last one.
#[derive(Clone, Copy, Default)]
struct Edges {
    before: usize,
    after: usize,
}

impl Edges {
    fn of(run: Run<'_>) -> Edges {
        let Run::Math(formula) = run else { return Edges::default() };
        let (mut before, mut after, mut has_token) = (0, 0, false);
        layout::show(formula.tokens(), formula.layout, &mut |text, token| match token {
            _ if text.is_empty() => {}
            Some(_) => (after, has_token) = (0, true),
            None if has_token => after += 1,
            None => before += 1,
        });
        Edges { before, after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn example() -> Passage {
        let mut passage = Passage::new();
        passage.push_text("Let");
        passage.push_formula(Formula {
            linear: "x 2 = y",
            layout: ".^.}..",
            tex: "x^2=y",
            ..Formula::default()
        });
        passage.push_text("hold.");
        passage
    }

    #[test]
    fn text_and_mathematics_are_told_apart_in_every_form() {
        let check = |form, expected: &[(&str, Role)]| {
            let prose = StyledText::of(&example(), form);
            let mut start = 0;
            let mut found = Vec::new();
            for &(end, role) in &prose.stretches {
                found.push((&prose.text[start..end], role));
                start = end;
            }
            assert_eq!(found, expected);
        };
        let parts = |math| [("Let ", Role::Text), (math, Role::Math), (" hold.", Role::Text)];
        check(Form::Readable, &parts("x² = y"));
        check(Form::Linear, &parts("x 2 = y"));
        check(Form::Tex, &parts("$x^2=y$"));
    }

    #[test]
    fn tokens_have_their_roles_in_the_linear_form_too() {
        let chosen = TokenPosition { run: 1, token: 3 };
        let role = |place| if place == chosen { Role::Chosen } else { Role::Math };
        let prose = StyledText::in_form(&example(), Form::Linear, &role);
        assert_eq!(prose.text, "Let x 2 = y hold.");
        assert_eq!(prose.stretches[1..3], [(10, Role::Math), (11, Role::Chosen)]);
    }

    #[test]
    fn comments_that_only_break_a_line_are_left_out() {
        assert_eq!(on_one_line(r"a=% b+5\% of c% "), r"a=b+5\% of c");
    }

    #[test]
    fn roles_are_laid_over_a_text() {
        let mut prose = StyledText::plain("abcdef", Role::Text);
        prose.push("gh", Role::Math);
        let shown = prose.overlaid(&[(1..2, Role::Chosen), (5..7, Role::Meta)]);
        assert_eq!(shown.text, "abcdefgh");
        assert_eq!(
            shown.stretches,
            [(1, Role::Text), (2, Role::Chosen), (5, Role::Text), (7, Role::Meta), (8, Role::Math)]
        );
        let cut = StyledText::plain("é", Role::Text);
        assert_eq!(cut.overlaid(&[(1..2, Role::Chosen)]), cut);
    }
}
