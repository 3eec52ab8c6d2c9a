//! One renaming for both sides of a pair, as data augmentation for training.
//!
//! A letter that statement and proof share is still shared, under another
//! name. A model that sees a pair under other names in every epoch cannot learn which letters go with which
//! topic, only that the same letters occur on both sides. No level does this, since levels remove information.
//!
//! Letters are permuted within their alphabet; Greek letters whose capital looks Latin are permuted among
//! themselves, because that capital is not in use. Constants, double-struck letters and names stay.

use crate::{
    base::rng::Rng,
    corpus::{Font, Pair},
};

use super::{
    constants::constants,
    family::Name,
    fresh::has_own_capital,
    letter::{BASES, Base, Symbol},
    letter_set::LetterSet,
    level::Seed,
    mapping::Mapping,
    pair_rng::pair_rng,
    reading::Reading,
    rewrite::rewrite_read,
};

/// The renamed pair, which is a function of seed and pair.
pub fn rename_together(pair: &Pair, seed: Seed) -> Pair {
    let (statement, proof) = (Reading::of(&pair.statement), Reading::of(&pair.proof));
    let frozen = constants(&statement, &proof);
    let places = exchanged(frozen, &mut pair_rng(seed, &pair.id, "both sides", 0));
    let change = |symbol: Symbol| {
        let base = symbol.letter.base();
        // A variant form (φ beside ϕ) would collide with the main one.
        let stays = symbol.font == Font::DoubleStruck || base.variant() == Some(symbol.letter);
        let letter = Name::of(places[base.index()]).form(symbol.letter.case())?;
        (!stays).then_some((symbol, letter))
    };
    let mapping = Mapping::new(statement.free.union(&proof.free).iter().filter_map(change));
    let mut renamed = pair.clone();
    renamed.statement = rewrite_read(&pair.statement, &statement, &mapping).0;
    renamed.proof = rewrite_read(&pair.proof, &proof, &mapping).0;
    renamed
}

/// The permutation of the bases; a base with a frozen form stays.
fn exchanged(frozen: LetterSet, rng: &mut Rng) -> [Base; BASES] {
    let all: Vec<Base> = Base::all().collect();
    let mut places: [Base; BASES] = std::array::from_fn(|index| all[index]);
    let moves = |base: &Base| {
        let is_archaic = matches!(base.capital().character(), 'Ϝ' | 'ϴ');
        LetterSet::forms(*base).intersection(frozen).is_empty() && !is_archaic
    };
    let mut kinds: Vec<_> = all.iter().map(|base| (base.alphabet(), has_own_capital(*base))).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let is_kin = |base: &Base| (base.alphabet(), has_own_capital(*base)) == kind;
        let from: Vec<Base> = all.iter().copied().filter(moves).filter(is_kin).collect();
        let mut to = from.clone();
        rng.shuffle(&mut to);
        from.iter().zip(to).for_each(|(from, to)| places[from.index()] = to);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::{Formula, Kind, PairId, Passage, Run},
        symbols::canonical,
    };

    fn passage(linear: &str) -> Passage {
        let mut passage = Passage::new();
        passage.push_text("Let x be");
        passage.push_formula(Formula { linear, ..Formula::default() });
        passage
    }

    fn linear(passage: &Passage) -> &str {
        let formula = |run| if let Run::Math(formula) = run { Some(formula.linear) } else { None };
        passage.runs().find_map(formula).unwrap_or_default()
    }

    #[test]
    fn both_sides_get_the_same_names_and_nothing_falls_together() {
        let mut before = Pair {
            id: PairId { article: "1".to_owned(), number: 1 },
            statement: passage("a + A = x____bold + R____double-struck + φ"),
            proof: passage("a = b + x____bold + ϕ + π + d i m V"),
            kind: Kind::default(),
            label: String::new(),
            title: String::new(),
            anchor: String::new(),
        };
        let both = |pair: &Pair| passage(&format!("{} ; {}", linear(&pair.statement), linear(&pair.proof)));
        for seed in 0..200 {
            let after = rename_together(&before, Seed(seed));
            assert_eq!(canonical(&both(&after)), canonical(&both(&before)), "{after:?}");
            assert!(linear(&after.statement).contains("R____double-struck"));
            assert!(linear(&after.proof).contains("π + d i m"));
        }
        let names = |pair: &Pair, seed| linear(&rename_together(pair, Seed(seed)).statement).to_owned();
        assert_eq!(names(&before, 1), names(&before, 1));
        assert_ne!(names(&before, 1), names(&before, 2));
        let first = names(&before, 1);
        before.id.number = 2;
        assert_ne!(names(&before, 1), first);
    }
}
