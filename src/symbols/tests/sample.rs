//! Pairs for tests: written by hand or drawn by proptest.

use proptest::prelude::*;

use crate::corpus::{Formula, Kind, Pair, PairId, Passage, Run};

/// A pair from formulas, each with its layout; `""` when there is none.
pub fn pair(statement: &[(&str, &str)], proof: &[(&str, &str)]) -> Pair {
    let passage = |formulas: &[(&str, &str)]| {
        let mut passage = Passage::new();
        for (linear, layout) in formulas {
            passage.push_text("Let a and x be");
            passage.push_formula(Formula { linear, layout, tex: "a_n", ..Formula::default() });
        }
        passage
    };
    named(1, passage(statement), passage(proof))
}

/// The formulas of a passage, without their text.
pub fn formulas(passage: &Passage) -> Vec<String> {
    passage
        .runs()
        .filter_map(|run| match run {
            Run::Math(formula) => Some(formula.linear.to_owned()),
            Run::Text(_) => None,
        })
        .collect()
}

/// Any pair: few letters or many, in several fonts and forms, with and without a layout.
pub fn any_pair() -> impl Strategy<Value = Pair> {
    (any_letters(), 1u32..50).prop_flat_map(|(letters, number)| {
        (any_passage(letters.clone()), any_passage(letters))
            .prop_map(move |(statement, proof)| named(number, statement, proof))
    })
}

/// The alphabet of a pair, so that both sides share some of it.
fn any_letters() -> impl Strategy<Value = Vec<char>> {
    const POOL: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\
                        αβγδϵεζηθϑικϰλμνξοπϖρϱσςτυϕφχψωΓΔΘΛΞΠΣΥΦΨΩΑΒΕΧıȷϝ";
    let pool: Vec<char> = POOL.chars().collect();
    let few = prop::sample::subsequence(pool.clone(), 1..6);
    let some = prop::sample::subsequence(pool.clone(), 6..30);
    let whole = Just(pool);
    prop_oneof![4 => few, 4 => some, 1 => whole]
}

fn any_passage(letters: Vec<char>) -> impl Strategy<Value = Passage> {
    prop::collection::vec((any_formula(letters), "[A-Za-z ,.-]{0,12}"), 1..8).prop_map(|runs| {
        let mut passage = Passage::new();
        for ((linear, layout), text) in runs {
            passage.push_text(&text);
            passage.push_formula(Formula { linear: &linear, layout: &layout, ..Formula::default() });
        }
        passage
    })
}

fn any_formula(letters: Vec<char>) -> impl Strategy<Value = (String, String)> {
    let token = prop_oneof![
        8 => prop::sample::select(letters.clone()).prop_map(|letter| (letter.to_string(), ".")),
        2 => (prop::sample::select(letters), prop::sample::select(vec!["bold", "script", "double-struck", "bold-italic"]))
            .prop_map(|(letter, font)| (format!("{letter}____{font}"), ".")),
        3 => prop::sample::select(vec!["+", "=", "(", ")", "2", "dim", "Hom", "∂", "\u{2062}", "ℓ", "𝐱", "ℝ"])
            .prop_map(|symbol| (symbol.to_owned(), ".")),
        1 => Just(("d i m".to_owned(), "...")),
        1 => Just(("e".to_owned(), ".^")),
        1 => Just(("2 π i".to_owned(), "...")),
        1 => Just(("x".to_owned(), "_.}")),
    ];
    (prop::collection::vec(token, 1..12), any::<bool>()).prop_map(|(tokens, has_layout)| {
        let linear: Vec<&str> = tokens.iter().map(|(linear, _)| linear.as_str()).collect();
        let layout: String = tokens.iter().map(|(_, layout)| *layout).collect();
        (linear.join(" "), if has_layout { layout } else { String::new() })
    })
}

fn named(number: u32, statement: Passage, proof: Passage) -> Pair {
    Pair {
        id: PairId { article: "0704.0001".to_owned(), number },
        kind: Kind::default(),
        label: String::new(),
        title: String::new(),
        anchor: String::new(),
        statement,
        proof,
    }
}
