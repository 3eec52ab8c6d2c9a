//! Statements, proofs, and which belong together as far as that is known.

use std::collections::HashMap;

use crate::{
    base::rng::Rng,
    corpus::{
        exchange::{Collection, CollectionSide},
        split::{Part, Split},
        store::{Store, StoreError},
    },
};

/// Two collections.
#[derive(Clone, Debug, Default)]
pub struct MatchProblem {
    pub statements: Collection,
    pub proofs: Collection,
}

impl MatchProblem {
    /// Both sides of a corpus, or of a part of it.
    pub fn of_store(store: &Store, part: Option<(&Split, Part)>) -> Result<MatchProblem, StoreError> {
        Ok(MatchProblem {
            statements: Collection::of_store(store, CollectionSide::Statements, part)?,
            proofs: Collection::of_store(store, CollectionSide::Proofs, part)?,
        })
    }

    /// The proof of each statement, where a proof has the statement's id; `None` if no id occurs on both sides.
    pub fn gold(&self) -> Option<Vec<Option<u32>>> {
        let places: HashMap<&str, u32> = self.proofs.ids.iter().map(String::as_str).zip(0..).collect();
        let gold: Vec<Option<u32>> =
            self.statements.ids.iter().map(|id| places.get(id.as_str()).copied()).collect();
        gold.iter().any(Option::is_some).then_some(gold)
    }

    /// Removes the proofs of a share of the statements, so that these are strangers. Which ones depends on the seed and their ids.
    pub fn hide_proofs(&mut self, share: f64, seed: u64) {
        let mut order: Vec<(u64, usize)> = self
            .proofs
            .ids
            .iter()
            .enumerate()
            .map(|(place, id)| {
                let hash = blake3::hash(id.as_bytes());
                (Rng::from_hash(&hash).next_u64() ^ crate::base::rng::mix(seed), place)
            })
            .collect();
        order.sort_unstable_by_key(|&(key, place)| (crate::base::rng::mix(key), place));
        let count = (share * order.len() as f64).round() as usize;
        let mut is_hidden = vec![false; order.len()];
        order.iter().take(count).for_each(|&(_, place)| is_hidden[place] = true);
        self.proofs.keep(|place| !is_hidden[place]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{demo, split::Scheme};

    #[test]
    fn hidden_proofs_make_strangers() {
        let store = demo::corpus().unwrap();
        let split = store.split(Scheme::Mixed, None).unwrap();
        let mut problem = MatchProblem::of_store(&store, Some((&split, Part::Train))).unwrap();
        let total = problem.proofs.len();
        assert!(problem.gold().unwrap().iter().enumerate().all(|(row, gold)| *gold == Some(row as u32)));
        problem.hide_proofs(0.5, 3);
        assert_eq!(problem.proofs.len(), total - (total as f64 / 2.0).round() as usize);
        let gold = problem.gold().unwrap();
        assert_eq!(gold.iter().flatten().count(), problem.proofs.len());
        let mut other = MatchProblem::of_store(&store, Some((&split, Part::Train))).unwrap();
        other.hide_proofs(0.5, 4);
        assert_ne!(other.proofs.ids, problem.proofs.ids);
        other.proofs.ids.iter_mut().for_each(|id| id.insert(0, 'x'));
        assert_eq!(other.gold(), None);
    }
}
