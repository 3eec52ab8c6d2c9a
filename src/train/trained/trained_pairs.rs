//! Which of the evaluated pairs a model was trained on.
//!
//! In the training corpus, a pair is identified by its row: two splits may put it into different parts. In another
//! corpus it is identified by its content up to renaming, so that an article that was extracted or exported again,
//! at whatever level, is recognized.

use std::collections::HashSet;

use super::TrainedModel;
use crate::{
    base::task::CancelToken,
    corpus::{
        Pair, Passage, open_corpus,
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
        if store.fingerprint().to_string() == self.corpus.fingerprint {
            let trained: HashSet<u32> = self.own_split(store)?.rows(Part::Train).collect();
            return Ok(Contamination::of(evaluation, |verdict| trained.contains(&verdict.row)));
        }
        let trained = match self.trained_digests(digest, &CancelToken::new()) {
            Ok(digests) => digests,
            Err(why) => return Ok(Contamination::unchecked(evaluation, why)),
        };
        let here = contents(store, (split, part), digest, &CancelToken::new())?;
        let rows: HashSet<u32> =
            here.into_iter().filter(|(_, digest)| trained.contains(digest)).map(|(row, _)| row).collect();
        Ok(Contamination::of(evaluation, |verdict| rows.contains(&verdict.row)))
    }

    /// The number of statements, compared up to renaming, that the model was trained on; or why that cannot be checked.
    pub fn count_trained_on(&self, statements: &[Passage], cancel: &CancelToken) -> Result<usize, String> {
        let trained = self.trained_digests(|pair| digest_of(&[&pair.statement]), cancel)?;
        Ok(statements.iter().filter(|statement| trained.contains(&digest_of(&[statement]))).count())
    }

    /// Digests of the pairs that the model was trained on; or why they cannot be read.
    fn trained_digests(
        &self,
        digest: impl Fn(&Pair) -> u64,
        cancel: &CancelToken,
    ) -> Result<HashSet<u64>, String> {
        let path = self.corpus.path.display();
        let corpus = open_corpus(&self.corpus.path)
            .map_err(|error| format!("its corpus cannot be opened: {error}"))?;
        if corpus.fingerprint().to_string() != self.corpus.fingerprint {
            return Err(format!("its corpus {path} has changed since"));
        }
        let read = self
            .own_split(&corpus)
            .and_then(|split| contents(&corpus, (&split, Part::Train), digest, cancel));
        let found = read.map_err(|error| format!("its corpus {path} cannot be read: {error}"))?;
        Ok(found.into_iter().map(|(_, digest)| digest).collect())
    }

    fn own_split(&self, store: &Store) -> Result<Split, StoreError> {
        store.split(self.settings.split, self.settings.split_seed)
    }
}

/// The rows of a part with digests of their pairs.
fn contents(
    store: &Store,
    part: (&Split, Part),
    digest: impl Fn(&Pair) -> u64,
    cancel: &CancelToken,
) -> Result<Vec<(u32, u64)>, StoreError> {
    let mut found = Vec::new();
    store.for_each_pair(Some(part), |row, _, pair| {
        cancel.check()?;
        found.push((row, digest(pair)));
        Ok::<(), StoreError>(())
    })?;
    Ok(found)
}

/// A digest of the tokens of both sides up to renaming.
fn digest(pair: &Pair) -> u64 {
    digest_of(&[&pair.statement, &pair.proof])
}

fn digest_of(passages: &[&Passage]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for passage in passages {
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
