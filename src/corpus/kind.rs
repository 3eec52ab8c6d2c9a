//! The kind of a statement: theorem, lemma, ...
//!
//! An article contains the kind twice: in the heading ("Lemma 3.1") and in the name of the author's environment (`thm`,
//! `lem`, `prop`), which LaTeXML keeps in the class. The heading has precedence, because environments are abbreviated in
//! every possible way.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The kind of a statement.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    Theorem,
    Lemma,
    Proposition,
    Corollary,
    Claim,
    Conjecture,
    Definition,
    Example,
    Remark,
    Fact,
    Observation,
    Exercise,
    Problem,
    Assumption,
    Notation,
    /// A heading that is none of the above: the author's own kind, or no heading at all.
    #[default]
    Other,
}

impl Kind {
    pub const ALL: &'static [Kind] = Kind::VARIANTS;

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// A few letters for a column: `Lem`.
    pub fn abbreviation(self) -> &'static str {
        match self {
            Kind::Theorem => "Thm",
            Kind::Lemma => "Lem",
            Kind::Proposition => "Prop",
            Kind::Corollary => "Cor",
            Kind::Claim => "Claim",
            Kind::Conjecture => "Conj",
            Kind::Definition => "Def",
            Kind::Example => "Ex",
            Kind::Remark => "Rem",
            Kind::Fact => "Fact",
            Kind::Observation => "Obs",
            Kind::Exercise => "Exer",
            Kind::Problem => "Prob",
            Kind::Assumption => "Ass",
            Kind::Notation => "Not",
            Kind::Other => "–",
        }
    }

    /// The kind of a word in a heading or of an environment: its name, or an abbreviation.
    fn from_spelling(word: &str) -> Option<Kind> {
        Some(match word {
            "thm" | "theo" | "th" | "theorems" | "théorème" | "maintheorem" | "mainthm" | "satz" => {
                Kind::Theorem
            }
            "lem" | "lm" | "lma" | "lemmas" | "lemme" | "sublemma" | "sublem" => Kind::Lemma,
            "prop" | "pr" | "propn" | "prp" | "propositions" => Kind::Proposition,
            "cor" | "coro" | "corol" | "co" | "corollaries" | "corollaire" => Kind::Corollary,
            "cl" | "clm" | "subclaim" => Kind::Claim,
            "conj" | "con" => Kind::Conjecture,
            "def" | "defi" | "defn" | "defin" | "dfn" | "df" | "definitions" => Kind::Definition,
            "ex" | "exa" | "exam" | "eg" | "examples" => Kind::Example,
            "rem" | "rk" | "rmk" | "remarks" => Kind::Remark,
            "facts" | "fct" => Kind::Fact,
            "obs" => Kind::Observation,
            "exer" | "exo" | "exercises" => Kind::Exercise,
            "prob" | "question" | "quest" => Kind::Problem,
            "hypothesis" | "hyp" | "ass" | "axiom" | "condition" => Kind::Assumption,
            "not" | "convention" | "construction" | "situation" => Kind::Notation,
            _ => return word.parse().ok().filter(|kind| *kind != Kind::Other),
        })
    }

    /// Finds the kind from the heading's words and, failing that, the environment's name.
    pub fn of(heading: &str, environment: &str) -> Kind {
        let in_heading = heading
            .split(|letter: char| !letter.is_alphabetic())
            .find_map(|word| Kind::from_spelling(&word.to_lowercase()));
        in_heading.or_else(|| Kind::of_environment(environment)).unwrap_or_default()
    }

    /// `thm`, `mainlemma`, `Thmdefi*`: the author's name for the environment.
    fn of_environment(environment: &str) -> Option<Kind> {
        let name: String = environment.chars().filter(|letter| letter.is_alphabetic()).collect();
        let name = name.to_lowercase();
        Kind::from_spelling(&name).or_else(|| {
            Kind::ALL.iter().copied().find(|&kind| kind != Kind::Other && name.contains(kind.name()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_is_trusted_before_the_environment() {
        let check = |heading, environment, kind| assert_eq!(Kind::of(heading, environment), kind);
        check("Lemma 3.1.", "thm", Kind::Lemma);
        check("Theorem A (Hölder).", "", Kind::Theorem);
        check("3.10 Lemma", "", Kind::Lemma);
        check("Main Theorem", "mainthm", Kind::Theorem);
        check("", "prop", Kind::Proposition);
        check("", "mainlemma", Kind::Lemma);
        check("1.2", "pr", Kind::Proposition);
        check("Scholium 4", "scholium", Kind::Other);
    }

    #[test]
    fn every_kind_is_found_by_its_name() {
        for &kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
    }
}
