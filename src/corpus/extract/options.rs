//! The options of an extraction.

use serde::{Deserialize, Serialize};

/// How a formula is converted to tokens. The reference program has four of these options, each a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linearization {
    /// `b`: the brackets (and separators) of `mfenced` are tokens.
    pub brackets: bool,
    /// `p`: elements without text of their own (`msub`, `mfrac`, ...) are tokens, `TAG_msub`.
    pub structure: bool,
    /// `f`: the font is part of the token.
    pub fonts: bool,
    /// `t`: every token is marked `math_`, for models with one vocabulary.
    pub typed: bool,
    /// Invisible operators (function application, invisible times) are tokens, and the font is taken literally from the
    /// attribute, as in the reference.
    pub literal: bool,
}

impl Default for Linearization {
    fn default() -> Self {
        Linearization { brackets: true, structure: false, fonts: true, typed: false, literal: false }
    }
}

impl Linearization {
    /// The options of the released files.
    pub fn reference() -> Self {
        Linearization { brackets: false, literal: true, ..Linearization::default() }
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

/// Everything that determines the pairs of an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    pub linearization: Linearization,
    pub rule: PairRule,
    /// The fewest and the most tokens of a statement and of a proof.
    pub shortest: usize,
    pub longest: usize,
    /// Text nodes stay apart, errors and notes stay in: what the reference's files look like.
    pub reference: bool,
    /// Keep articles in any language.
    pub any_language: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            linearization: Linearization::default(),
            rule: PairRule::default(),
            shortest: 20,
            longest: 500,
            reference: false,
            any_language: false,
        }
    }
}

impl Options {
    /// `--compat reference`: the options of the published results. The reference's release has its language filter
    /// commented out, so it keeps every language.
    pub fn reference() -> Self {
        Options {
            linearization: Linearization::reference(),
            rule: PairRule::Strict,
            reference: true,
            any_language: true,
            ..Options::default()
        }
    }
}
