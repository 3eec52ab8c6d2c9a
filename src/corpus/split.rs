//! Splits: which pairs are for training, development and test, 80/10/10.
//!
//! The paper has two schemes. *Mixed* assigns single pairs, so that pairs of one article, with their
//! shared notation, are in several parts; *unmixed* assigns whole articles.
//!
//! A split is a function of the seed and of the ids of the pairs: pairs (or articles) are sorted by a keyed hash of their
//! ids and cut. It is therefore the same on any machine and does not depend on the order of the pairs in the corpus.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// How a corpus is split.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Scheme {
    /// By pair.
    Mixed,
    /// By article: no article is in two parts.
    Unmixed,
}

/// The part of a split.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Part {
    Train,
    Dev,
    Test,
}

/// The parts of all pairs of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    pub scheme: Scheme,
    /// The seed; `None` if the parts come from imported files.
    pub seed: Option<u64>,
    /// The part of each pair, by row.
    pub parts: Vec<Part>,
}

impl Split {
    /// Splits the pairs, given in row order by article and number in the article.
    pub fn deal<'a>(scheme: Scheme, seed: u64, pairs: impl IntoIterator<Item = (&'a str, u32)>) -> Split {
        let pairs: Vec<(&str, u32)> = pairs.into_iter().collect();
        let order = Order::new(scheme, seed);
        let parts = match scheme {
            Scheme::Mixed => deal_pairs(&order, &pairs),
            Scheme::Unmixed => deal_articles(&order, &pairs),
        };
        Split { scheme, seed: Some(seed), parts }
    }

    /// The part of a pair, if the corpus has that row.
    pub fn part(&self, row: u32) -> Option<Part> {
        self.parts.get(row as usize).copied()
    }

    /// The rows of a part, in order.
    pub fn rows(&self, part: Part) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.parts).filter(move |(_, found)| **found == part).map(|(row, _)| row)
    }

    /// The number of pairs in a part.
    pub fn count(&self, part: Part) -> usize {
        self.parts.iter().filter(|found| **found == part).count()
    }
}

impl Scheme {
    pub const ALL: [Scheme; 2] = [Scheme::Mixed, Scheme::Unmixed];

    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Part {
    pub const ALL: [Part; 3] = [Part::Train, Part::Dev, Part::Test];

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The byte that encodes the part in a corpus file.
    pub fn code(self) -> u8 {
        self as u8
    }

    pub fn from_code(code: u8) -> Option<Part> {
        Part::ALL.get(usize::from(code)).copied()
    }
}

/// The order in which ids are assigned: by their hash under a key derived from seed and scheme.
struct Order {
    key: [u8; 32],
}

/// A position in the order. Half a hash is enough: ties are broken by the id.
type Position = [u8; 16];

impl Order {
    fn new(scheme: Scheme, seed: u64) -> Order {
        let mut hasher = blake3::Hasher::new_derive_key("matchbook split, format 1");
        hasher.update(scheme.name().as_bytes());
        hasher.update(&seed.to_le_bytes());
        Order { key: *hasher.finalize().as_bytes() }
    }

    /// Article and number are separated by the zero byte, which no id contains.
    fn position(&self, article: &str, number: u32) -> Position {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(article.as_bytes()).update(&[0]).update(&number.to_le_bytes());
        let mut position = Position::default();
        position.copy_from_slice(&hasher.finalize().as_bytes()[..size_of::<Position>()]);
        position
    }
}

/// The size of the dev part, and of the test part, of `whole` pairs.
fn tenth(whole: usize) -> usize {
    // With three pairs or more no part is empty: a model must be testable.
    let least = usize::from(whole >= Part::ALL.len());
    ((whole + 5) / 10).max(least)
}

fn deal_pairs(order: &Order, pairs: &[(&str, u32)]) -> Vec<Part> {
    let mut ordered: Vec<(Position, usize)> = pairs
        .iter()
        .enumerate()
        .map(|(row, (article, number))| (order.position(article, *number), row))
        .collect();
    // Equal positions are equal pairs, whose order only affects their rows.
    ordered.sort_unstable();
    let tenth = tenth(pairs.len());
    let mut parts = vec![Part::Train; pairs.len()];
    for (index, (_, row)) in ordered.into_iter().enumerate().take(2 * tenth) {
        parts[row] = if index < tenth { Part::Dev } else { Part::Test };
    }
    parts
}

/// An article that is assigned as a whole.
struct Batch<'a> {
    article: &'a str,
    pairs: usize,
    part: Part,
}

fn deal_articles(order: &Order, pairs: &[(&str, u32)]) -> Vec<Part> {
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for (article, _) in pairs {
        *sizes.entry(article).or_default() += 1;
    }
    let mut batches: Vec<Batch<'_>> =
        sizes.into_iter().map(|(article, pairs)| Batch { article, pairs, part: Part::Train }).collect();
    batches.sort_by_cached_key(|batch| order.position(batch.article, 0));
    for part in [Part::Dev, Part::Test] {
        fill(&mut batches, part, tenth(pairs.len()));
    }
    let parts: HashMap<&str, Part> = batches.iter().map(|batch| (batch.article, batch.part)).collect();
    pairs.iter().map(|(article, _)| parts[article]).collect()
}

/// Takes articles, in order, as long as they fit, and then the one that brings the part nearest to its
/// size.
///
/// An article that is too large is skipped and does not end the loop: otherwise one book among short articles could
/// leave a part empty.
fn fill(batches: &mut [Batch<'_>], part: Part, target: usize) {
    let mut filled = 0;
    for batch in batches.iter_mut().filter(|batch| batch.part == Part::Train) {
        if filled + batch.pairs <= target {
            batch.part = part;
            filled += batch.pairs;
        }
    }
    let distance = |filled: usize| filled.abs_diff(target);
    let left = batches.iter().filter(|batch| batch.part == Part::Train).count();
    // An empty part is worse than a large one, if the parts after it get an article too.
    let is_needed = filled == 0 && left > if part == Part::Dev { 2 } else { 1 };
    let nearest = batches
        .iter_mut()
        .filter(|batch| batch.part == Part::Train)
        .min_by_key(|batch| distance(filled + batch.pairs));
    if let Some(batch) = nearest
        && (is_needed || distance(filled + batch.pairs) < distance(filled))
    {
        batch.part = part;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::rng::mix;

    /// Articles of the given sizes.
    fn corpus(sizes: &[usize]) -> Vec<(String, u32)> {
        let articles = sizes.iter().enumerate();
        articles.flat_map(|(index, &size)| (1..=size as u32).map(move |n| (format!("a{index}"), n))).collect()
    }

    fn deal(scheme: Scheme, seed: u64, pairs: &[(String, u32)]) -> Split {
        Split::deal(scheme, seed, pairs.iter().map(|(article, number)| (article.as_str(), *number)))
    }

    fn sizes(split: &Split) -> [usize; 3] {
        Part::ALL.map(|part| split.count(part))
    }

    #[test]
    fn a_hundred_pairs_are_cut_80_10_10() {
        let pairs = corpus(&[5; 20]);
        assert_eq!(sizes(&deal(Scheme::Mixed, 0, &pairs)), [80, 10, 10]);
        assert_eq!(sizes(&deal(Scheme::Unmixed, 0, &pairs)), [80, 10, 10]);
        assert_ne!(deal(Scheme::Mixed, 0, &pairs).parts, deal(Scheme::Mixed, 1, &pairs).parts);
    }

    /// Published results depend on the parts, so they are pinned.
    #[test]
    fn the_parts_of_a_seed_never_change() {
        let pairs = corpus(&[4, 3, 3]);
        let codes = |scheme| deal(scheme, 7, &pairs).parts.iter().map(|part| part.code()).collect::<Vec<_>>();
        assert_eq!(codes(Scheme::Mixed), [0, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
        assert_eq!(codes(Scheme::Unmixed), [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn one_huge_article_leaves_no_part_empty() {
        for seed in 0..50 {
            let split = deal(Scheme::Unmixed, seed, &corpus(&[50, 1, 2, 3, 4, 5, 6, 7, 8, 14]));
            let [_, dev, test] = sizes(&split);
            assert!(dev.abs_diff(10) <= 2 && test.abs_diff(10) <= 2, "{seed}: {dev} {test}");
        }
        for seed in 0..50 {
            assert!(sizes(&deal(Scheme::Unmixed, seed, &corpus(&[9, 9, 9]))).iter().all(|&size| size == 9));
        }
    }

    proptest! {
        /// No article is in two parts, and the parts do not depend on the order of the pairs.
        #[test]
        fn unmixed_keeps_articles_whole(
            counts in prop::collection::vec(1usize..12, 3..40),
            seed: u64,
            shuffle: u64,
        ) {
            let pairs = corpus(&counts);
            for scheme in Scheme::ALL {
                let split = deal(scheme, seed, &pairs);
                prop_assert!(sizes(&split).iter().all(|&size| size > 0));
                let mut moved: Vec<usize> = (0..pairs.len()).collect();
                moved.sort_by_key(|&index| mix(index as u64 ^ shuffle));
                let again = deal(scheme, seed, &moved.iter().map(|&at| pairs[at].clone()).collect::<Vec<_>>());
                for (row, &at) in moved.iter().enumerate() {
                    prop_assert_eq!(again.parts[row], split.parts[at]);
                }
                if scheme == Scheme::Unmixed {
                    let mut of_article = HashMap::new();
                    for ((article, _), part) in pairs.iter().zip(&split.parts) {
                        prop_assert_eq!(of_article.entry(article).or_insert(*part), part);
                    }
                }
            }
        }
    }
}
