//! The options of an extraction.

use serde::{Deserialize, Serialize};

/// How a formula becomes tokens. The reference program knows four switches by a letter each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linearisation {
    /// `b`: the brackets (and separators) of `mfenced` are tokens.
    pub brackets: bool,
    /// `p`: elements without text of their own (`msub`, `mfrac`, ...) are tokens, `TAG_msub`.
    pub structure: bool,
    /// `f`: the font is part of the token.
    pub fonts: bool,
    /// `t`: every token is marked `math_`, for models with one vocabulary.
    pub typed: bool,
    /// Invisible operators (function application, invisible times) are tokens, and a font is what
    /// the attribute says, letter for letter: the reference's way.
    pub literal: bool,
}

impl Default for Linearisation {
    fn default() -> Self {
        Linearisation { brackets: true, structure: false, fonts: true, typed: false, literal: false }
    }
}

impl Linearisation {
    /// What the released files were made with.
    pub fn reference() -> Self {
        Linearisation { brackets: false, literal: true, ..Linearisation::default() }
    }
}

/// Which proofs belong to which statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairRule {
    /// The paper's rule, and proofs that name another statement ("Proof of Lemma 1") go to that one.
    #[default]
    Named,
    /// The paper's rule alone: two consecutive divisions, a theorem and a proof.
    Strict,
}

/// Everything that decides which pairs an article gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    pub linearisation: Linearisation,
    pub rule: PairRule,
    /// The fewest and the most tokens of a statement and of a proof.
    pub shortest: usize,
    pub longest: usize,
    /// Text nodes stay apart, errors and notes stay in: what the reference's files look like.
    pub reference: bool,
    /// Keep articles whatever their language.
    pub any_language: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            linearisation: Linearisation::default(),
            rule: PairRule::default(),
            shortest: 20,
            longest: 500,
            reference: false,
            any_language: false,
        }
    }
}

impl Options {
    /// `--compat reference`: the published numbers' way. The reference's release has its language
    /// filter commented out, so it keeps every language.
    pub fn reference() -> Self {
        Options {
            linearisation: Linearisation::reference(),
            rule: PairRule::Strict,
            reference: true,
            any_language: true,
            ..Options::default()
        }
    }
}
