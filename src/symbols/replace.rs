//! A level applied to a pair.

use serde::Serialize;

use crate::corpus::{Font, Pair, Passage};

use super::{
    constants,
    family::Family,
    fresh::{self, Move},
    letter::{Letter, Symbol},
    letter_set::LetterSet,
    level::{Level, Naming, Seed},
    mapping::Mapping,
    operators::Operators,
    pair_rng::pair_rng,
    reading::Reading,
    rewrite::{self, Occurrence},
    stranger::{self, Sides},
    strangers::Strangers,
    transpose::{Partners, transpose},
};

/// A proof after replacement, with all details about it.
#[derive(Clone, Debug)]
pub struct Replacement {
    pub proof: Passage,
    pub mapping: Mapping,
    /// The original symbol at each changed position, in reading order.
    pub occurrences: Vec<Occurrence>,
    /// The shared symbols that kept their name, and why.
    pub kept: Vec<KeptSymbol>,
    /// New names that the statement also uses, because no others were left.
    pub exhausted: LetterSet,
    /// New names that the statement also uses, as a stranger's proof would.
    pub coincident: LetterSet,
    /// Letters that now belong to an accidental name (a product that spells `dim`), after all attempts to
    /// avoid it; 0 except for tiny alphabets.
    pub accidental: usize,
}

/// A symbol of both sides that was not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct KeptSymbol {
    pub symbol: Symbol,
    pub reason: KeptReason,
}

/// Why statement and proof still have a symbol in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptReason {
    /// π, Euler's number, the imaginary unit.
    Constant,
    Protected,
    DoubleStruck,
    /// The letters spell a name, such as d i m.
    Name,
    /// No other name was left.
    Exhausted,
    /// A new name that the statement also uses, as it shares letters with the proofs of others.
    Coincidence,
    /// There is no other family to exchange names with.
    Alone,
    /// The level does not replace it: the rest of partial replacement, or exchanged by transposition.
    Level,
    /// The reference program does not see this letter or this font.
    Missed,
    /// The reference program gave a name that the statement uses for something else.
    Reused,
    /// None of the above: a bug.
    Unknown,
}

/// Maximal number of draws if a product spells an operator.
const ATTEMPTS: u32 = 24;

/// Applies a level to a pair. Depends on nothing but its arguments; `protected` is empty without "+P".
pub fn replace(
    pair: &Pair,
    level: Level,
    seed: Seed,
    protected: LetterSet,
    strangers: &Strangers,
) -> Replacement {
    let statement = Reading::of(&pair.statement);
    let proof = Reading::of(&pair.proof);
    let constants = constants::constants(&statement, &proof);
    let frozen = constants.union(protected);
    let families = match level {
        Level::Conservation => Vec::new(),
        _ => Family::shared(&statement, &proof, frozen),
    };
    let sides = Sides::new(&statement, &proof, frozen);
    let draw = |attempt| draw((pair, level, seed), &families, &sides, strangers, attempt);

    let mut best = candidate(&proof, draw(0));
    for attempt in 1..ATTEMPTS {
        if best.accidental == 0 {
            break;
        }
        let again = candidate(&proof, draw(attempt));
        if again.accidental < best.accidental {
            best = again;
        }
    }
    let Candidate { moves, mapping, accidental } = best;
    let (written, occurrences) = rewrite::rewrite_read(&pair.proof, &proof, &mapping);
    let rules = KeptRules { level, constants, protected, families: &families };
    let given = |is_exhausted: bool| {
        moves
            .iter()
            .filter(|change| change.is_exhausted == is_exhausted)
            .filter_map(|change| change.family.images(&change.to, LetterSet::EMPTY))
            .fold(LetterSet::EMPTY, LetterSet::union)
    };
    let names_of_statement = match level.naming() {
        Some(Naming::Stranger) => statement.symbols().letters(),
        _ => LetterSet::EMPTY,
    };
    Replacement {
        kept: kept(&statement, &proof, &mapping, &rules),
        exhausted: given(true),
        coincident: given(false).intersection(names_of_statement),
        proof: written,
        mapping,
        occurrences,
        accidental,
    }
}

/// A drawn renaming.
struct Candidate {
    moves: Vec<Move>,
    mapping: Mapping,
    accidental: usize,
}

fn draw(
    (pair, level, seed): (&Pair, Level, Seed),
    families: &[Family],
    sides: &Sides,
    strangers: &Strangers,
    attempt: u32,
) -> Vec<Move> {
    // Partial and full replacement draw from one stream, so that one extends the other.
    let stream = |purpose| pair_rng(seed, &pair.id, purpose, attempt);
    let names = |naming, count| match naming {
        Naming::Stranger => {
            stranger::rename(families, count, sides, strangers, &mut stream("a stranger's names"))
        }
        Naming::Disjoint => fresh::rename(families, count, &sides.occupied, &mut stream("new names")),
    };
    match level {
        Level::Conservation => Vec::new(),
        Level::Partial(share, naming) => names(naming, share.of(families.len())),
        Level::Full(naming) => names(naming, families.len()),
        Level::Transposition => {
            let partners = if attempt < ATTEMPTS / 2 { Partners::Kin } else { Partners::Any };
            transpose(families, sides.occupied.frozen, partners, &mut stream("transposition"))
        }
    }
}

fn candidate(proof: &Reading, moves: Vec<Move>) -> Candidate {
    let mut to: [Option<Letter>; super::letter::LETTERS] = [None; super::letter::LETTERS];
    for change in &moves {
        for letter in change.family.letters.iter() {
            to[letter.index()] = change.to.form(letter.case());
        }
    }
    let changes = proof
        .free
        .iter()
        .filter(|symbol| symbol.font != Font::DoubleStruck)
        .filter_map(|symbol| to[symbol.letter.index()].map(|letter| (symbol, letter)));
    let mapping = Mapping::new(changes);
    let accidental = rewrite::accidental_names(proof, &mapping, Operators::listed());
    Candidate { moves, mapping, accidental }
}

/// What decides why a symbol kept its name.
struct KeptRules<'a> {
    level: Level,
    constants: LetterSet,
    protected: LetterSet,
    families: &'a [Family],
}

fn kept(statement: &Reading, proof: &Reading, mapping: &Mapping, rules: &KeptRules<'_>) -> Vec<KeptSymbol> {
    let free = statement.free.intersection(&proof.free);
    let shared = statement.symbols().intersection(&proof.symbols());
    shared
        .iter()
        .filter(|symbol| !free.contains(*symbol) || mapping.image(*symbol) == *symbol)
        .map(|symbol| {
            let reason = if free.contains(symbol) { rules.reason(symbol) } else { KeptReason::Name };
            KeptSymbol { symbol, reason }
        })
        .collect()
}

impl KeptRules<'_> {
    fn reason(&self, symbol: Symbol) -> KeptReason {
        if symbol.font == Font::DoubleStruck {
            return KeptReason::DoubleStruck;
        }
        if self.constants.contains(symbol.letter) {
            return KeptReason::Constant;
        }
        if self.protected.contains(symbol.letter) {
            return KeptReason::Protected;
        }
        match self.level {
            Level::Conservation | Level::Partial(..) => KeptReason::Level,
            Level::Transposition => KeptReason::Alone,
            Level::Full(_) if self.families.iter().any(|family| family.letters.contains(symbol.letter)) => {
                KeptReason::Exhausted
            }
            Level::Full(_) => KeptReason::Unknown,
        }
    }
}
