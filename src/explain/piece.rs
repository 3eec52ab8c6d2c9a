//! Pieces: the words and symbols of a statement and a proof, which explanations assign weights to.

use serde::Serialize;

use crate::corpus::{Passage, Run, Token};

/// A token of a passage before it has a token id. Words and symbols are distinct, as in the paper: the article "a" is
/// not the variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", content = "text", rename_all = "lowercase")]
pub enum Piece {
    Word(String),
    /// A symbol with its font, as the linear form of a formula writes it: `x____bold`.
    Symbol(String),
    /// The end of a formula. A marker for models: it is never dropped and has no weight.
    End,
}

impl Piece {
    pub fn is_math(&self) -> bool {
        matches!(self, Piece::Symbol(_))
    }

    /// The piece as displayed: styled letters show a symbol's font.
    pub fn shown(&self) -> String {
        match self {
            Piece::Word(word) => word.clone(),
            Piece::Symbol(written) => match Token::math(written) {
                Token::Math { symbol, font } => symbol.chars().map(|letter| font.styled(letter)).collect(),
                Token::Text(word) => word.to_owned(),
            },
            Piece::End => String::new(),
        }
    }

    /// Whether the piece contains a letter or a digit. The others are operators and punctuation, which lime's word
    /// splitting ignores: they are uncolored in the paper's figures.
    pub fn is_word_like(&self) -> bool {
        match self {
            Piece::Word(text) | Piece::Symbol(text) => {
                text.chars().any(|letter| letter.is_alphanumeric() || letter == '_')
            }
            Piece::End => false,
        }
    }
}

/// One of the two texts of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Side {
    Statement,
    Proof,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Statement, Side::Proof];
}

/// A statement and a proof, not necessarily its own, split into pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PiecePair {
    /// The name shown in output and exports.
    pub name: String,
    pub statement: Vec<Piece>,
    pub proof: Vec<Piece>,
}

impl PiecePair {
    pub fn new(name: impl Into<String>, statement: &Passage, proof: &Passage) -> PiecePair {
        PiecePair { name: name.into(), statement: pieces(statement), proof: pieces(proof) }
    }

    pub fn side(&self, side: Side) -> &[Piece] {
        match side {
            Side::Statement => &self.statement,
            Side::Proof => &self.proof,
        }
    }

    /// The same statement with another proof.
    pub fn with_proof(&self, name: impl Into<String>, proof: Vec<Piece>) -> PiecePair {
        PiecePair { name: name.into(), statement: self.statement.clone(), proof }
    }
}

/// The pieces of a passage, in reading order.
pub fn pieces(passage: &Passage) -> Vec<Piece> {
    let mut found = Vec::new();
    for run in passage.runs() {
        match run {
            Run::Text(text) => {
                found.extend(text.split_whitespace().map(|word| Piece::Word(word.to_owned())));
            }
            Run::Math(formula) => {
                let symbols = formula.linear.split_whitespace();
                found.extend(symbols.map(|symbol| Piece::Symbol(symbol.to_owned())));
                found.push(Piece::End);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    #[test]
    fn words_and_symbols_stay_apart_and_a_formula_has_an_end() {
        let mut passage = Passage::new();
        passage.push_text("Let a");
        passage.push_formula(Formula { linear: "a = x____bold", ..Formula::default() });
        let (word, symbol) = (|text: &str| Piece::Word(text.into()), |text: &str| Piece::Symbol(text.into()));
        let expected = [word("Let"), word("a"), symbol("a"), symbol("="), symbol("x____bold"), Piece::End];
        assert_eq!(pieces(&passage), expected);
        assert_eq!(
            pieces(&passage).iter().map(Piece::shown).collect::<Vec<_>>(),
            ["Let", "a", "a", "=", "𝐱", ""]
        );
        let alike: Vec<bool> = pieces(&passage).iter().map(Piece::is_word_like).collect();
        assert_eq!(alike, [true, true, true, false, true, false]);
    }
}
