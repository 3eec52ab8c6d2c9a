//! Transposition: the shared families exchange their names, and none keeps its own.
//!
//! Where it can, a family gets the name of one of its kind: the same alphabet, and the same cases. Then
//! the proof has after the exchange exactly the symbols it had before, as the paper requires
//! of this level; if a small `n` and a capital `A` exchanged names, the proof would use `N` and `a`,
//! which were never introduced. Within a kind the derangement is drawn uniformly.
//!
//! A family that is the only one of its kind is worked into the exchange of the others, the nearest kind
//! first. It stays only when it is alone, or when no exchange exists that respects the letters which must
//! stay: then it is reported.
//!
//! Among few families of a kind every exchange may turn some product into the name of an operator. Then
//! a second try takes any derangement that the letters allow, without regard to kinds.

use crate::base::rng::Rng;

use super::{
    family::{Family, Name, lacks_fonts},
    fresh::{Move, has_own_capital},
    letter::Case,
    letter_set::LetterSet,
};

/// Exchanges the names of the families; a family without a move could not take part.
///
/// `frozen` are the letters that no renaming may produce.
pub fn transpose(families: &[Family], frozen: LetterSet, partners: Partners, rng: &mut Rng) -> Vec<Move> {
    let mut exchange = Exchange { families, frozen, target: vec![None; families.len()] };
    if partners == Partners::Any && exchange.derange_all(rng) {
        return exchange.moves();
    }
    let mut lonely = Vec::new();
    for kind in kinds(families) {
        match kind[..] {
            [] => {}
            [only] => lonely.push(only),
            _ => exchange.derange(&kind, rng),
        }
    }
    rng.shuffle(&mut lonely);
    exchange.pair_up(&mut lonely);
    for family in lonely {
        exchange.insert(family, rng);
    }
    exchange.moves()
}

/// With whom a family may exchange its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partners {
    /// Its kind, as far as there is one.
    Kin,
    Any,
}

/// Maximal number of random derangements before falling back to kinds.
const DRAWS: usize = 64;

struct Exchange<'a> {
    families: &'a [Family],
    frozen: LetterSet,
    /// For each family the one whose name it gets.
    target: Vec<Option<usize>>,
}

impl Exchange<'_> {
    /// A uniform derangement, by drawing until no family has its own name; 2.7 draws on average.
    fn derange(&mut self, members: &[usize], rng: &mut Rng) {
        let mut drawn = members.to_vec();
        loop {
            rng.shuffle(&mut drawn);
            if members.iter().zip(&drawn).all(|(one, other)| one != other) {
                break;
            }
        }
        for (member, target) in members.iter().zip(drawn) {
            self.target[*member] = Some(target);
        }
    }

    /// A derangement of all families that the letters allow, if one is found by drawing.
    fn derange_all(&mut self, rng: &mut Rng) -> bool {
        let mut drawn: Vec<usize> = (0..self.families.len()).collect();
        for _ in 0..DRAWS {
            rng.shuffle(&mut drawn);
            let is_allowed =
                |(one, other): (usize, &usize)| one != *other && self.cost(one, *other).is_some();
            if drawn.iter().enumerate().all(is_allowed) {
                self.target = drawn.into_iter().map(Some).collect();
                return true;
            }
        }
        false
    }

    /// If nothing moves yet, two compatible families without a kind start the exchange.
    fn pair_up(&mut self, lonely: &mut Vec<usize>) {
        if self.target.iter().any(Option::is_some) {
            return;
        }
        let mut best: Option<(u8, usize, usize)> = None;
        for (place, &one) in lonely.iter().enumerate() {
            for &other in &lonely[place + 1..] {
                if let (Some(there), Some(back)) = (self.cost(one, other), self.cost(other, one)) {
                    let cost = there + back;
                    if best.is_none_or(|(least, ..)| cost < least) {
                        best = Some((cost, one, other));
                    }
                }
            }
        }
        if let Some((_, one, other)) = best {
            self.target[one] = Some(other);
            self.target[other] = Some(one);
            lonely.retain(|family| *family != one && *family != other);
        }
    }

    /// Inserts a family between one that moves and its target: g → t becomes g → family → t.
    fn insert(&mut self, family: usize, rng: &mut Rng) {
        let mut least = u8::MAX;
        let mut places = Vec::new();
        for (before, after) in self.target.iter().enumerate() {
            let Some(after) = *after else { continue };
            if let (Some(there), Some(on)) = (self.cost(before, family), self.cost(family, after)) {
                let cost = there + on;
                if cost < least {
                    least = cost;
                    places.clear();
                }
                if cost == least {
                    places.push((before, after));
                }
            }
        }
        if let Some((before, after)) = rng.choose(&places) {
            self.target[before] = Some(family);
            self.target[family] = Some(after);
        }
    }

    /// How far a family goes from its kind when it takes another's name; `None` when it cannot.
    fn cost(&self, family: usize, target: usize) -> Option<u8> {
        let (family, target) = (&self.families[family], &self.families[target]);
        let images = family.images(&target.name, self.frozen)?;
        let same_alphabet = family.alphabet() == target.alphabet();
        let looks_latin = family.has(Case::Capital) && !has_own_capital(target.name.base);
        let is_new = !images.without(target.letters).is_empty();
        Some(8 * u8::from(looks_latin) + 2 * u8::from(is_new) + u8::from(!same_alphabet))
    }

    fn moves(&self) -> Vec<Move> {
        let name = |place: usize| -> Name { self.families[place].name };
        self.families
            .iter()
            .zip(&self.target)
            .filter_map(|(family, target)| {
                target.map(|target| Move { family: *family, to: name(target), is_exhausted: false })
            })
            .collect()
    }
}

/// The families by alphabet and cases; the few letters without fonts are apart, since not every family can
/// take their names.
fn kinds(families: &[Family]) -> Vec<Vec<usize>> {
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    let kind = |family: &Family| {
        let cases = (family.has(Case::Small), family.has(Case::Capital));
        (family.alphabet(), cases, lacks_fonts(family.letters))
    };
    for (place, family) in families.iter().enumerate() {
        match kinds.iter_mut().find(|members| kind(&families[members[0]]) == kind(family)) {
            Some(members) => members.push(place),
            None => kinds.push(vec![place]),
        }
    }
    kinds
}
