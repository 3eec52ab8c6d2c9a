//! Searching formulas: a TeX fragment as tokens in a row, literally or up to a renaming of its letters.

use std::{collections::HashMap, ops::Range};

use crate::corpus::{Passage, Run, typed};

/// A fragment of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaPattern {
    tokens: Vec<String>,
    is_up_to_renaming: bool,
}

impl FormulaPattern {
    /// Reads a TeX fragment as it is typed; `None` if it has no token.
    pub fn of_tex(tex: &str, is_up_to_renaming: bool) -> Option<FormulaPattern> {
        let passage = typed::passage(&format!("${tex}$"));
        let tokens: Vec<String> = passage
            .runs()
            .filter_map(|run| match run {
                Run::Math(formula) => Some(formula.linear.split_whitespace()),
                Run::Text(_) => None,
            })
            .flatten()
            .map(|token| spelled(token).to_owned())
            .collect();
        (!tokens.is_empty()).then_some(FormulaPattern { tokens, is_up_to_renaming })
    }

    pub fn is_in(&self, passage: &Passage) -> bool {
        passage.runs().any(|run| match run {
            Run::Math(formula) => !self.places(formula.linear).is_empty(),
            Run::Text(_) => false,
        })
    }

    /// Where the fragment is: the index of a run and the tokens of its formula.
    pub fn hits(&self, passage: &Passage) -> Vec<(usize, Range<usize>)> {
        let mut hits = Vec::new();
        for (index, run) in passage.runs().enumerate() {
            if let Run::Math(formula) = run {
                hits.extend(self.places(formula.linear).into_iter().map(|place| (index, place)));
            }
        }
        hits
    }

    fn places(&self, linear: &str) -> Vec<Range<usize>> {
        let tokens: Vec<&str> = linear.split_whitespace().map(spelled).collect();
        let length = self.tokens.len();
        let windows = tokens.windows(length).enumerate();
        windows.filter(|(_, window)| self.fits(window)).map(|(start, _)| start..start + length).collect()
    }

    fn fits(&self, window: &[&str]) -> bool {
        if !self.is_up_to_renaming {
            return self.tokens.iter().zip(window).all(|(token, found)| token == found);
        }
        // A renaming keeps different letters different.
        let (mut there, mut back) = (HashMap::new(), HashMap::new());
        self.tokens.iter().zip(window).all(|(token, found)| match (is_letter(token), is_letter(found)) {
            (true, true) => {
                *there.entry(token.as_str()).or_insert(*found) == *found
                    && *back.entry(*found).or_insert(token.as_str()) == token.as_str()
            }
            (false, false) => token == found,
            _ => false,
        })
    }
}

/// Signs that articles and keyboards write differently.
fn spelled(token: &str) -> &str {
    match token {
        "-" => "−",
        "*" => "∗",
        "'" => "′",
        other => other,
    }
}

/// A single letter, in any font.
fn is_letter(token: &str) -> bool {
    let mut letters = token.split("____").next().unwrap_or_default().chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn places(tex: &str, is_up_to_renaming: bool, linear: &str) -> Vec<Range<usize>> {
        let mut passage = Passage::new();
        passage.push_text("Let");
        passage.push_formula(Formula { linear, ..Formula::default() });
        let pattern = FormulaPattern::of_tex(tex, is_up_to_renaming).unwrap();
        let hits = pattern.hits(&passage);
        assert_eq!(pattern.is_in(&passage), !hits.is_empty());
        assert!(hits.iter().all(|(run, _)| *run == 1));
        hits.into_iter().map(|(_, place)| place).collect()
    }

    #[test]
    fn a_fragment_is_found_by_its_tokens() {
        assert_eq!(places("a^2+b^2", false, "c = a 2 + b 2"), vec![Range { start: 2, end: 7 }]);
        assert!(places("a^2+b^2", false, "x 2 + y 2").is_empty());
        assert_eq!(places("x-1", false, "x - 1"), vec![Range { start: 0, end: 3 }]);
        assert_eq!(FormulaPattern::of_tex("  ", false), None);
    }

    #[test]
    fn up_to_renaming_letters_may_have_other_names_but_stay_apart() {
        assert_eq!(places("a^2+b^2", true, "x 2 + y 2"), vec![Range { start: 0, end: 5 }]);
        assert!(places("a^2+b^2", true, "x 2 + x 2").is_empty());
        assert_eq!(places("aa", true, "x y y"), vec![Range { start: 1, end: 3 }]);
        assert!(places("\\sin a", true, "cos a").is_empty());
        assert_eq!(
            places("\\mathbb{E}[X]", true, "P____double-struck [ A ]"),
            vec![Range { start: 0, end: 4 }]
        );
    }
}
