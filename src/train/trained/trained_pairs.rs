//! Which of the evaluated pairs a model was trained on.
//!
//! In the training corpus, a pair is identified by its row: two splits may put it into different parts. In another
//! corpus it is identified by its content up to renaming, so that an article that was extracted or exported again,
//! at whatever level, is recognized.

use std::collections::HashSet;

use super::TrainedModel;
use crate::{
    corpus::{
        Pair, open_corpus,
        split::{Part, Split},
        store::{Store, StoreError},
    },
    matching::evaluation::{Contamination, Evaluation},
    symbols::canonical,
};

impl TrainedModel {
    /// Compares the pairs of an evaluation with those that the model was trained on.
    pub(super) fn contamination(
        &self,
        store: &Store,
        (split, part): (&Split, Part),
        evaluation: &Evaluation,
    ) -> Result<Contamination, StoreError> {
        let own_split = |store: &Store| store.split(self.settings.split, self.settings.split_seed);
        if store.fingerprint().to_string() == self.corpus.fingerprint {
            let trained: HashSet<u32> = own_split(store)?.rows(Part::Train).collect();
            return Ok(Contamination::of(evaluation, |verdict| trained.contains(&verdict.row)));
        }
        let path = self.corpus.path.display();
        let trained: HashSet<u64> = match open_corpus(&self.corpus.path) {
            Ok(corpus) if corpus.fingerprint().to_string() == self.corpus.fingerprint => {
                let split = own_split(&corpus)?;
                contents(&corpus, (&split, Part::Train))?.into_iter().map(|(_, digest)| digest).collect()
            }
            Ok(_) => {
                let why = format!("its corpus {path} has changed since");
                return Ok(Contamination::unchecked(evaluation, why));
            }
            Err(error) => {
                let why = format!("its corpus cannot be opened: {error}");
                return Ok(Contamination::unchecked(evaluation, why));
            }
        };
        let here = contents(store, (split, part))?;
        let rows: HashSet<u32> =
            here.into_iter().filter(|(_, digest)| trained.contains(digest)).map(|(row, _)| row).collect();
        Ok(Contamination::of(evaluation, |verdict| rows.contains(&verdict.row)))
    }
}

/// The rows of a part with digests of their pairs.
fn contents(store: &Store, part: (&Split, Part)) -> Result<Vec<(u32, u64)>, StoreError> {
    let mut found = Vec::new();
    store.for_each_pair(Some(part), |row, _, pair| {
        found.push((row, digest(pair)));
        Ok::<(), StoreError>(())
    })?;
    Ok(found)
}

/// A digest of the tokens of both sides up to renaming.
fn digest(pair: &Pair) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for passage in [&pair.statement, &pair.proof] {
        for token in canonical(passage).tokens() {
            hasher.update(token.to_string().as_bytes());
            hasher.update(b" ");
        }
        hasher.update(b"\n");
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::demo,
        symbols::{Level, Replacer, Seed},
    };

    #[test]
    fn a_pair_is_recognized_at_every_level_and_no_two_pairs_are_alike() {
        let store = demo::corpus().unwrap();
        let replacers = Level::ALL.map(|level| Replacer::exact(level.into(), Seed(1)).unwrap());
        let (mut digests, mut count, mut alike) = (HashSet::new(), 0, 0);
        store
            .for_each_pair(None, |_, article, pair| {
                count += 1;
                digests.insert(digest(pair));
                let is_alike =
                    |replacer: &Replacer| digest(&replacer.apply(pair, &article.categories)) == digest(pair);
                alike += usize::from(replacers.iter().all(is_alike));
                Ok::<(), StoreError>(())
            })
            .unwrap();
        assert_eq!(digests.len(), count);
        // A product whose letters come to spell a function name is tokenized differently.
        assert!(alike + 3 >= count, "{alike} of {count}");
    }
}
