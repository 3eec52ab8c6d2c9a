//! The laws that every level keeps on every pair.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::sample::any_pair;
use crate::{
    corpus::{Font, Formula, Pair, Passage, Run, Token},
    symbols::{
        Audit, KeptReason, LetterSet, Level, Naming, Replacement, Seed, Share, Strangers,
        canonical::{both, canonical, canonical_name},
        constants,
        family::Family,
        letter::{Alphabet, Letter},
        reading::Reading,
        replace, rewrite,
    },
};

const LATIN_LETTERS: usize = 26;

fn any_level() -> impl Strategy<Value = Level> {
    prop_oneof![
        Just(Level::Conservation),
        (0u32..=10, any_naming()).prop_map(|(tenths, naming)| Level::Partial(
            Share::new(f64::from(tenths) / 10.0).unwrap(),
            naming
        )),
        any_naming().prop_map(Level::Full),
        Just(Level::Transposition),
    ]
}

fn any_naming() -> impl Strategy<Value = Naming> {
    prop_oneof![Just(Naming::Stranger), Just(Naming::Disjoint)]
}

fn any_protected() -> impl Strategy<Value = LetterSet> {
    prop::sample::subsequence("PEVσρxaΓϕφ".chars().collect::<Vec<_>>(), 0..4)
        .prop_map(|letters| letters.into_iter().filter_map(Letter::from_char).collect())
}

struct Case {
    pair: Pair,
    level: Level,
    protected: LetterSet,
    statement: Reading,
    proof: Reading,
    families: Vec<Family>,
    replacement: Replacement,
}

fn any_case() -> impl Strategy<Value = (Pair, Level, u64, LetterSet)> {
    (any_pair(), any_level(), 0u64..1000, any_protected())
}

impl Case {
    fn of((pair, level, seed, protected): (Pair, Level, u64, LetterSet)) -> Case {
        let (statement, proof) = (Reading::of(&pair.statement), Reading::of(&pair.proof));
        let frozen = constants::constants(&statement, &proof).union(protected);
        let families = Family::shared(&statement, &proof, frozen);
        let replacement = replace(&pair, level, Seed(seed), protected, &Strangers::built_in());
        Case { pair, level, protected, statement, proof, families, replacement }
    }
}

/// The passage without TeX sources, which a level drops where it changes a formula.
fn without_tex(passage: &Passage) -> Passage {
    let mut plain = Passage::new();
    for run in passage.runs() {
        match run {
            Run::Math(formula) => plain.push_formula(Formula { tex: "", ..formula }),
            text => plain.push(text),
        }
    }
    plain
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_renaming_never_merges_two_symbols(case in any_case()) {
        let case = Case::of(case);
        prop_assert!(case.replacement.mapping.is_injective_on(&case.proof.free));
        let mut audit = Audit::new(case.level.into());
        audit.observe("", &case.pair, &case.replacement);
        prop_assert_eq!(audit.total.collisions, 0);
        prop_assert_eq!(audit.total.torn, 0);
        prop_assert_eq!(audit.total.unexplained, 0, "{:?}", audit.total.leaks);
    }

    #[test]
    fn only_letters_change_and_nothing_else(case in any_case()) {
        let case = Case::of(case);
        let replaced = &case.replacement.proof;
        prop_assert_eq!(case.pair.proof.counts(), replaced.counts());
        let mut places = case.replacement.occurrences.iter().peekable();
        for (index, (before, after)) in (0u32..).zip(case.pair.proof.runs().zip(replaced.runs())) {
            match (before, after) {
                (Run::Text(before), Run::Text(after)) => prop_assert_eq!(before, after),
                (Run::Math(before), Run::Math(after)) => {
                    prop_assert_eq!(before.layout, after.layout);
                    for (token, (old, new)) in (0u32..).zip(before.tokens().zip(after.tokens())) {
                        let here = places.next_if(|place| (place.run, place.token) == (index, token));
                        prop_assert_eq!(here.is_some(), old != new);
                        if let Some(here) = here {
                            prop_assert_eq!(here.was.styled().to_string(), crate::corpus::layout::styled(old));
                        }
                    }
                }
                _ => prop_assert!(false, "a run changed its kind"),
            }
        }
        prop_assert!(places.next().is_none());
    }

    /// A symbol changes only with a shared symbol that differs from it at most in case, form and font; its
    /// case and font stay, and all members of a family go to the same base.
    #[test]
    fn only_shared_symbols_and_their_companions_change(case in any_case()) {
        let case = Case::of(case);
        let shared = case.statement.free.intersection(&case.proof.free);
        for (from, to) in case.replacement.mapping.iter() {
            prop_assert!(from.font == to.font && from.font != Font::DoubleStruck);
            prop_assert_eq!(from.letter.case(), to.letter.case());
            prop_assert!(!case.protected.contains(from.letter) && !case.protected.contains(to.letter));
            prop_assert!(shared.iter().any(|symbol| symbol.letter.base() == from.letter.base()));
        }
        for family in &case.families {
            let moved: Vec<_> = case.replacement.mapping.iter()
                .filter(|(from, _)| family.letters.contains(from.letter)).collect();
            let bases: BTreeSet<_> = moved.iter().map(|(_, to)| to.letter.base()).collect();
            prop_assert!(bases.len() < 2);
            let members = case.proof.free.iter()
                .filter(|symbol| symbol.font != Font::DoubleStruck && family.letters.contains(symbol.letter));
            prop_assert!(moved.is_empty() || moved.len() == members.count());
        }
    }

    #[test]
    fn full_gives_every_shared_family_another_name(case in any_case(), naming in any_naming()) {
        let case = Case::of((case.0, Level::Full(naming), case.2, case.3));
        let is_exhausted = case.replacement.kept.iter().any(|kept| kept.reason == KeptReason::Exhausted);
        for family in &case.families {
            let bases: BTreeSet<_> = case.replacement.mapping.iter()
                .filter(|(from, _)| family.letters.contains(from.letter))
                .map(|(_, to)| to.letter.base()).collect();
            let is_renamed = !bases.is_empty() && !bases.contains(&family.name.base);
            // Two forms of one letter may exchange their names when no others are left.
            prop_assert!(is_renamed || is_exhausted || !case.replacement.exhausted.is_empty(), "{:?}", family);
        }
    }

    #[test]
    fn disjoint_names_leave_no_shared_letter_while_names_last(case in any_case()) {
        let case = Case::of((case.0, Level::Full(Naming::Disjoint), case.2, case.3));
        let after = Reading::of(&case.replacement.proof);
        let constants = constants::constants(&case.statement, &case.proof);
        let left = case.statement.free.intersection(&after.free).letters()
            .without(constants).without(case.protected);
        let is_exhausted = !case.replacement.exhausted.is_empty()
            || case.replacement.kept.iter().any(|kept| kept.reason == KeptReason::Exhausted);
        prop_assert!(left.is_empty() || is_exhausted, "{:?}", left);
        let used = case.statement.symbols().union(&case.proof.symbols()).letters();
        let bases: BTreeSet<_> = used.iter().chain(case.protected.iter()).map(Letter::base).collect();
        // Greek letters do not exist in every font, so a family may have Latin names only.
        let latin = bases.iter().filter(|base| base.alphabet() == Alphabet::Latin).count();
        let lasts = bases.len() + case.families.len() <= 40 && latin + case.families.len() < LATIN_LETTERS;
        prop_assert!(!is_exhausted || !lasts, "{} names in use, {} of them Latin", bases.len(), latin);
    }

    #[test]
    fn partial_changes_its_share_of_the_families(
        case in any_case(), tenths in 0u32..=10, naming in any_naming()
    ) {
        let share = Share::new(f64::from(tenths) / 10.0).unwrap();
        let case = Case::of((case.0, Level::Partial(share, naming), case.2, case.3));
        let changed = case.families.iter().filter(|family| {
            case.replacement.mapping.iter().any(|(from, _)| family.letters.contains(from.letter))
        }).count();
        let asked = share.of(case.families.len());
        prop_assert!(changed == asked || (changed < asked && case.families.len() > 20));
    }

    #[test]
    fn transposition_exchanges_names_and_leaves_none(case in any_case()) {
        let case = Case::of((case.0, Level::Transposition, case.2, case.3));
        let bases = |moved: bool| -> BTreeSet<_> {
            case.replacement.mapping.iter().map(|(from, to)| if moved { to } else { from })
                .map(|symbol| symbol.letter.base()).collect()
        };
        prop_assert_eq!(bases(false), bases(true));
        let alone: Vec<_> = case.replacement.kept.iter().filter(|kept| kept.reason == KeptReason::Alone).collect();
        // Two families that cannot exchange names meet only where letters must stay.
        let is_hindered = case.families.iter().any(|family| {
            !family.letters.intersection(case.proof.styled).is_empty()
                || family.name.form(crate::symbols::letter::Case::Capital).is_none()
                || [crate::symbols::letter::Case::Small, crate::symbols::letter::Case::Capital].iter().any(|&form| {
                    family.name.form(form).is_some_and(|letter| {
                        case.protected.contains(letter)
                            || constants::constants(&case.statement, &case.proof).contains(letter)
                    })
                })
        });
        prop_assert!(alone.is_empty() || case.families.len() < 2 || is_hindered, "{:?}", alone);
    }

    #[test]
    fn the_canonical_form_is_the_same_at_every_level(case in any_case()) {
        let case = Case::of(case);
        if case.replacement.accidental == 0 {
            prop_assert_eq!(canonical(&case.pair.proof), canonical(&case.replacement.proof));
        }
    }

    #[test]
    fn beside_each_other_the_canonical_names_stay_and_the_literal_ones_are_those_of_the_level(
        case in any_case()
    ) {
        let case = Case::of(case);
        let names = |passage: &Passage, canonical: bool| -> Vec<String> {
            let formulas = super::sample::formulas(passage);
            let tokens = formulas.iter().flat_map(|linear| linear.split_ascii_whitespace());
            tokens.filter(|token| canonical_name(token).is_some() == canonical).map(str::to_owned).collect()
        };
        let proof = &case.pair.proof;
        let (before, after) = (both(proof, proof), both(proof, &case.replacement.proof));
        prop_assert_eq!(names(&before, true), names(&after, true));
        prop_assert_eq!(names(&after, false), names(&case.replacement.proof, false));
    }

    #[test]
    fn the_inverse_mapping_restores_the_proof(case in any_case()) {
        let case = Case::of(case);
        if case.replacement.accidental == 0 {
            let (restored, _) = rewrite::rewrite(&case.replacement.proof, &case.replacement.mapping.inverse());
            prop_assert_eq!(without_tex(&restored), without_tex(&case.pair.proof));
        }
    }

    #[test]
    fn a_level_is_a_function_of_its_arguments(case in any_case()) {
        let (pair, level, seed, protected) = case;
        let first = replace(&pair, level, Seed(seed), protected, &Strangers::built_in());
        let again = replace(&pair.clone(), level, Seed(seed), protected, &Strangers::built_in());
        prop_assert_eq!(first.proof, again.proof);
        prop_assert_eq!(first.mapping, again.mapping);
    }

    #[test]
    fn partial_is_a_part_of_full(case in any_case(), naming in any_naming()) {
        let (pair, _, seed, protected) = case;
        let full = replace(&pair, Level::Full(naming), Seed(seed), protected, &Strangers::built_in());
        let half = replace(&pair, Level::Partial(Share::HALF, naming), Seed(seed), protected, &Strangers::built_in());
        let whole = replace(&pair, Level::Partial(Share::ALL, naming), Seed(seed), protected, &Strangers::built_in());
        prop_assert_eq!(&whole.mapping, &full.mapping);
        // Drawing again to avoid an accidental name may separate them, and so may a lack of names.
        let has_products = !Reading::of(&pair.proof).chains.is_empty();
        let is_part = half.mapping.iter().all(|(from, to)| full.mapping.image(from) == to);
        prop_assert!(is_part || has_products || !full.exhausted.is_empty());
    }

    #[test]
    fn the_reference_mode_never_fails(case in any_case()) {
        let (pair, level, seed, protected) = case;
        let merged = crate::symbols::compat::words::merge(&pair).unwrap_or(pair);
        let replacement = crate::symbols::compat::replace(&merged, level, Seed(seed), protected);
        prop_assert_eq!(merged.proof.counts(), replacement.proof.counts());
        let mut audit = Audit::new(level.into());
        audit.observe("math.AG", &merged, &replacement);
        prop_assert_eq!(audit.total.leaks.contains_key(&KeptReason::Unknown), false);
        prop_assert!(merged.proof.tokens().zip(replacement.proof.tokens())
            .all(|(old, new)| old.is_math() == new.is_math() && (old.is_math() || old == new)));
        let _: Vec<Token<'_>> = replacement.proof.tokens().collect();
    }
}
