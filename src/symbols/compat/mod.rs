//! `--compat reference`: the choices of the program that made the published numbers.
//!
//! Our levels are exact; those of the authors' release are not, and a comparison with the paper's
//! numbers needs theirs. What it does differently:
//!
//! - it sees Latin letters, and small Greek ones without π, in fonts whose `mathvariant` has no hyphen;
//!   capital Greek, ϵ, ϕ and other forms, bold italic or sans-serif letters are missed
//! - a shared symbol is a shared letter, whatever the font on either side
//! - full and partial replacement draw from every letter that is not proof-only, so a new name may be one
//!   that the statement uses, and with partial one that the proof still uses; Greek letters in two fonts
//!   get two names
//! - partial replacement takes its share of the font variants, halves to even; case companions follow
//! - transposition moves no companions, so a capital that only the proof has may be overwritten
//! - listed words are merged into one token first, at every level and on both sides ([`words`])
//! - nothing is protected, and `e` and `i` are variables
//!
//! Its random numbers came from an unseeded generator, so this reproduces the distribution of its
//! choices, not the choices.

mod choose;
pub mod words;

use crate::corpus::{Font, Pair};

use super::{
    letter::{Alphabet, Case, Symbol},
    letter_set::{LetterSet, SymbolSet},
    level::{Level, Seed},
    operators::Operators,
    pair_rng::pair_rng,
    reading::Reading,
    replace::{KeptReason, KeptSymbol, Replacement},
    rewrite,
};

/// Applies a level as the reference does, to a pair whose words have been merged.
///
/// `protected` is empty in the release; letters in it keep both their cases, as its code would.
pub fn replace(pair: &Pair, level: Level, seed: Seed, protected: LetterSet) -> Replacement {
    let statement = visible_reading(&pair.statement);
    let proof = visible_reading(&pair.proof);
    let both_cases: LetterSet = protected
        .iter()
        .flat_map(|letter| [letter.base().small(), Some(letter.base().capital())])
        .flatten()
        .collect();
    let sides = choose::Sides::new(&statement.free, &proof.free, both_cases);
    let mut rng = pair_rng(seed, &pair.id, level.name(), 0);
    let mapping = match level {
        Level::Conservation => Default::default(),
        Level::Partial(share, _) => sides.partial(share, &mut rng),
        Level::Full(_) => sides.full(&mut rng),
        Level::Transposition => sides.transposition(&mut rng),
    };
    let (written, occurrences) = rewrite::rewrite_read(&pair.proof, &proof, &mapping);
    let whole = Reading::of(&pair.proof);
    let shared = Reading::of(&pair.statement).symbols().intersection(&whole.symbols());
    let kept = shared
        .iter()
        .filter_map(|symbol| {
            let stays = mapping.image(symbol) == symbol;
            // A letter that carries its font in the character is always missed.
            let is_missed = !stays && whole.styled.contains(symbol.letter);
            let reason = if is_missed { KeptReason::Missed } else { reason(symbol, level, both_cases) };
            (stays || is_missed).then_some(KeptSymbol { symbol, reason })
        })
        .collect();
    Replacement {
        proof: written,
        mapping,
        occurrences,
        kept,
        exhausted: LetterSet::EMPTY,
        coincident: LetterSet::EMPTY,
        accidental: 0,
    }
}

/// Whether the reference's patterns find a symbol.
pub fn is_visible(symbol: Symbol) -> bool {
    let is_named = matches!(
        symbol.font,
        Font::Plain | Font::Italic | Font::Bold | Font::Fraktur | Font::Script | Font::Monospace
    );
    let letter = symbol.letter;
    let is_listed = match letter.base().alphabet() {
        Alphabet::Latin => letter.character().is_ascii(),
        Alphabet::Greek => {
            letter.case() == Case::Small && "αβγδεζηθικλμνξορστυφχψω".contains(letter.character())
        }
    };
    is_named && is_listed
}

/// The letters of a passage that the reference finds.
fn visible_reading(passage: &crate::corpus::Passage) -> Reading {
    let mut reading = Reading::with(passage, &Operators::parse(""));
    reading.sightings.retain(|sighting| !sighting.is_styled && is_visible(sighting.symbol));
    reading.chains.clear();
    reading.free = reading.sightings.iter().map(|sighting| sighting.symbol).collect::<SymbolSet>();
    reading
}

fn reason(symbol: Symbol, level: Level, protected: LetterSet) -> KeptReason {
    if symbol.font == Font::DoubleStruck {
        return KeptReason::DoubleStruck;
    }
    if symbol.letter.character() == 'π' {
        return KeptReason::Constant;
    }
    match level {
        Level::Conservation => KeptReason::Level,
        _ if !is_visible(symbol) => KeptReason::Missed,
        _ if protected.contains(symbol.letter) => KeptReason::Protected,
        Level::Partial(..) => KeptReason::Level,
        Level::Transposition => KeptReason::Alone,
        Level::Full(_) => KeptReason::Exhausted,
    }
}
