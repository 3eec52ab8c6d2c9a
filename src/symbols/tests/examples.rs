//! Worked examples: the paper's, and one for each rule.

use super::sample::{formulas, pair};
use crate::{
    corpus::{Pair, Run},
    symbols::{
        Audit, KeptReason, KeptSymbol, LetterSet, Level, Naming, Protected, ReplaceMode, Replacer, Seed,
        Setting, Strangers, Symbol, letter::Letter, replace,
    },
};

const RECURSION: (&str, &str) = ("a n = a n - 1 + a n - 2", "._.}.._...}.._...}");

fn recursion() -> Pair {
    pair(&[RECURSION], &[RECURSION])
}

/// Names that occur on neither side, so that a remaining name stands out.
const DISJOINT: Level = Level::Full(Naming::Disjoint);

fn full(pair: &Pair) -> crate::symbols::Replacement {
    replace(pair, DISJOINT, Seed(1), LetterSet::EMPTY, &Strangers::built_in())
}

fn reason(replacement: &crate::symbols::Replacement, character: char) -> Option<KeptReason> {
    let letter = Letter::from_char(character).unwrap();
    let KeptSymbol { reason, .. } = replacement.kept.iter().find(|kept| kept.symbol.letter == letter)?;
    Some(*reason)
}

/// The paper's example: aₙ = aₙ₋₁ + aₙ₋₂ at each level.
#[test]
fn the_papers_recursion_at_each_level() {
    let at = |level| {
        let replaced = replace(&recursion(), level, Seed(1), LetterSet::EMPTY, &Strangers::built_in());
        let linear = formulas(&replaced.proof).remove(0);
        let tokens: Vec<&str> = linear.split(' ').collect();
        let (a, n) = (tokens[0].to_owned(), tokens[1].to_owned());
        assert_eq!(linear, format!("{a} {n} = {a} {n} - 1 + {a} {n} - 2"));
        (a, n)
    };
    assert_eq!(at(Level::Conservation), ("a".into(), "n".into()));
    assert_eq!(at(Level::Transposition), ("n".into(), "a".into()));
    let (a, n) = at(Level::PARTIAL);
    assert!((a == "a") != (n == "n"), "one of the two changes: {a} {n}");
    let (a, n) = at(Level::FULL);
    assert!(a != "a" && n != "n" && a != n, "{a} {n}");
    let (a, n) = at(DISJOINT);
    assert!(!["a", "n"].contains(&a.as_str()) && !["a", "n"].contains(&n.as_str()) && a != n, "{a} {n}");
}

#[test]
fn a_protected_p_stays_in_probability_and_is_replaced_without_protection() {
    let pair = pair(&[("P ( X = p )", "")], &[("P ( X ) = p", "")]);
    let replaced = |protect, categories: &[&str]| {
        let setting = Setting { level: DISJOINT, protect };
        let protected = Protected::built_in().unwrap();
        let replacer = Replacer::new(setting, Seed(5), ReplaceMode::Exact, protected);
        let replacement = replacer.replace(&pair, categories);
        (formulas(&replacement.proof).remove(0), reason(&replacement, 'P'))
    };
    let (linear, reason) = replaced(true, &["math.PR"]);
    assert!(linear.starts_with("P ( ") && !linear.contains('X') && !linear.contains('p'), "{linear}");
    assert_eq!(reason, Some(KeptReason::Protected));
    for (protect, categories) in [(false, ["math.PR"]), (true, ["math.AG"])] {
        let (linear, reason) = replaced(protect, &categories);
        assert!(!linear.contains('P'), "{linear}");
        assert_eq!(reason, None);
    }
}

#[test]
fn case_and_font_travel_together() {
    let pair = pair(&[("a + γ", "")], &[("a + A + a____bold + A____script = γ + Γ", "")]);
    let linear = formulas(&full(&pair).proof).remove(0);
    let letters: Vec<char> = linear.chars().filter_map(Letter::from_char).map(Letter::character).collect();
    let (x, gamma) = (linear.chars().next().unwrap(), linear.split(' ').nth(8).unwrap());
    let (upper, capital) = (x.to_ascii_uppercase(), gamma.to_uppercase());
    assert_eq!(linear, format!("{x} + {upper} + {x}____bold + {upper}____script = {gamma} + {capital}"));
    assert!(letters[0] != 'a' && !"γΓ".contains(gamma));
}

#[test]
fn constants_double_struck_letters_and_names_stay() {
    let formula = ("2 π i ∈ C____double-struck + e - t + d i m V + dim V", ".......^..}........");
    let replaced = full(&pair(&[formula], &[formula]));
    let linear = formulas(&replaced.proof).remove(0);
    assert!(linear.starts_with("2 π i ∈ C____double-struck + e - "), "{linear}");
    assert!(linear.contains("d i m ") && linear.contains("dim ") && !linear.contains('V'), "{linear}");
    assert_eq!(reason(&replaced, 'π'), Some(KeptReason::Constant));
    assert_eq!(reason(&replaced, 'e'), Some(KeptReason::Constant));
    assert_eq!(reason(&replaced, 'C'), Some(KeptReason::DoubleStruck));
    assert_eq!(reason(&replaced, 'm'), Some(KeptReason::Name));
}

#[test]
fn variant_forms_are_seen_and_stay_apart() {
    let pair = pair(&[("ϕ + φ + ϵ + ε", "")], &[("ϕ + φ + Φ = ϵ + ε", "")]);
    let replaced = full(&pair);
    assert!(replaced.kept.is_empty());
    let linear = formulas(&replaced.proof).remove(0);
    assert!(!linear.contains(['ϕ', 'φ', 'Φ', 'ϵ', 'ε']), "{linear}");
    assert_eq!(replaced.mapping.len(), 5);
}

#[test]
fn one_symbol_alone_cannot_be_transposed_and_says_so() {
    let pair = pair(&[("x = 1", "")], &[("x + y = 1", "")]);
    let replaced = replace(&pair, Level::Transposition, Seed(1), LetterSet::EMPTY, &Strangers::built_in());
    assert_eq!(replaced.proof, pair.proof);
    assert_eq!(reason(&replaced, 'x'), Some(KeptReason::Alone));
}

#[test]
fn a_lone_greek_letter_exchanges_with_a_latin_one() {
    let pair = pair(&[("x + σ", "")], &[("x = σ + X", "")]);
    let replaced = replace(&pair, Level::Transposition, Seed(1), LetterSet::EMPTY, &Strangers::built_in());
    assert_eq!(formulas(&replaced.proof), ["σ = x + Σ"]);
}

#[test]
fn transposition_keeps_capitals_among_capitals() {
    let formula = ("A B f g", "....");
    let replaced = replace(
        &pair(&[formula], &[formula]),
        Level::Transposition,
        Seed(9),
        LetterSet::EMPTY,
        &Strangers::built_in(),
    );
    assert_eq!(formulas(&replaced.proof), ["B A g f"]);
}

#[test]
fn when_latin_letters_run_out_greek_ones_follow_and_are_not_exhausted() {
    let all = "a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q + r + s + t + u + v + w + x + y + z";
    let replaced = full(&pair(&[(all, "")], &[("a + b", "")]));
    let linear = formulas(&replaced.proof).remove(0);
    assert!(linear.chars().all(|letter| !letter.is_ascii_alphabetic()), "{linear}");
    assert!(replaced.exhausted.is_empty());
}

#[test]
fn when_all_names_run_out_the_renaming_stays_injective_and_says_so() {
    let greek = "α β γ δ ϵ ζ η θ ι κ λ μ ν ξ ο ρ σ τ υ ϕ χ ψ ω π";
    let latin = "a . b . c . d . e . f . g . h . i . j . k . l . m . n . o . p . q . r . s . t . u . v . w . x . y . z";
    let pair = pair(&[(latin, ""), (greek, "")], &[(latin, ""), (greek, "")]);
    let replaced = full(&pair);
    assert!(!replaced.exhausted.is_empty());
    let mut audit = Audit::new(DISJOINT.into());
    audit.observe("math.LO", &pair, &replaced);
    assert_eq!((audit.total.collisions, audit.total.unexplained), (0, 0));
    assert!(audit.total.leaks.contains_key(&KeptReason::Exhausted));
    assert_eq!(audit.categories["math.LO"], audit.total);
}

#[test]
fn a_changed_formula_loses_its_tex_and_keeps_its_layout() {
    let pair = pair(&[RECURSION, ("1 + 2", "...")], &[RECURSION, ("1 + 2", "...")]);
    let replaced = full(&pair).proof;
    let tex: Vec<(&str, &str)> = replaced
        .runs()
        .filter_map(|run| match run {
            Run::Math(formula) => Some((formula.layout, formula.tex)),
            Run::Text(_) => None,
        })
        .collect();
    assert_eq!(tex, [(RECURSION.1, ""), ("...", "a_n")]);
}

#[test]
fn the_audit_sees_the_references_leaks() {
    let formula = ("Γ + x____bold-italic + ϵ + a", "");
    let pair = pair(&[formula], &[formula]);
    let replacement = crate::symbols::compat::replace(&pair, Level::FULL, Seed(1), LetterSet::EMPTY);
    let mut audit = Audit::new(DISJOINT.into());
    audit.observe("", &pair, &replacement);
    assert_eq!(audit.total.leaks[&KeptReason::Missed].symbols, 3);
    assert_eq!(audit.total.unexplained, 3);
    assert!(audit.categories.contains_key("unknown"));
    let json = serde_json::to_value(&audit).unwrap();
    for field in ["collisions", "unexplained", "pairs", "shared_before", "shared_after"] {
        assert!(json["total"][field].is_u64(), "{field}");
    }
    assert_eq!(json["total"]["leaks"]["missed"]["symbols"], 3);
}

#[test]
fn the_references_partial_replacement_collides() {
    let formula = ("a + b + c + f + g + h", "");
    let pair = pair(&[formula], &[formula]);
    let level = Level::PARTIAL;
    let trials = 3000;
    let colliding = (0..trials)
        .filter(|seed| {
            let replacement = crate::symbols::compat::replace(&pair, level, Seed(*seed), LetterSet::EMPTY);
            let mut audit = Audit::new(level.into());
            audit.observe("", &pair, &replacement);
            audit.total.collisions > 0
        })
        .count();
    // Three names out of 26 that avoid three of them: one minus (23·22·21)/(25·24·23), about a third.
    assert!((0.28..0.42).contains(&(colliding as f64 / trials as f64)), "{colliding} of {trials}");
}

#[test]
fn occurrences_say_what_stood_there() {
    let replaced = full(&recursion());
    let was: String = replaced.occurrences.iter().map(|occurrence| occurrence.was.styled()).collect();
    assert_eq!(was, "ananan");
    let first = replaced.occurrences[0];
    assert_eq!((first.run, first.token), (1, 0));
    let Symbol { letter, .. } = first.was;
    assert_eq!(replaced.mapping.letters()[0].0, letter);
}
