//! The kind of a statement: theorem, lemma, ...
//!
//! Articles name their kinds twice: in the heading that readers see ("Lemma 3.1") and in the name
//! of the author's environment (`thm`, `lem`, `prop`), which LaTeXML keeps in the class. The heading is
//! trusted first, because environments are abbreviated in every possible way.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($kind:ident $name:literal [$($spelling:literal)*])*) => {
        /// What sort of statement a pair holds.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Kind {
            $($kind,)*
            /// A heading that is none of the above: the author's own kind, or no heading at all.
            #[default]
            Other,
        }

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$kind,)* Kind::Other];

            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)*
                    Kind::Other => "other",
                }
            }

            fn from_spelling(word: &str) -> Option<Kind> {
                match word {
                    $($name $(| $spelling)* => Some(Kind::$kind),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    Theorem "theorem" ["thm" "theo" "th" "theorems" "théorème" "maintheorem" "mainthm" "satz"]
    Lemma "lemma" ["lem" "lm" "lma" "lemmas" "lemme" "sublemma" "sublem"]
    Proposition "proposition" ["prop" "pr" "propn" "prp" "propositions"]
    Corollary "corollary" ["cor" "coro" "corol" "co" "corollaries" "corollaire"]
    Claim "claim" ["cl" "clm" "subclaim"]
    Conjecture "conjecture" ["conj" "con"]
    Definition "definition" ["def" "defi" "defn" "defin" "dfn" "df" "definitions"]
    Example "example" ["ex" "exa" "exam" "eg" "examples"]
    Remark "remark" ["rem" "rk" "rmk" "remarks"]
    Fact "fact" ["facts" "fct"]
    Observation "observation" ["obs"]
    Exercise "exercise" ["exer" "exo" "exercises"]
    Problem "problem" ["prob" "question" "quest"]
    Assumption "assumption" ["hypothesis" "hyp" "ass" "axiom" "condition"]
    Notation "notation" ["not" "convention" "construction" "situation"]
}

impl Kind {
    /// The kind with this exact name, as [`Kind::name`] gives it.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
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

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
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
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
    }
}
