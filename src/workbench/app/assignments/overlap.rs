//! Which words of the statement occur in the proofs, as in the paper's examples of wrong predictions: those in both
//! the gold and the predicted proof, those in the predicted one only, those in the gold one only.

use std::{collections::HashSet, ops::Range};

use crate::{
    corpus::{Passage, Run, Token, TokenPosition},
    workbench::app::document::{Overlap, Role, StyledText},
};

/// The words and symbols of a passage. Words are folded to lower case; a symbol is never a word.
#[derive(Clone, Debug, Default)]
pub struct WordSet {
    text: HashSet<String>,
    math: HashSet<String>,
}

/// The statement's words by the proofs that have them.
pub struct WordOverlap<'a> {
    pub statement: &'a WordSet,
    pub gold: &'a WordSet,
    pub predicted: &'a WordSet,
}

impl WordSet {
    pub fn of(passage: &Passage) -> WordSet {
        let mut words = WordSet::default();
        for run in passage.runs() {
            match run {
                Run::Text(text) => words.text.extend(ranges(text).map(|range| text[range].to_lowercase())),
                Run::Math(formula) => words.math.extend(formula.tokens().filter_map(symbol)),
            }
        }
        words
    }
}

impl WordOverlap<'_> {
    /// The passage with its overlaps in their roles.
    pub fn shown(&self, passage: &Passage) -> StyledText {
        let symbols: Vec<Vec<Option<Overlap>>> = passage.runs().map(|run| self.symbols(run)).collect();
        let role = |place: TokenPosition| {
            let found = symbols.get(place.run).and_then(|run| *run.get(place.token)?);
            found.map_or(Role::Math, Role::Overlap)
        };
        let prose = StyledText::with_roles(passage, &role);
        let mut roles = Vec::new();
        let mut start = 0;
        for &(end, role) in &prose.stretches {
            if role == Role::Text {
                let text = &prose.text[start..end];
                let found = ranges(text).filter_map(|range| {
                    let overlap = self.of(&text[range.clone()].to_lowercase(), |words| &words.text)?;
                    Some((start + range.start..start + range.end, Role::Overlap(overlap)))
                });
                roles.extend(found);
            }
            start = end;
        }
        prose.overlaid(&roles)
    }

    fn symbols(&self, run: Run<'_>) -> Vec<Option<Overlap>> {
        match run {
            Run::Text(_) => Vec::new(),
            Run::Math(formula) => {
                let found = |token| self.of(&symbol(token)?, |words| &words.math);
                formula.tokens().map(found).collect()
            }
        }
    }

    fn of(&self, word: &str, kind: impl Fn(&WordSet) -> &HashSet<String>) -> Option<Overlap> {
        let has = |words: &WordSet| kind(words).contains(word);
        match (has(self.statement), has(self.gold), has(self.predicted)) {
            (true, true, true) => Some(Overlap::Both),
            (true, true, false) => Some(Overlap::OnlyGold),
            (true, false, true) => Some(Overlap::OnlyPredicted),
            _ => None,
        }
    }
}

fn symbol(token: Token<'_>) -> Option<String> {
    match token {
        Token::Math { symbol, font } => Some(format!("{symbol} {font:?}")),
        Token::Text(_) => None,
    }
}

/// Where the words of a text are: stretches of letters and digits.
fn ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = None;
    text.char_indices().chain([(text.len(), ' ')]).filter_map(move |(at, letter)| {
        match (letter.is_alphanumeric(), start) {
            (true, None) => {
                start = Some(at);
                None
            }
            (false, Some(from)) => {
                start = None;
                Some(from..at)
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn passage(text: &str, linear: &str) -> Passage {
        let mut passage = Passage::new();
        passage.push_text(text);
        passage.push_formula(Formula { linear, ..Formula::default() });
        passage
    }

    #[test]
    fn words_and_symbols_are_told_by_the_proofs_that_have_them() {
        let statement = passage("Every compact group is a module.", "x y z");
        let (gold, predicted) = (passage("The group is compact", "x y"), passage("A group, a", "x z"));
        let [statement_words, gold, predicted] = [&statement, &gold, &predicted].map(WordSet::of);
        let overlaps = WordOverlap { statement: &statement_words, gold: &gold, predicted: &predicted };
        let shown = overlaps.shown(&statement);
        let mut found = Vec::new();
        let mut start = 0;
        for &(end, role) in &shown.stretches {
            if let Role::Overlap(overlap) = role {
                found.push((&shown.text[start..end], overlap));
            }
            start = end;
        }
        assert_eq!(
            found,
            [
                ("compact", Overlap::OnlyGold),
                ("group", Overlap::Both),
                ("is", Overlap::OnlyGold),
                ("a", Overlap::OnlyPredicted),
                ("x", Overlap::Both),
                ("y", Overlap::OnlyGold),
                ("z", Overlap::OnlyPredicted),
            ]
        );
    }
}
