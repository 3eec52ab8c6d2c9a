//! What the levels give away on the demo articles.

use crate::{
    corpus::demo,
    symbols::{Level, Naming, ReplaceMode, Replacer, Seed, overlap, shortcut},
};

fn replacer(level: Level, mode: ReplaceMode) -> Replacer {
    // The built-in sample is that of the demo.
    Replacer { mode, ..Replacer::exact(level.into(), Seed(1)).unwrap() }
}

#[test]
fn full_replacement_gives_nothing_away_and_avoidance_does() {
    let store = demo::corpus().unwrap();
    let at = |level, mode| overlap(&store, &replacer(level, mode)).unwrap();
    let full = at(Level::FULL, ReplaceMode::Exact);
    assert!(full.letters.is_neutral() && full.symbols.is_neutral(), "{full:?}");
    let disjoint = at(Level::Full(Naming::Disjoint), ReplaceMode::Exact);
    assert!(disjoint.letters.high < 0.4 && disjoint.symbols.high < 0.4, "{disjoint:?}");
    let reference = at(Level::FULL, ReplaceMode::Reference);
    assert!(reference.letters.auc < full.letters.auc, "{reference:?}");
    let conservation = at(Level::Conservation, ReplaceMode::Exact);
    assert!(conservation.letters.low > 0.9, "{conservation:?}");
}

#[test]
fn shared_symbols_alone_rank_by_chance_at_full() {
    let store = demo::corpus().unwrap();
    let at = |level| shortcut(&store, &replacer(level, ReplaceMode::Exact)).unwrap();
    assert!(at(Level::FULL).is_chance());
    assert!(!at(Level::Conservation).is_chance());
}
