//! New names that occur on neither side: the disjoint rule of partial and full replacement.
//!
//! Families are taken in a random order, and each gets a name that occurs on neither side, in no case,
//! font or form. Partial replacement stops after its share, so with one seed it changes a part of what full
//! replacement changes, to the same names.
//!
//! A mathematician keeps the alphabet, so Latin gets Latin and Greek gets Greek as long as there is
//! some. Letters that mislead (d as in dx, e, i, l like 1, o like 0) come after the others, then the other
//! alphabet, then Greek names whose capital looks Latin. When no name is left that occurs on neither side,
//! the fallback is a name that only the statement has; then the families that still have none exchange
//! theirs; a last one takes a name that another family has left. All of these keep the renaming
//! injective, leak a name, and are reported as exhausted. A family for which even this fails keeps its
//! name, and that is reported too.

use crate::base::rng::Rng;

use super::{
    family::{Family, Name},
    letter::{Alphabet, BASES, Base, Case},
    letter_set::LetterSet,
    transpose::{Partners, transpose},
};

/// A family and its new name.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub family: Family,
    pub to: Name,
    /// No name was left that occurs on neither side.
    pub is_exhausted: bool,
}

/// Which letters are where, and which no renaming may produce.
#[derive(Clone, Copy, Debug)]
pub struct Occupied {
    /// Letters of the statement and of the proof, spelled names included.
    pub statement: LetterSet,
    pub proof: LetterSet,
    /// Constants and protected letters.
    pub frozen: LetterSet,
}

/// Draws new names for the first `count` families of a random order; a family without a move found no
/// name.
pub fn rename(families: &[Family], count: usize, occupied: &Occupied, rng: &mut Rng) -> Vec<Move> {
    let mut order: Vec<&Family> = families.iter().collect();
    rng.shuffle(&mut order);
    order.truncate(count);
    let mut pool = Pool::new(occupied);
    let mut moves = Vec::with_capacity(count);
    let mut without = Vec::new();
    for family in order {
        match pool.draw(family, Stock::Fresh, rng) {
            Some(to) => moves.push(Move { family: *family, to, is_exhausted: false }),
            None => without.push(*family),
        }
    }
    if !without.is_empty() {
        assign_fallbacks(without, pool, &mut moves, rng);
    }
    moves
}

/// Names for the families that found no fresh one.
fn assign_fallbacks(mut without: Vec<Family>, mut pool: Pool, moves: &mut Vec<Move>, rng: &mut Rng) {
    without.retain(|family| {
        let to = pool.draw(family, Stock::StatementOnly, rng);
        moves.extend(to.map(|to| Move { family: *family, to, is_exhausted: true }));
        to.is_none()
    });
    exchange_rest(without, pool, moves, rng);
}

/// Names for the families that found none at all: they exchange theirs, and a last one takes a name that another has
/// left.
pub(super) fn exchange_rest(mut without: Vec<Family>, mut pool: Pool, moves: &mut Vec<Move>, rng: &mut Rng) {
    let exchanged = transpose(&without, pool.frozen, Partners::Kin, rng);
    without.retain(|family| !exchanged.iter().any(|change| change.family == *family));
    pool.vacate(moves);
    moves.extend(exchanged.into_iter().map(|change| Move { is_exhausted: true, ..change }));
    for family in without {
        let to = pool.draw(&family, Stock::Vacated, rng);
        moves.extend(to.map(|to| Move { family, to, is_exhausted: true }));
    }
}

/// Where a name comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stock {
    Fresh,
    StatementOnly,
    Vacated,
}

pub(super) struct Pool {
    /// The stock of each base's name, if it is available.
    stock: [Option<Stock>; BASES],
    frozen: LetterSet,
    proof: LetterSet,
}

impl Pool {
    pub(super) fn new(occupied: &Occupied) -> Pool {
        let mut stock = [None; BASES];
        for base in Base::all() {
            let forms = LetterSet::forms(base);
            let in_proof = !forms.intersection(occupied.proof).is_empty();
            let in_statement = !forms.intersection(occupied.statement).is_empty();
            stock[base.index()] = match (in_proof, in_statement) {
                (true, _) => None,
                (false, true) => Some(Stock::StatementOnly),
                (false, false) => Some(Stock::Fresh),
            };
        }
        Pool { stock, frozen: occupied.frozen, proof: occupied.proof }
    }

    /// Draws a name of the best kind that the stock has and takes it out.
    fn draw(&mut self, family: &Family, stock: Stock, rng: &mut Rng) -> Option<Name> {
        let mut best = u8::MAX;
        let mut names = Vec::with_capacity(BASES);
        for base in Base::all().filter(|base| self.stock[base.index()] == Some(stock)) {
            let Some(rank) = self.rank(family, base) else { continue };
            if rank < best {
                best = rank;
                names.clear();
            }
            if rank == best {
                names.push(base);
            }
        }
        let base = rng.choose(&names)?;
        self.stock[base.index()] = None;
        Some(Name::of(base))
    }

    /// Frees the names of families that moved, unless another letter of the same base remains.
    fn vacate(&mut self, moves: &[Move]) {
        let moved = moves.iter().fold(LetterSet::EMPTY, |all, change| all.union(change.family.letters));
        let standing = self.proof.without(moved);
        for change in moves {
            let base = change.family.name.base;
            let is_given = moves.iter().any(|other| other.to.base == base);
            if LetterSet::forms(base).intersection(standing).is_empty() && !is_given {
                self.stock[base.index()] = Some(Stock::Vacated);
            }
        }
    }

    /// How well a name suits a family, from 0; `None` when it cannot be used.
    fn rank(&self, family: &Family, base: Base) -> Option<u8> {
        family.images(&Name::of(base), self.frozen)?;
        if is_archaic(base) {
            return None;
        }
        let same_alphabet = base.alphabet() == family.alphabet();
        let looks_latin = family.has(Case::Capital) && !has_own_capital(base);
        let misleads = is_misleading(base) || !LetterSet::forms(base).intersection(self.frozen).is_empty();
        Some(4 * u8::from(looks_latin) + 2 * u8::from(!same_alphabet) + u8::from(misleads))
    }
}

/// Greek capitals that TeX does not have, because they look like Latin ones.
pub fn has_own_capital(base: Base) -> bool {
    base.alphabet() == Alphabet::Latin
        || matches!(
            base.capital().character(),
            'Γ' | 'Δ' | 'Θ' | 'Λ' | 'Ξ' | 'Π' | 'Σ' | 'Υ' | 'Φ' | 'Ψ' | 'Ω'
        )
}

fn is_misleading(base: Base) -> bool {
    matches!(base.capital().character(), 'D' | 'E' | 'I' | 'L' | 'O' | 'Ι' | 'Ο' | 'Υ' | 'Ε')
}

/// Digamma and the capital theta symbol can be replaced but are not used as new names.
pub fn is_archaic(base: Base) -> bool {
    matches!(base.capital().character(), 'Ϝ' | 'ϴ')
}
