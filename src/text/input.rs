//! What of a passage is read: all of it, its text, or its mathematics.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::corpus::{Passage, Run};

/// The paper's input types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    #[default]
    Both,
    Text,
    Math,
}

/// One thing that an encoder reads. Words and symbols are kept apart: the article "a" is not the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece<'a> {
    Word(&'a str),
    /// A symbol with its font, as the linear form of a formula writes it.
    Symbol(&'a str),
    /// The end of a formula, so that neighbouring formulas do not run into each other.
    Space,
}

/// The pieces of a passage, in reading order.
pub fn pieces(passage: &Passage, input: Input) -> impl Iterator<Item = Piece<'_>> {
    passage.runs().flat_map(move |run| {
        let (text, formula) = match run {
            Run::Text(text) => (text, None),
            Run::Math(formula) => ("", Some(formula.linear)),
        };
        let text = if input == Input::Math { "" } else { text };
        let formula = formula.filter(|_| input != Input::Text);
        let symbols = formula.unwrap_or_default().split_whitespace().map(Piece::Symbol);
        text.split_whitespace().map(Piece::Word).chain(symbols).chain(formula.map(|_| Piece::Space))
    })
}

impl Input {
    pub const ALL: [Input; 3] = [Input::Both, Input::Text, Input::Math];

    pub fn name(self) -> &'static str {
        match self {
            Input::Both => "both",
            Input::Text => "text",
            Input::Math => "math",
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A text is not an input type.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not an input; use both, text or math")]
pub struct InputError(String);

impl FromStr for Input {
    type Err = InputError;

    fn from_str(written: &str) -> Result<Input, InputError> {
        let found = Input::ALL.into_iter().find(|input| input.name() == written);
        found.ok_or_else(|| InputError(written.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    #[test]
    fn an_input_type_leaves_the_other_kind_out() {
        let mut passage = Passage::new();
        passage.push_text("Let a");
        passage.push_formula(Formula { linear: "a = x____bold", ..Formula::default() });
        passage.push_text("be.");
        let read = |input| pieces(&passage, input).collect::<Vec<_>>();
        let symbols = [Piece::Symbol("a"), Piece::Symbol("="), Piece::Symbol("x____bold"), Piece::Space];
        assert_eq!(read(Input::Text), ["Let", "a", "be."].map(Piece::Word));
        assert_eq!(read(Input::Math), symbols);
        assert_eq!(read(Input::Both).len(), 7);
        assert_eq!(read(Input::Both)[2..6], symbols);
    }
}
