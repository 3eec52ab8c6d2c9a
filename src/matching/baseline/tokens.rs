//! The tokens that a baseline counts.
//!
//! A default TF-IDF counts features: words, word pairs, n-grams and windows of formulas. Single tokens
//! are every word, lower-cased and without surrounding punctuation, and every symbol of a formula with its
//! font; the two never mix, so that the article "a" is not the variable `a`. The reference's are what
//! scikit-learn's default pattern `\b\w\w+\b` finds in the lower-cased text, so that x, M and α vanish.

use serde::{Deserialize, Serialize};

use crate::{
    corpus::{Input, Passage, Run},
    model::tokenizer::{FeatureSet, SymbolNames, features::feature_hash},
};

/// A definition of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokens {
    /// Words, word pairs, n-grams and windows of formulas.
    #[default]
    Features,
    /// Every word and every symbol.
    Every,
    /// The tokens of the reference program's vectorizer.
    Reference,
}

/// Prefix of a formula's token; no word starts with it.
const MATH: char = '\u{1f}';
/// Ends a token.
pub const END: char = '\n';

impl Tokens {
    /// Hashes of the tokens of a passage whose symbols have these names.
    pub fn hashes(self, passage: &Passage, input: Input, symbols: SymbolNames) -> Vec<u64> {
        match self {
            Tokens::Features => FeatureSet::new(symbols).hashes(passage, input),
            Tokens::Every | Tokens::Reference => {
                self.read(passage, input).split_terminator(END).map(feature_hash).collect()
            }
        }
    }

    /// The single tokens of a passage, each followed by [`END`].
    pub fn read(self, passage: &Passage, input: Input) -> String {
        let mut out = String::new();
        for run in passage.runs().filter(|run| input.reads(run)) {
            match (self, run) {
                (Tokens::Every | Tokens::Features, Run::Text(text)) => {
                    text.split_whitespace().for_each(|word| {
                        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
                        if !word.is_empty() {
                            out.extend(word.chars().flat_map(char::to_lowercase));
                            out.push(END);
                        }
                    })
                }
                (Tokens::Every | Tokens::Features, Run::Math(formula)) => {
                    formula.linear.split_whitespace().for_each(|symbol| {
                        out.push(MATH);
                        out.push_str(symbol);
                        out.push(END);
                    })
                }
                (Tokens::Reference, Run::Text(text)) => push_reference(&mut out, text),
                (Tokens::Reference, Run::Math(formula)) => push_reference(&mut out, formula.linear),
            }
        }
        out
    }
}

/// The maximal runs of two or more word characters, in lower case.
fn push_reference(out: &mut String, text: &str) {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
    for word in words.filter(|word| word.chars().nth(1).is_some()) {
        out.push_str(word);
        out.push(END);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn read(tokens: Tokens, input: Input) -> String {
        let mut passage = Passage::new();
        passage.push_text("Let a, (Then) — B_2-space");
        passage.push_formula(Formula { linear: "a = x____bold + sin 10", ..Formula::default() });
        tokens.read(&passage, input).replace(MATH, "$").replace(END, " ")
    }

    #[test]
    fn every_token_counts() {
        assert_eq!(read(Tokens::Every, Input::Both), "let a then b_2-space $a $= $x____bold $+ $sin $10 ");
        assert_eq!(read(Tokens::Every, Input::Text), "let a then b_2-space ");
        assert_eq!(read(Tokens::Every, Input::Math), "$a $= $x____bold $+ $sin $10 ");
    }

    #[test]
    fn the_reference_drops_single_characters() {
        assert_eq!(read(Tokens::Reference, Input::Both), "let then b_2 space x____bold sin 10 ");
    }
}
