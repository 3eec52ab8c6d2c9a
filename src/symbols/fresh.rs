//! New names for partial and full replacement.
//!
//! Families are taken in a random order, and each gets a name that occurs on neither side, in no case,
//! font or form. Partial replacement stops after its share, so with one seed it changes a part of what full
//! replacement changes, to the same names.
//!
//! A mathematician keeps the alphabet, so Latin gets Latin and Greek gets Greek as long as there is
//! some. Letters that mislead (d as in dx, e, i, l like 1, o like 0) come after the others, then the other
//! alphabet, then Greek names whose capital looks Latin. When no name is left that occurs on neither side,
//! the fallback is a name that only the statement has, then one that an earlier family has just left; both
//! keep the renaming injective, leak a name, and are reported as exhausted. When there is none of those
//! either, the family keeps its name, and that is reported too.

use super::{
    family::{Family, Name},
    letter::{Alphabet, BASES, Base, Case, Letter},
    letter_set::LetterSet,
    random::Chance,
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

/// Gives new names to the first `count` families of a random order; a family that is not among the
/// moves found no name.
pub fn rename(families: &[Family], count: usize, occupied: &Occupied, chance: &mut Chance) -> Vec<Move> {
    let mut order: Vec<&Family> = families.iter().collect();
    chance.shuffle(&mut order);
    order.truncate(count);
    let mut pool = Pool::new(occupied);
    let mut moves = Vec::with_capacity(count);
    for family in order {
        let found = pool.draw(family, Stock::Fresh, chance).map(|to| (to, false)).or_else(|| {
            let reused = pool.draw(family, Stock::StatementOnly, chance);
            reused.or_else(|| pool.draw(family, Stock::Vacated, chance)).map(|to| (to, true))
        });
        if let Some((to, is_exhausted)) = found {
            pool.leave(family, occupied);
            moves.push(Move { family: *family, to, is_exhausted });
        }
    }
    moves
}

/// Where a name comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stock {
    Fresh,
    StatementOnly,
    Vacated,
}

struct Pool {
    /// For each base, where its name is to be had, if at all.
    stock: [Option<Stock>; BASES],
    frozen: LetterSet,
    /// Letters of the proof that still stand.
    standing: LetterSet,
}

impl Pool {
    fn new(occupied: &Occupied) -> Pool {
        let mut stock = [None; BASES];
        for base in Base::all() {
            let forms = forms(base);
            let in_proof = !forms.intersection(occupied.proof).is_empty();
            let in_statement = !forms.intersection(occupied.statement).is_empty();
            stock[base.index()] = match (in_proof, in_statement) {
                (true, _) => None,
                (false, true) => Some(Stock::StatementOnly),
                (false, false) => Some(Stock::Fresh),
            };
        }
        Pool { stock, frozen: occupied.frozen, standing: occupied.proof }
    }

    /// Draws a name of the best kind that the stock has and takes it out.
    fn draw(&mut self, family: &Family, stock: Stock, chance: &mut Chance) -> Option<Name> {
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
        let base = chance.choose(&names)?;
        self.stock[base.index()] = None;
        Some(Name::of(base))
    }

    /// The family has moved: its name is free unless another letter of the same base still stands.
    fn leave(&mut self, family: &Family, occupied: &Occupied) {
        self.standing = self.standing.without(family.letters);
        let base = family.name.base;
        let others =
            forms(base).intersection(self.standing.union(occupied.frozen.intersection(occupied.proof)));
        if others.is_empty() {
            self.stock[base.index()] = Some(Stock::Vacated);
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
        let misleads = is_misleading(base) || !forms(base).intersection(self.frozen).is_empty();
        Some(4 * u8::from(looks_latin) + 2 * u8::from(!same_alphabet) + u8::from(misleads))
    }
}

fn forms(base: Base) -> LetterSet {
    [base.small(), base.variant(), Some(base.capital())].into_iter().flatten().collect()
}

/// Greek capitals that TeX does not have, because they look like Latin ones.
pub fn has_own_capital(base: Base) -> bool {
    base.alphabet() == Alphabet::Latin || "ΓΔΘΛΞΠΣΥΦΨΩ".contains(base.capital().character())
}

fn is_misleading(base: Base) -> bool {
    base.small().map(Letter::character).is_some_and(|small| "deiloιουϵ".contains(small))
}

/// Digamma and the capital theta symbol can be replaced but are no names to give.
fn is_archaic(base: Base) -> bool {
    matches!(base.capital().character(), 'Ϝ' | 'ϴ')
}
