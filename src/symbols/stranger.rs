//! Names that a stranger would choose: the default rule of partial and full replacement.
//!
//! A level is meant to make the proof look as if another author had written it. Another author does not avoid the letters
//! of our statement but uses the letters that people use, and some of them are ours by chance. Avoiding them
//! ([`fresh`](super::fresh)) gives the answer away backwards: the proof that shares no letter with a statement is its
//! own. Drawing names blindly does too, since the letters that only the proof has are never in the statement, by
//! definition, and are not renamed. So the new names have to make up for those:
//!
//! 1. Draw names without a look at the statement, as often as mathematicians use each letter ([`Usage`]).
//! 2. Draw which symbols a stranger's statement of this size would use, and count what it shares with that proof:
//!    symbols in their font, letters in any font, and bases (a letter in either case).
//! 3. Draw the final names, by the same frequencies, such that the own statement shares as many with the proof.
//!
//! The families are named in a random order, and a name becomes free only after the family that had it has moved. The
//! first families of the order therefore are a renaming by themselves: partial replacement is a part of the full one.
//!
//! Strangers of a statement differ in the size of their proof, and strangers of a proof in the size of their statement,
//! whereas long statements have long proofs. Overlap in proportion to both sizes would exceed that of strangers, so it
//! grows with the size of the statement and the square root of that of the proof.

use std::sync::LazyLock;

use crate::{base::rng::Rng, corpus::Font};

use super::{
    family::{Family, Name},
    fresh::{self, Move, Occupied, Pool},
    letter::{BASES, Base, Case, LETTERS, Symbol},
    letter_set::{LetterSet, SymbolSet},
    reading::Reading,
    usage::{self, Usage},
};

/// Both sides of a pair as the rule sees them.
pub struct Sides {
    /// The symbols of the statement.
    statement: SymbolSet,
    /// The symbols of the proof that are not in a spelled name.
    free: SymbolSet,
    /// The symbols of the proof that overlap is about.
    proof: SymbolSet,
    /// The symbols of the proof, spelled names included.
    written: SymbolSet,
    pub occupied: Occupied,
}

/// The letters that two texts have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Overlap {
    symbols: i32,
    letters: i32,
    bases: i32,
}

/// How a new name meets the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    /// In a symbol: the same letter in the same font.
    Symbol,
    /// In a letter, in another font.
    Letter,
    /// In a base: the same letter in the other case or form.
    Base,
    /// Not at all.
    Nowhere,
}

/// What the rule knows of strangers.
struct Strangers {
    names: Vec<Name>,
    /// How often each letter is a name.
    weights: [f64; LETTERS],
    /// The symbols of statements, with the odds of each.
    odds: Vec<(Symbol, f64)>,
    known: SymbolSet,
    rare: f64,
    statement_size: f64,
    proof_size: f64,
}

/// The factor of the odds that corrects for what cannot be met: a proof whose only shared symbol has to move, or a
/// statement without a letter to spare, stays below the overlap of strangers. With it the AUC of the demo articles is 0.50.
const CORRECTION: f64 = 1.09;

/// Draws new names for the first `count` families of a random order; a family without a move found no name.
pub fn rename(families: &[Family], count: usize, sides: &Sides, rng: &mut Rng) -> Vec<Move> {
    let mut order: Vec<Family> = families.to_vec();
    rng.shuffle(&mut order);
    let mut draw = Draw::new(&order, sides);
    let mut missing = draw.target(rng).minus(Overlap::between(&sides.statement, &draw.staying));
    let mut moves = Vec::with_capacity(count);
    let mut without = Vec::new();
    for (place, family) in order.iter().enumerate().take(count) {
        let wanted = missing.wanted(order.len() - place, rng);
        match draw.name(family, wanted, rng) {
            Some((to, met)) => {
                missing = missing.minus(met);
                moves.push(Move { family: *family, to, is_exhausted: false });
            }
            None => without.push(*family),
        }
    }
    if !without.is_empty() {
        fresh::exchange_rest(without, Pool::new(&sides.occupied), &mut moves, rng);
    }
    moves
}

impl Sides {
    pub fn new(statement: &Reading, proof: &Reading, occupied: Occupied) -> Sides {
        let mut free = proof.free;
        free.clear_font(Font::DoubleStruck);
        let mut written = proof.symbols();
        written.clear_font(Font::DoubleStruck);
        Sides { statement: usage::symbols(statement), free, proof: usage::symbols(proof), written, occupied }
    }
}

impl Overlap {
    fn between(one: &SymbolSet, other: &SymbolSet) -> Overlap {
        let (letters, others) = (one.letters(), other.letters());
        let is_shared = |base: &Base| !LetterSet::forms(*base).intersection(others).is_empty();
        Overlap {
            symbols: one.intersection(other).len() as i32,
            letters: letters.intersection(others).len() as i32,
            bases: letters.bases().filter(is_shared).count() as i32,
        }
    }

    fn minus(self, other: Overlap) -> Overlap {
        Overlap {
            symbols: self.symbols - other.symbols,
            letters: self.letters - other.letters,
            bases: self.bases - other.bases,
        }
    }

    /// How the next of `rest` families should meet the statement, if this much is missing.
    fn wanted(self, rest: usize, rng: &mut Rng) -> Meeting {
        let mut place = rng.below_exact(rest) as i32;
        let counts = [
            (Meeting::Symbol, self.symbols),
            (Meeting::Letter, self.letters - self.symbols),
            (Meeting::Base, self.bases - self.letters),
        ];
        for (meeting, count) in counts {
            if place < count {
                return meeting;
            }
            place -= count.max(0);
        }
        Meeting::Nowhere
    }
}

impl Meeting {
    /// The kinds of names that are tried, in this order.
    fn preferences(self) -> [Meeting; 4] {
        use Meeting::{Base, Letter, Nowhere, Symbol};
        match self {
            Symbol => [Symbol, Letter, Base, Nowhere],
            Letter => [Letter, Nowhere, Symbol, Base],
            Base => [Base, Nowhere, Letter, Symbol],
            Nowhere => [Nowhere, Base, Letter, Symbol],
        }
    }
}

/// Names being drawn for the families of a pair.
struct Draw<'a> {
    strangers: &'static Strangers,
    order: &'a [Family],
    sides: &'a Sides,
    /// The symbols of the proof that keep their names at the full level.
    staying: SymbolSet,
    /// The bases of letters that keep their names, spelled names included.
    kept: [u8; BASES],
    /// The bases of names that cannot be given: how many families or letters that keep their names hold each.
    held: [u8; BASES],
}

impl<'a> Draw<'a> {
    fn new(order: &'a [Family], sides: &'a Sides) -> Draw<'a> {
        let strangers = Strangers::built_in();
        let moving: SymbolSet = order.iter().flat_map(|family| members(family, sides)).collect();
        // A letter that is also part of a spelled name stays there.
        let unnamed = sides.written.without(&sides.free).union(&sides.written.without(&moving));
        let mut kept = [0; BASES];
        unnamed.letters().bases().for_each(|base| kept[base.index()] += 1);
        let mut held = kept;
        order.iter().for_each(|family| held[family.name.base.index()] += 1);
        Draw { strangers, order, sides, staying: sides.proof.without(&moving), kept, held }
    }

    /// What the proof would share with a stranger's statement of this size.
    fn target(&self, rng: &mut Rng) -> Overlap {
        let strangers = self.strangers;
        let mut proof = self.staying;
        let mut held = self.kept;
        for family in self.order {
            let names = self.candidates(family, &held);
            if let Some((name, _)) = weighted(&names, |(_, weight)| *weight, rng) {
                held[name.base.index()] += 1;
                images(family, &name, self.sides).for_each(|symbol| proof.insert(symbol));
            }
        }
        let sizes = (self.sides.statement.len() as f64, self.sides.proof.len().max(1) as f64);
        let scale = CORRECTION * sizes.0 / strangers.statement_size * (strangers.proof_size / sizes.1).sqrt();
        let mut is_used = |odds: f64| {
            let odds = odds * scale;
            rng.uniform() < odds / (1.0 + odds)
        };
        let bases = proof.letters();
        let mut statement = SymbolSet::default();
        for (symbol, odds) in &strangers.odds {
            let concerns = !LetterSet::forms(symbol.letter.base()).intersection(bases).is_empty();
            if concerns && is_used(*odds) {
                statement.insert(*symbol);
            }
        }
        for symbol in proof.without(&strangers.known).iter() {
            if is_used(strangers.rare) {
                statement.insert(symbol);
            }
        }
        Overlap::between(&statement, &proof)
    }

    /// Draws a name for a family that meets the statement as wanted, or as near to it as names allow.
    fn name(&mut self, family: &Family, wanted: Meeting, rng: &mut Rng) -> Option<(Name, Overlap)> {
        let letters = self.sides.statement.letters();
        let met = |name: &Name| {
            let images: SymbolSet = images(family, name, self.sides).collect();
            let overlap = Overlap::between(&images, &self.sides.statement);
            let is_base_shared = !LetterSet::forms(name.base).intersection(letters).is_empty();
            Overlap { bases: i32::from(is_base_shared), ..overlap }
        };
        let names: Vec<(Name, f64, Overlap)> = self
            .candidates(family, &self.held)
            .into_iter()
            .map(|(name, weight)| (name, weight, met(&name)))
            .collect();
        let (name, overlap) = wanted.preferences().iter().find_map(|meeting| {
            let fitting: Vec<&(Name, f64, Overlap)> =
                names.iter().filter(|(_, _, overlap)| meeting_of(*overlap) == *meeting).collect();
            weighted(&fitting, |(_, weight, _)| *weight, rng).map(|(name, _, overlap)| (*name, *overlap))
        })?;
        self.held[family.name.base.index()] -= 1;
        self.held[name.base.index()] += 1;
        Some((name, overlap))
    }

    /// The names that a family can be given, with their weights: those of its own alphabet, if there are any.
    fn candidates(&self, family: &Family, held: &[u8; BASES]) -> Vec<(Name, f64)> {
        let is_free = |name: &&Name| held[name.base.index()] == 0 && name.base != family.name.base;
        let fitting = |same_alphabet: bool| {
            let names = self.strangers.names.iter().filter(is_free);
            names
                .filter(|name| (name.base.alphabet() == family.alphabet()) == same_alphabet)
                .filter_map(|name| Some((*name, self.weight(family, name)?)))
                .collect::<Vec<_>>()
        };
        let own = fitting(true);
        if own.is_empty() { fitting(false) } else { own }
    }

    /// How often the name's letters are used, in the cases that the family has; `None` if it cannot have the name.
    fn weight(&self, family: &Family, name: &Name) -> Option<f64> {
        let images = family.images(name, self.sides.occupied.frozen)?;
        if family.has(Case::Capital) && !fresh::has_own_capital(name.base) {
            return None;
        }
        images.iter().map(|letter| self.strangers.weights[letter.index()]).reduce(f64::min)
    }
}

/// The symbols of the proof that a family consists of.
fn members<'a>(family: &'a Family, sides: &'a Sides) -> impl Iterator<Item = Symbol> + 'a {
    sides.free.iter().filter(move |symbol| family.letters.contains(symbol.letter))
}

fn images<'a>(family: &'a Family, name: &'a Name, sides: &'a Sides) -> impl Iterator<Item = Symbol> + 'a {
    members(family, sides).filter_map(move |symbol| {
        Some(Symbol { letter: name.form(symbol.letter.case())?, font: symbol.font })
    })
}

fn meeting_of(overlap: Overlap) -> Meeting {
    match overlap {
        Overlap { symbols: 1.., .. } => Meeting::Symbol,
        Overlap { letters: 1.., .. } => Meeting::Letter,
        Overlap { bases: 1.., .. } => Meeting::Base,
        _ => Meeting::Nowhere,
    }
}

/// One of the items, in proportion to their weights.
fn weighted<T: Copy>(items: &[T], weight: impl Fn(&T) -> f64, rng: &mut Rng) -> Option<T> {
    let total: f64 = items.iter().map(&weight).sum();
    let mut place = rng.uniform() * total;
    for item in items {
        place -= weight(item);
        if place < 0.0 {
            return Some(*item);
        }
    }
    // Rounding may leave a rest.
    items.last().copied()
}

impl Strangers {
    fn built_in() -> &'static Strangers {
        static BUILT_IN: LazyLock<Strangers> = LazyLock::new(|| Strangers::new(Usage::built_in()));
        &BUILT_IN
    }

    fn new(usage: &Usage) -> Strangers {
        let usual = Base::all().filter(|base| !fresh::is_archaic(*base));
        let is_dotless =
            |name: &Name| super::family::lacks_fonts(name.form(Case::Small).into_iter().collect());
        let names = usual
            .flat_map(|base| [Some(Name::of(base)), Name::variant_of(base)])
            .flatten()
            .filter(|name| !is_dotless(name))
            .collect();
        let odds: Vec<(Symbol, f64)> = usage.statement_odds().collect();
        let (statement_size, proof_size) = usage.sizes();
        Strangers {
            names,
            weights: usage.letters(),
            known: odds.iter().map(|(symbol, _)| *symbol).collect(),
            odds,
            rare: usage.rare_odds(),
            statement_size,
            proof_size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_asked_for_as_long_as_there_are_families() {
        let mut rng = Rng::new(1);
        let missing = Overlap { symbols: 1, letters: 2, bases: 2 };
        let wanted: Vec<Meeting> = (0..300).map(|_| missing.wanted(3, &mut rng)).collect();
        let count = |meeting| wanted.iter().filter(|wanted| **wanted == meeting).count();
        assert!((70..130).contains(&count(Meeting::Symbol)) && (70..130).contains(&count(Meeting::Letter)));
        assert_eq!(count(Meeting::Base), 0);
        // More is shared than by strangers: the rest avoids the statement.
        let surplus = Overlap { symbols: -2, letters: -2, bases: -2 };
        assert!((0..50).all(|_| surplus.wanted(2, &mut rng) == Meeting::Nowhere));
        assert_eq!(Overlap { symbols: 5, letters: 5, bases: 5 }.wanted(2, &mut rng), Meeting::Symbol);
    }

    #[test]
    fn a_weight_is_a_share_of_the_draws() {
        let mut rng = Rng::new(2);
        let drawn =
            (0..4_000).filter(|_| weighted(&[1.0, 3.0], |weight| *weight, &mut rng) == Some(3.0)).count();
        assert!((2_800..3_200).contains(&drawn), "{drawn}");
        assert_eq!(weighted(&[] as &[f64], |weight| *weight, &mut rng), None);
    }
}
