//! A passage: the statement or the proof of a pair, as runs of text and formulas.
//!
//! A passage is one string in a line format that the corpus file stores as it is, so loading a pair
//! parses nothing and allocates one string per side. A line is a run:
//!
//! ```text
//! TLet
//! M-␟x____bold = y␟.=.␟\mathbf{x}=y
//! Tbe given.
//! ```
//!
//! `␟` is U+001F. A formula carries its linear form (tokens separated by one space), its
//! [layout](super::layout) for display, and its TeX source when the article has one. The letter after
//! the `M` encodes the sides on which the formula touches its neighbor without a space (`l`, `r`, `b`oth or `-`), so
//! that "`$G$-module`", which is two runs, is displayed as it was written.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::token::Token;

/// Separates the fields of a formula.
const FIELD: char = '\u{1f}';

/// The text of a statement or a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Passage {
    encoded: String,
}

/// One line of a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run<'a> {
    Text(&'a str),
    Math(Formula<'a>),
}

/// A formula, borrowed from its passage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Formula<'a> {
    /// The tokens in reading order, separated by one space.
    pub linear: &'a str,
    /// The [layout](super::layout) of the tokens; empty when unknown (imported files).
    pub layout: &'a str,
    /// TeX source; empty when unknown.
    pub tex: &'a str,
    /// The formula follows the run before it without a space.
    pub joined_left: bool,
    /// The run after it follows without a space.
    pub joined_right: bool,
}

impl<'a> Formula<'a> {
    /// The tokens of the formula.
    pub fn tokens(&self) -> impl Iterator<Item = Token<'a>> + use<'a> {
        self.linear.split_whitespace().map(Token::math)
    }
}

impl<'a> Run<'a> {
    /// The tokens of the run.
    pub fn tokens(&self) -> impl Iterator<Item = Token<'a>> + use<'a> {
        let (words, symbols) = match *self {
            Run::Text(text) => (text, ""),
            Run::Math(formula) => ("", formula.linear),
        };
        words.split_whitespace().map(Token::Text).chain(symbols.split_whitespace().map(Token::math))
    }
}

impl Passage {
    /// A hash of the tokens: the same for texts that differ in the structure of their formulas alone.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.tokens().for_each(|token| token.hash(&mut hasher));
        hasher.finish()
    }

    pub fn new() -> Passage {
        Passage::default()
    }

    /// The passage of a string from [`Passage::encoded`].
    pub fn from_encoded(encoded: String) -> Passage {
        Passage { encoded }
    }

    /// The line format, for storage.
    pub fn encoded(&self) -> &str {
        &self.encoded
    }

    /// Appends a run of text. Line breaks and field separators become spaces; other white space is kept.
    pub fn push_text(&mut self, text: &str) {
        self.start_run('T');
        push_clean(&mut self.encoded, text);
    }

    /// Appends a formula.
    pub fn push_formula(&mut self, formula: Formula<'_>) {
        self.start_run('M');
        self.encoded.push(match (formula.joined_left, formula.joined_right) {
            (true, true) => 'b',
            (true, false) => 'l',
            (false, true) => 'r',
            (false, false) => '-',
        });
        for field in [formula.linear, formula.layout, formula.tex] {
            self.encoded.push(FIELD);
            push_clean(&mut self.encoded, field);
        }
    }

    pub fn push(&mut self, run: Run<'_>) {
        match run {
            Run::Text(text) => self.push_text(text),
            Run::Math(formula) => self.push_formula(formula),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.encoded.is_empty()
    }

    /// The runs in reading order.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        // An empty passage has no run, although an empty string has one line.
        self.encoded.split('\n').filter(|line| !line.is_empty()).map(decode_run)
    }

    /// The runs from the last to the first.
    pub fn runs_backwards(&self) -> impl Iterator<Item = Run<'_>> {
        self.encoded.rsplit('\n').filter(|line| !line.is_empty()).map(decode_run)
    }

    /// Every token, text and mathematics, in reading order.
    pub fn tokens(&self) -> impl Iterator<Item = Token<'_>> {
        self.runs().flat_map(|run| run.tokens())
    }

    /// The number of text tokens and of mathematical tokens.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for run in self.runs() {
            match run {
                Run::Text(text) => counts.text += text.split_whitespace().count(),
                Run::Math(formula) => counts.math += formula.linear.split_whitespace().count(),
            }
        }
        counts
    }

    fn start_run(&mut self, kind: char) {
        if !self.encoded.is_empty() {
            self.encoded.push('\n');
        }
        self.encoded.push(kind);
    }
}

/// The size of a passage in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub text: usize,
    pub math: usize,
}

impl Counts {
    pub fn total(self) -> usize {
        self.text + self.math
    }
}

/// Appends `text` without the reserved characters of the line format.
fn push_clean(out: &mut String, text: &str) {
    let is_reserved = |letter: char| matches!(letter, '\n' | '\r' | FIELD);
    // All three are ASCII, so bytes can be searched.
    if memchr::memchr3(b'\n', b'\r', FIELD as u8, text.as_bytes()).is_some() {
        out.extend(text.chars().map(|letter| if is_reserved(letter) { ' ' } else { letter }));
    } else {
        out.push_str(text);
    }
}

fn decode_run(line: &str) -> Run<'_> {
    match line.strip_prefix('M') {
        None => Run::Text(line.strip_prefix('T').unwrap_or(line)),
        Some(rest) => {
            let mut fields = rest.split(FIELD);
            let mut next = || fields.next().unwrap_or_default();
            let joints = next();
            Run::Math(Formula {
                linear: next(),
                layout: next(),
                tex: next(),
                joined_left: matches!(joints, "l" | "b"),
                joined_right: matches!(joints, "r" | "b"),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn example() -> Passage {
        let mut passage = Passage::new();
        passage.push_text("Let");
        passage.push_formula(Formula {
            linear: "x____bold = y",
            layout: "...",
            tex: r"\mathbf{x}=y",
            joined_right: true,
            ..Formula::default()
        });
        passage.push_text("-module be given.");
        passage
    }

    #[test]
    fn runs_come_back_as_they_went_in() {
        let passage = example();
        let runs: Vec<_> = passage.runs().collect();
        assert_eq!(runs.len(), 3);
        assert_eq!(runs[0], Run::Text("Let"));
        let Run::Math(formula) = runs[1] else { panic!("a formula expected") };
        assert_eq!((formula.linear, formula.tex), ("x____bold = y", r"\mathbf{x}=y"));
        assert!(formula.joined_right && !formula.joined_left);
        assert_eq!(passage.counts(), Counts { text: 4, math: 3 });
        assert_eq!(passage.tokens().nth(1).map(|token| token.to_string()).as_deref(), Some("x____bold"));
    }

    #[test]
    fn an_empty_passage_has_no_run() {
        assert_eq!(Passage::new().runs().count(), 0);
    }

    proptest! {
        /// Runs are separated correctly whatever they contain.
        #[test]
        fn hostile_text_never_makes_another_run(texts in prop::collection::vec(".*", 0..6)) {
            let mut passage = Passage::new();
            for text in &texts {
                passage.push_text(text);
                passage.push_formula(Formula { linear: text, tex: text, ..Formula::default() });
            }
            prop_assert_eq!(passage.runs().count(), 2 * texts.len());
        }
    }
}
