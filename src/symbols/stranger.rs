//! Names that a stranger would choose: the default rule of partial and full replacement.
//!
//! A level is meant to make the proof look as if another author had written it. Another author does not avoid the letters
//! of our statement but uses the letters that people use, and some of them are ours by chance. Avoiding them
//! ([`fresh`](super::fresh)) gives the answer away backwards: the proof that shares no letter with a statement is its
//! own. Drawing names blindly does too, since the letters that only the proof has are never in the statement, by
//! definition, and are not renamed. So the new names have to make up for those:
//!
//! 1. Draw the proof of a stranger from the corpus ([`Strangers`]).
//! 2. The letters that this proof shares with our statement are those that our proof shall share with it: in the same
//!    font if the stranger's are. Give them to families as far as possible.
//! 3. Give the other families letters that the statement does not use, preferably the stranger's.
//!
//! The proof then shares with its statement what a random proof would share: as many letters, the same letters, in the same
//! fonts. A ranker that sees only which symbols are shared has nothing to go by.
//!
//! Families are named one after the other, and a name becomes free only after the family that had it has moved. The
//! first families therefore are a renaming by themselves: partial replacement is a part of the full one. Families whose own
//! letter is to be shared go first, in random order, so that others can take it.

use crate::{base::rng::Rng, corpus::Font};

use super::{
    family::{self, Family, Name},
    fresh::{self, Move, Occupied, Pool},
    letter::{BASES, Base, Case, Symbol},
    letter_set::{LetterSet, SymbolSet},
    reading::Reading,
    strangers::Strangers,
};

/// Both sides of a pair as the rule sees them.
pub struct Sides {
    /// The symbols of the statement that overlap is about.
    statement: SymbolSet,
    /// The symbols of the proof that are not in a spelled name.
    free: SymbolSet,
    /// The symbols of the proof that overlap is about.
    proof: SymbolSet,
    /// The symbols of the proof, spelled names included.
    written: SymbolSet,
    pub occupied: Occupied,
}

/// Draws new names for the first `count` families; a family without a move found no name.
pub fn rename(
    families: &[Family],
    count: usize,
    sides: &Sides,
    strangers: &Strangers,
    rng: &mut Rng,
) -> Vec<Move> {
    let stranger = strangers.draw(&sides.proof, rng);
    let mut order: Vec<Family> = families.to_vec();
    rng.shuffle(&mut order);
    let mut draw = Draw::new(&order, sides, strangers, &stranger);
    order.sort_by_key(|family| LetterSet::forms(family.name.base).intersection(draw.letters).is_empty());
    let mut moves = Vec::with_capacity(count);
    let mut without = Vec::new();
    for family in order.iter().take(count) {
        match draw.name(family, rng) {
            Some(to) => moves.push(Move { family: *family, to, is_exhausted: false }),
            None => without.push(*family),
        }
    }
    if !without.is_empty() {
        fresh::exchange_rest(without, Pool::new(&sides.occupied), &mut moves, rng);
    }
    moves
}

/// The symbols of the proof that overlap is about, after these moves.
pub fn renamed(sides: &Sides, moves: &[Move]) -> SymbolSet {
    let image = |symbol: Symbol| {
        let moved = moves.iter().find(|change| change.family.letters.contains(symbol.letter));
        let letter = moved.and_then(|change| change.to.form(symbol.letter.case()));
        Symbol { letter: letter.unwrap_or(symbol.letter), ..symbol }
    };
    sides.proof.iter().map(image).collect()
}

impl Sides {
    /// The sides of a pair with letters that no renaming may change or produce.
    pub fn new(statement: &Reading, proof: &Reading, frozen: LetterSet) -> Sides {
        let occupied =
            Occupied { statement: statement.symbols().letters(), proof: proof.symbols().letters(), frozen };
        let mut free = proof.free;
        free.clear_font(Font::DoubleStruck);
        let mut written = proof.symbols();
        written.clear_font(Font::DoubleStruck);
        Sides { statement: statement.names(), free, proof: proof.names(), written, occupied }
    }

    pub fn statement(&self) -> &SymbolSet {
        &self.statement
    }

    pub fn proof(&self) -> &SymbolSet {
        &self.proof
    }
}

/// Names being drawn for the families of a pair.
struct Draw<'a> {
    strangers: &'a Strangers,
    sides: &'a Sides,
    /// The letters of the statement, and those that the stranger uses.
    statement: LetterSet,
    used: LetterSet,
    /// The symbols and letters of the statement that the proof should still get.
    symbols: SymbolSet,
    letters: LetterSet,
    /// How many letters it should still get in another font than the statement's.
    in_other_fonts: usize,
    /// How many families or letters that keep their names hold each base; a held base cannot be given.
    held: [u8; BASES],
}

impl<'a> Draw<'a> {
    fn new(order: &[Family], sides: &'a Sides, strangers: &'a Strangers, stranger: &SymbolSet) -> Draw<'a> {
        let moving: SymbolSet = order.iter().flat_map(|family| members(family, sides)).collect();
        // A letter that is also part of a spelled name stays there.
        let kept = sides.written.without(&sides.free).union(&sides.written.without(&moving));
        let mut held = [0; BASES];
        kept.letters().bases().for_each(|base| held[base.index()] += 1);
        order.iter().for_each(|family| held[family.name.base.index()] += 1);
        let staying = sides.proof.without(&moving);
        let shared = sides.statement.letters().intersection(stranger.letters());
        let symbols = sides.statement.intersection(stranger).without(&staying);
        let letters = shared.without(staying.letters());
        Draw {
            strangers,
            sides,
            statement: sides.statement.letters(),
            used: stranger.letters(),
            symbols,
            letters,
            in_other_fonts: letters.without(symbols.letters()).len(),
            held,
        }
    }

    /// Draws one of the names that suit a family best.
    fn name(&mut self, family: &Family, rng: &mut Rng) -> Option<Name> {
        let mut best = i32::MIN;
        let mut names: Vec<(Name, f64)> = Vec::new();
        for (name, weight) in self.candidates(family) {
            let merit = self.merit(family, &name);
            if merit > best {
                best = merit;
                names.clear();
            }
            if merit == best {
                names.push((name, weight));
            }
        }
        let name = weighted(&names, rng)?;
        for symbol in images(family, &name, self.sides) {
            if self.statement.contains(symbol.letter) && !self.sides.statement.contains(symbol) {
                self.in_other_fonts = self.in_other_fonts.saturating_sub(1);
            }
            self.letters.remove(symbol.letter);
            self.symbols = self.symbols.without(&[symbol].into_iter().collect());
        }
        self.held[family.name.base.index()] -= 1;
        self.held[name.base.index()] += 1;
        Some(name)
    }

    /// How much nearer a name brings the proof to what it should share. Best are the symbols that the stranger shares, then
    /// the letters that it shares in another font, then any letter in another font in place of such a one. Names outside
    /// the statement are neutral, the stranger's before others; a letter too many costs more than any of these is worth.
    fn merit(&self, family: &Family, name: &Name) -> i32 {
        let mut merit = 0;
        let mut is_used = false;
        for symbol in images(family, name, self.sides) {
            is_used |= self.used.contains(symbol.letter);
            let is_in_font = self.sides.statement.contains(symbol);
            merit += match (self.letters.contains(symbol.letter), is_in_font) {
                _ if !self.statement.contains(symbol.letter) => 0,
                (true, true) if self.symbols.contains(symbol) => 4,
                (true, true) => -4,
                // The letter is wanted in the statement's font.
                (true, false) if self.symbols.letters().contains(symbol.letter) => 0,
                (true, false) => 3,
                (false, true) => -8,
                (false, false) if self.in_other_fonts > 0 => 2,
                (false, false) => -4,
            };
        }
        if merit == 0 { i32::from(is_used) } else { merit }
    }

    /// The names that a family can be given, with their weights: those of its own alphabet, if there are any.
    fn candidates(&self, family: &Family) -> Vec<(Name, f64)> {
        let is_free = |name: &Name| self.held[name.base.index()] == 0 && name.base != family.name.base;
        let fitting = |same_alphabet: bool| {
            all_names()
                .filter(is_free)
                .filter(|name| (name.base.alphabet() == family.alphabet()) == same_alphabet)
                .filter_map(|name| Some((name, self.weight(family, &name)?)))
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
        images.iter().map(|letter| self.strangers.weight(letter.index())).reduce(f64::min)
    }
}

/// Every name that can be given.
fn all_names() -> impl Iterator<Item = Name> {
    let is_dotless = |name: &Name| family::lacks_fonts(name.form(Case::Small).into_iter().collect());
    Base::all()
        .filter(|base| !fresh::is_archaic(*base))
        .flat_map(|base| [Some(Name::of(base)), Name::variant_of(base)])
        .flatten()
        .filter(move |name| !is_dotless(name))
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

/// One of the items, in proportion to their weights.
fn weighted<T: Copy>(items: &[(T, f64)], rng: &mut Rng) -> Option<T> {
    let total: f64 = items.iter().map(|(_, weight)| weight).sum();
    let mut place = rng.uniform() * total;
    for (item, weight) in items {
        place -= weight;
        if place < 0.0 {
            return Some(*item);
        }
    }
    // Rounding may leave a rest.
    items.last().map(|(item, _)| *item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Formula, Passage};

    /// The letters that the proof shares with its statement after full replacement, if the stranger's proof is this one.
    fn shared(statement: &str, proof: &str, stranger: &str) -> Vec<String> {
        let read = |linear: &str| {
            let mut passage = Passage::new();
            passage.push_formula(Formula { linear, ..Formula::default() });
            Reading::of(&passage)
        };
        let (statement, proof, stranger) = (read(statement), read(proof), read(stranger));
        let sides = Sides::new(&statement, &proof, LetterSet::EMPTY);
        let families = Family::shared(&statement, &proof, LetterSet::EMPTY);
        let strangers = Strangers::new(vec![stranger.names()]);
        let moves = rename(&families, families.len(), &sides, &strangers, &mut Rng::new(1));
        assert_eq!(moves.len(), families.len());
        let shared = renamed(&sides, &moves).intersection(sides.statement());
        shared.iter().map(|symbol| symbol.to_string()).collect()
    }

    #[test]
    fn a_proof_shares_what_the_strangers_proof_shares() {
        // The letter of another family, and a letter that only the statement has.
        assert_eq!(shared("a + b + c", "a + b + x", "b + u"), ["b"]);
        assert_eq!(shared("a + b + c", "a + b + x", "c + u"), ["c"]);
        assert_eq!(shared("a + b + c", "a + b + x", "u + v"), [""; 0]);
        // In the same font only.
        assert_eq!(shared("A + B + F____script", "A + B", "F + u"), [""; 0]);
        assert_eq!(shared("F____script + G____script", "F____script + x", "G____script"), ["G____script"]);
        // The only family cannot keep its name.
        assert_eq!(shared("a", "a + x", "a"), [""; 0]);
    }

    #[test]
    fn a_weight_is_a_share_of_the_draws() {
        let mut rng = Rng::new(2);
        let drawn = (0..4_000).filter(|_| weighted(&[('a', 1.0), ('b', 3.0)], &mut rng) == Some('b')).count();
        assert!((2_800..3_200).contains(&drawn), "{drawn}");
        assert_eq!(weighted(&[] as &[(char, f64)], &mut rng), None);
    }
}
