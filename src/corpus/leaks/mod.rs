//! Leakage between the parts of a split: training texts that recur in the dev or test part.
//!
//! There are four kinds of leaks: an article in two parts (which a mixed split has by design), the same statement or
//! proof in two parts, nearly the same one (texts that share four fifths of their five-token shingles), and one that is
//! nearly the same up to renaming but not as it is written. Texts are compared as tokens, ignoring case and punctuation. What
//! "up to renaming" means is defined by the caller: this module does not know about symbols.
//!
//! A count is the number of pairs of the later part (dev after train, test after both) with a twin in the earlier part.
//! The check reads the corpus once, keeps about 600 bytes per pair, takes linear time, and is deterministic.

mod duplicates;
mod near;
mod sketch;

use std::{collections::HashMap, hash::Hash};

use serde::Serialize;

use self::sketch::Sketch;
pub use self::{
    duplicates::{DuplicateError, DuplicateRequest, find_duplicates},
    near::Side,
    sketch::{
        Shingled, Shingler, literal_shingles, shingle_hash, symbol_hash, text_hash, windows, word_hash,
    },
};
use super::{
    PairId,
    split::{Part, Split},
    store::{Store, StoreError},
};

/// Texts at least this similar (Jaccard similarity of their shingles) are nearly the same.
pub const NEARLY_THE_SAME: f64 = 0.8;

/// The number of examples for each kind of leak.
const EXAMPLES: usize = 5;

/// The leaks of each kind, in the order of [`LeakKind::ALL`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeakReport {
    pub leaks: Vec<Leak>,
}

/// One kind of leak.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Leak {
    pub kind: LeakKind,
    /// Pairs of the later part with a twin in the earlier one.
    pub train_dev: usize,
    pub train_test: usize,
    pub dev_test: usize,
    pub examples: Vec<LeakExample>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, strum::Display)]
#[serde(rename_all = "snake_case")]
pub enum LeakKind {
    #[strum(to_string = "same article")]
    SameArticle,
    #[strum(to_string = "same statement")]
    SameStatement,
    #[strum(to_string = "same proof")]
    SameProof,
    /// Similar without being the same.
    #[strum(to_string = "near-duplicate statement")]
    NearStatement,
    #[strum(to_string = "near-duplicate proof")]
    NearProof,
    /// Similar up to renaming, without being similar as it is written.
    #[strum(to_string = "near-duplicate statement up to renaming")]
    RenamedStatement,
    #[strum(to_string = "near-duplicate proof up to renaming")]
    RenamedProof,
}

/// A pair and its twin in an earlier part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeakExample {
    #[serde(serialize_with = "as_text")]
    pub pair: PairId,
    pub part: Part,
    #[serde(serialize_with = "as_text")]
    pub twin: PairId,
    pub twin_part: Part,
    /// Of the texts: 1 when they are the same. For articles it is 1 too.
    pub similarity: f64,
}

impl LeakReport {
    /// Finds leaks in a split of a corpus; `renamed` gives the shingles of a text up to renaming.
    pub fn of(store: &Store, split: &Split, renamed: Shingler) -> Result<LeakReport, StoreError> {
        let mut articles: Interned = Interned::default();
        let mut article_of_row = Vec::with_capacity(split.parts.len());
        let shinglers = [literal_shingles as Shingler, renamed];
        let mut sketches = [(); 2].map(|()| [Vec::new(), Vec::new()]);
        store.for_each_pair(None, |_, article, pair| {
            article_of_row.push(articles.key(&article.id));
            for (sketches, shingler) in sketches.iter_mut().zip(shinglers) {
                sketches[0].push(Sketch::of(&shingler(&pair.statement)));
                sketches[1].push(Sketch::of(&shingler(&pair.proof)));
            }
            Ok::<(), StoreError>(())
        })?;
        let parts = &split.parts;
        let mut found = vec![find_same(&article_of_row, parts)];
        let mut near = Vec::new();
        let mut renamed = Vec::new();
        for (place, side) in [near::Side::Statement, near::Side::Proof].into_iter().enumerate() {
            let [literal, up_to_renaming] = sketches.each_ref().map(|sketches| &sketches[place]);
            let texts: Vec<u64> = literal.iter().map(|sketch| sketch.text).collect();
            let same = find_same(&texts, parts);
            let similar = near::find(store, (side, shinglers[0]), literal, parts, &same)?;
            let known = same.or(&similar);
            renamed.push(near::find(store, (side, shinglers[1]), up_to_renaming, parts, &known)?);
            near.push(similar);
            found.push(same);
        }
        let leaks: Result<Vec<Leak>, StoreError> = LeakKind::ALL
            .into_iter()
            .zip(found.into_iter().chain(near).chain(renamed))
            .map(|(kind, twins)| twins.report(kind, store, parts))
            .collect();
        Ok(LeakReport { leaks: leaks? })
    }
}

impl LeakKind {
    pub const ALL: [LeakKind; 7] = [
        LeakKind::SameArticle,
        LeakKind::SameStatement,
        LeakKind::SameProof,
        LeakKind::NearStatement,
        LeakKind::NearProof,
        LeakKind::RenamedStatement,
        LeakKind::RenamedProof,
    ];
}

/// A pair's twin in an earlier part.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Twin {
    row: u32,
    similarity: f64,
}

/// For each pair its twins in the train part and in the dev part, as far as those are earlier parts.
struct Twins {
    of_row: Vec<[Option<Twin>; 2]>,
}

impl Twins {
    fn none(rows: usize) -> Twins {
        Twins { of_row: vec![[None; 2]; rows] }
    }

    /// The twins of either.
    fn or(&self, other: &Twins) -> Twins {
        let both = self.of_row.iter().zip(&other.of_row);
        Twins { of_row: both.map(|(one, other)| [one[0].or(other[0]), one[1].or(other[1])]).collect() }
    }

    fn report(&self, kind: LeakKind, store: &Store, parts: &[Part]) -> Result<Leak, StoreError> {
        let mut leak = Leak { kind, train_dev: 0, train_test: 0, dev_test: 0, examples: Vec::new() };
        for (row, (&part, twins)) in (0u32..).zip(parts.iter().zip(&self.of_row)) {
            for (&twin_part, twin) in EARLIER.iter().zip(twins) {
                let Some(twin) = twin else { continue };
                match (twin_part, part) {
                    (Part::Train, Part::Dev) => leak.train_dev += 1,
                    (Part::Train, _) => leak.train_test += 1,
                    _ => leak.dev_test += 1,
                }
                if leak.examples.len() < EXAMPLES
                    && let (Some((_, pair)), Some((_, other))) =
                        (store.pair_at(row)?, store.pair_at(twin.row)?)
                {
                    let similarity = twin.similarity;
                    leak.examples.push(LeakExample {
                        pair: pair.id,
                        part,
                        twin: other.id,
                        twin_part,
                        similarity,
                    });
                }
            }
        }
        Ok(leak)
    }
}

/// The parts before another one.
const EARLIER: [Part; 2] = [Part::Train, Part::Dev];

/// Finds twins by equal keys; the first one of a part represents all.
fn find_same<K: Copy + Eq + Hash>(keys: &[K], parts: &[Part]) -> Twins {
    let mut first: HashMap<K, [Option<u32>; 2]> = HashMap::new();
    for (row, (key, part)) in (0u32..).zip(keys.iter().zip(parts)) {
        if let Some(place) = EARLIER.iter().position(|earlier| earlier == part) {
            first.entry(*key).or_default()[place].get_or_insert(row);
        }
    }
    let mut twins = Twins::none(keys.len());
    for (found, (key, part)) in twins.of_row.iter_mut().zip(keys.iter().zip(parts)) {
        let Some(rows) = first.get(key) else { continue };
        for (place, _) in EARLIER.iter().enumerate().filter(|(_, earlier)| *earlier < part) {
            found[place] = rows[place].map(|row| Twin { row, similarity: 1.0 });
        }
    }
    twins
}

/// Maps strings to small integers.
#[derive(Default)]
struct Interned {
    keys: HashMap<String, u32>,
}

impl Interned {
    fn key(&mut self, name: &str) -> u32 {
        if let Some(&key) = self.keys.get(name) {
            return key;
        }
        let key = self.keys.len() as u32;
        self.keys.insert(name.to_owned(), key);
        key
    }
}

fn as_text<S: serde::Serializer>(id: &PairId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

#[cfg(test)]
mod tests;
