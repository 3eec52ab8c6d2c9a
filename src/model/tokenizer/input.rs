//! Pre-tokenization: a passage as a sequence of words and symbols.

pub use crate::corpus::Input;
use crate::corpus::{Passage, Run};

/// A unit of the input. Words and symbols are distinct: the article "a" is not the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PreToken<'a> {
    Word(&'a str),
    /// A symbol with its font, as the linear form of a formula writes it.
    Symbol(&'a str),
    /// The end of a formula, which separates adjacent formulas.
    Space,
}

/// Returns the pre-tokens of a passage in reading order.
pub fn pre_tokens(passage: &Passage, input: Input) -> impl Iterator<Item = PreToken<'_>> {
    passage.runs().flat_map(move |run| {
        let (text, formula) = match run {
            run if !input.reads(&run) => ("", None),
            Run::Text(text) => (text, None),
            Run::Math(formula) => ("", Some(formula.linear)),
        };
        let symbols = formula.unwrap_or_default().split_whitespace().map(PreToken::Symbol);
        text.split_whitespace().map(PreToken::Word).chain(symbols).chain(formula.map(|_| PreToken::Space))
    })
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
        let read = |input| pre_tokens(&passage, input).collect::<Vec<_>>();
        let symbols =
            [PreToken::Symbol("a"), PreToken::Symbol("="), PreToken::Symbol("x____bold"), PreToken::Space];
        assert_eq!(read(Input::Text), ["Let", "a", "be."].map(PreToken::Word));
        assert_eq!(read(Input::Math), symbols);
        assert_eq!(read(Input::Both).len(), 7);
        assert_eq!(read(Input::Both)[2..6], symbols);
    }
}
