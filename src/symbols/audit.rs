//! The audit: what a level changed over a corpus, and what still leaks.
//!
//! It reads the texts, not the mapping: it compares the proof before and after, position by position, and
//! the proof after with the statement. A *collision* is a symbol of the new proof that replaces two
//! different symbols of the old one: two names became one, or a new name collides with an existing one. A
//! *leak* is a symbol that statement and proof still share; each has a [`KeptReason`], and one that no rule
//! allows is *unexplained*. Both must be zero outside the reference mode.
//!
//! An audit is a fold: parts of a corpus can be audited apart and merged in any order.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::corpus::{Font, Pair};

use super::{
    letter::{LETTERS, Symbol},
    letter_set::{FONTS, SymbolSet},
    level::{Level, Setting},
    mentions::text_mentions,
    reading::Reading,
    replace::{KeptReason, Replacement},
};

/// What a level does to a corpus.
#[derive(Clone, Debug, Serialize)]
pub struct Audit {
    #[serde(serialize_with = "as_text")]
    pub setting: Setting,
    pub total: Tally,
    /// By primary category; pairs without one are under `unknown`.
    pub categories: BTreeMap<String, Tally>,
}

/// The counts over some pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    pub pairs: usize,
    /// Pairs whose proof is unchanged.
    pub untouched: usize,
    /// Different symbols that occur on both sides, summed over the pairs.
    pub shared_before: usize,
    pub shared_after: usize,
    /// Pairs that still share a symbol.
    pub pairs_sharing: usize,
    /// Symbols of the new proof that replace two or more of the old one.
    pub collisions: usize,
    /// Symbols of the old proof that became two or more, although no name is spelled with them.
    pub torn: usize,
    /// Leaks that no rule allows.
    pub unexplained: usize,
    /// Letters that now spell an operator by accident.
    pub accidental: usize,
    /// Replaced symbols, and their occurrences.
    pub replaced: usize,
    pub occurrences: usize,
    /// Occurrences of a replaced symbol in the proof's text, outside a formula.
    pub text_mentions: usize,
    /// What is still shared, and why.
    pub leaks: BTreeMap<KeptReason, Leak>,
}

/// How often a reason accounts for a symbol that is still shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Leak {
    pub symbols: usize,
    pub pairs: usize,
}

impl Audit {
    pub fn new(setting: Setting) -> Audit {
        Audit { setting, total: Tally::default(), categories: BTreeMap::new() }
    }

    /// Adds a pair of the given primary category and what became of it.
    pub fn observe(&mut self, category: &str, pair: &Pair, replacement: &Replacement) {
        let tally = Tally::of(self.setting.level, pair, replacement);
        let category = if category.is_empty() { "unknown" } else { category };
        match self.categories.get_mut(category) {
            Some(known) => known.merge(&tally),
            None => {
                self.categories.insert(category.to_owned(), tally.clone());
            }
        }
        self.total.merge(&tally);
    }

    /// Adds the audit of other pairs.
    #[must_use]
    pub fn merge(mut self, other: Audit) -> Audit {
        self.add(other);
        self
    }

    /// Adds the audit of other pairs to this one.
    pub fn add(&mut self, other: Audit) {
        self.total.merge(&other.total);
        for (category, tally) in other.categories {
            self.categories.entry(category).or_default().merge(&tally);
        }
    }
}

impl Tally {
    /// The counts of one pair.
    pub fn of(level: Level, pair: &Pair, replacement: &Replacement) -> Tally {
        let statement = Reading::of(&pair.statement);
        let before = Reading::of(&pair.proof);
        let after = Reading::of(&replacement.proof);
        let shared = statement.symbols().intersection(&after.symbols());
        let (collisions, torn) = compare(&before, &after);
        let mut tally = Tally {
            pairs: 1,
            untouched: usize::from(replacement.occurrences.is_empty()),
            shared_before: statement.symbols().intersection(&before.symbols()).len(),
            shared_after: shared.len(),
            pairs_sharing: usize::from(!shared.is_empty()),
            collisions,
            torn,
            accidental: replacement.accidental,
            replaced: replacement.mapping.len(),
            occurrences: replacement.occurrences.len(),
            text_mentions: text_mentions(&pair.proof, &replacement.mapping),
            ..Tally::default()
        };
        for symbol in shared.iter() {
            let is_free = statement.free.contains(symbol) && after.free.contains(symbol);
            let reason = if is_free { reason(level, symbol, replacement) } else { KeptReason::Name };
            let leak = tally.leaks.entry(reason).or_default();
            leak.symbols += 1;
            leak.pairs = 1;
            tally.unexplained += usize::from(!reason.is_allowed());
        }
        tally
    }

    fn merge(&mut self, other: &Tally) {
        let Tally {
            pairs,
            untouched,
            shared_before,
            shared_after,
            pairs_sharing,
            collisions,
            torn,
            unexplained,
            accidental,
            replaced,
            occurrences,
            text_mentions,
            leaks,
        } = other;
        self.pairs += pairs;
        self.untouched += untouched;
        self.shared_before += shared_before;
        self.shared_after += shared_after;
        self.pairs_sharing += pairs_sharing;
        self.collisions += collisions;
        self.torn += torn;
        self.unexplained += unexplained;
        self.accidental += accidental;
        self.replaced += replaced;
        self.occurrences += occurrences;
        self.text_mentions += text_mentions;
        for (reason, leak) in leaks {
            let known = self.leaks.entry(*reason).or_default();
            known.symbols += leak.symbols;
            known.pairs += leak.pairs;
        }
    }
}

impl KeptReason {
    /// Whether the rules allow a shared symbol for this reason.
    pub fn is_allowed(self) -> bool {
        !matches!(self, KeptReason::Missed | KeptReason::Reused | KeptReason::Unknown)
    }
}

/// Why a symbol of the new proof also occurs in the statement.
fn reason(level: Level, symbol: Symbol, replacement: &Replacement) -> KeptReason {
    if symbol.font == Font::DoubleStruck {
        return KeptReason::DoubleStruck;
    }
    let is_new_name = replacement.mapping.iter().any(|(_, to)| to == symbol);
    if is_new_name {
        return match level {
            _ if replacement.exhausted.contains(symbol.letter) => KeptReason::Exhausted,
            _ if replacement.coincident.contains(symbol.letter) => KeptReason::Coincidence,
            Level::Transposition => KeptReason::Level,
            _ => KeptReason::Reused,
        };
    }
    replacement.kept.iter().find(|kept| kept.symbol == symbol).map_or(KeptReason::Unknown, |kept| kept.reason)
}

/// Collisions and torn symbols, from the letters at the same places before and after.
fn compare(before: &Reading, after: &Reading) -> (usize, usize) {
    let mut origins = Links::default();
    let mut images = Links::default();
    let mut rest = after.sightings.iter().peekable();
    for old in before.free_sightings() {
        let place = (old.run, old.token);
        while rest.next_if(|new| (new.run, new.token) < place).is_some() {}
        match rest.next_if(|new| (new.run, new.token) == place) {
            Some(new) => {
                origins.link(new.symbol, old.symbol);
                images.link(old.symbol, new.symbol);
            }
            None => images.mark_torn(old.symbol),
        }
    }
    (origins.forked.len(), images.forked.len())
}

/// For each symbol the one it is linked to, and the symbols that are linked to several.
struct Links {
    to: Box<[[Option<Symbol>; LETTERS]; FONTS]>,
    forked: SymbolSet,
}

impl Default for Links {
    fn default() -> Links {
        Links { to: Box::new([[None; LETTERS]; FONTS]), forked: SymbolSet::default() }
    }
}

impl Links {
    fn link(&mut self, from: Symbol, to: Symbol) {
        let known = &mut self.to[from.font as usize][from.letter.index()];
        if known.is_some_and(|known| known != to) {
            self.forked.insert(from);
        }
        *known = Some(to);
    }

    /// The symbol is not even a letter any more.
    fn mark_torn(&mut self, from: Symbol) {
        self.forked.insert(from);
    }
}

fn as_text<S: serde::Serializer>(setting: &Setting, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(setting)
}
