//! How well the symbols that a statement and a proof share identify the pair.
//!
//! The measure is the Jaccard index of the two sets of symbols, as a detector of the own proof among those of others:
//! the area under the ROC curve (AUC) is the probability that a gold pair has a greater index than a statement with the
//! proof of another, ties counting half. 0.5 gives nothing away, and both more and less give the answer away: a level
//! whose new names avoid the statement makes a low overlap the sign of the own proof. Double-struck letters, π and
//! spelled names, which no level renames, are left out.

use std::{cmp::Ordering, collections::HashMap};

use rayon::prelude::*;
use serde::Serialize;

use crate::corpus::{
    Pair,
    split::{Part, Split},
    store::{Store, StoreError},
};

use super::{
    Replacer,
    letter_set::{LetterSet, SymbolSet},
    reading::Reading,
};

/// The symbols of both sides of a pair after a level.
#[derive(Clone, Copy, Debug)]
pub struct SharedSymbols {
    pub statement: SymbolSet,
    pub proof: SymbolSet,
    statement_letters: LetterSet,
    proof_letters: LetterSet,
}

/// How well overlap detects the gold pairs of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OverlapReport {
    /// The pairs that were compared with one another.
    pub pairs: usize,
    /// Letters in whatever font.
    pub letters: Detection,
    /// Letters in their font.
    pub symbols: Detection,
}

/// The area under the ROC curve with its 95 % interval, and what is shared on average.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Detection {
    pub auc: f64,
    pub low: f64,
    pub high: f64,
    /// The mean number of letters that a proof shares with its own statement, and with the statements of others.
    pub own: f64,
    pub others: f64,
}

/// The maximal number of pairs that are compared; more are sampled, evenly over the corpus.
const MOST: usize = 5_000;
/// Pairs per batch; a batch is replaced in parallel and then dropped.
const BATCH: usize = 2_048;
/// The 97.5 % quantile of the normal distribution.
pub(super) const NORMAL: f64 = 1.96;

/// Measures overlap over a corpus at a level.
pub fn overlap(store: &Store, replacer: &Replacer) -> Result<OverlapReport, StoreError> {
    let mut pairs = shared_symbols(store, None, replacer)?;
    if pairs.len() > MOST {
        let count = pairs.len();
        pairs = (0..MOST).map(|place| pairs[place * count / MOST]).collect();
    }
    Ok(OverlapReport::of(&pairs))
}

/// The symbols of the pairs of a part, or of all pairs, at a level.
pub fn shared_symbols(
    store: &Store,
    part: Option<(&Split, Part)>,
    replacer: &Replacer,
) -> Result<Vec<SharedSymbols>, StoreError> {
    let read = |(categories, pair): &(Vec<String>, Pair)| {
        let pair = replacer.apply(pair, categories);
        let [statement, proof] = [&pair.statement, &pair.proof].map(|passage| Reading::of(passage).names());
        SharedSymbols::new(statement, proof)
    };
    let mut found = Vec::new();
    let mut batch: Vec<(Vec<String>, Pair)> = Vec::with_capacity(BATCH);
    store.for_each_pair(part, |_, article, pair| {
        batch.push((article.categories.clone(), pair.clone()));
        if batch.len() == BATCH {
            found.par_extend(batch.par_iter().map(read));
            batch.clear();
        }
        Ok::<(), StoreError>(())
    })?;
    found.par_extend(batch.par_iter().map(read));
    Ok(found)
}

impl SharedSymbols {
    pub fn new(statement: SymbolSet, proof: SymbolSet) -> SharedSymbols {
        let (statement_letters, proof_letters) = (statement.letters(), proof.letters());
        SharedSymbols { statement, proof, statement_letters, proof_letters }
    }

    /// The letters of the statement that another pair's proof has too.
    pub fn letters_with(&self, other: &SharedSymbols) -> LetterSet {
        self.statement_letters.intersection(other.proof_letters)
    }
}

impl OverlapReport {
    pub fn of(pairs: &[SharedSymbols]) -> OverlapReport {
        OverlapReport {
            pairs: pairs.len(),
            letters: Detection::of(pairs.len(), |statement, proof| {
                let (one, other) = (pairs[statement].statement_letters, pairs[proof].proof_letters);
                Fraction { shared: one.intersection(other).len(), of: one.union(other).len() }
            }),
            symbols: Detection::of(pairs.len(), |statement, proof| {
                let (one, other) = (&pairs[statement].statement, &pairs[proof].proof);
                let shared = one.intersection(other).len();
                Fraction { shared, of: one.len() + other.len() - shared }
            }),
        }
    }
}

/// The Jaccard index of two sets, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fraction {
    shared: usize,
    of: usize,
}

impl Fraction {
    fn compare(self, other: Fraction) -> Ordering {
        (self.shared * other.of.max(1)).cmp(&(other.shared * self.of.max(1)))
    }
}

impl Detection {
    /// Compares the own proof of each statement with all proofs of others.
    fn of(count: usize, overlap: impl Fn(usize, usize) -> Fraction + Sync) -> Detection {
        let own: Vec<Fraction> = (0..count).map(|place| overlap(place, place)).collect();
        let others: HashMap<Fraction, u64> = (0..count)
            .into_par_iter()
            .fold(HashMap::new, |mut counts, statement| {
                for proof in (0..count).filter(|proof| *proof != statement) {
                    *counts.entry(overlap(statement, proof)).or_default() += 1;
                }
                counts
            })
            .reduce(HashMap::new, |mut counts, more| {
                more.into_iter()
                    .for_each(|(fraction, number)| *counts.entry(fraction).or_default() += number);
                counts
            });
        let mut sorted: Vec<(Fraction, u64)> = others.into_iter().collect();
        sorted.sort_unstable_by(|(one, _), (other, _)| {
            one.compare(*other).then(one.shared.cmp(&other.shared)).then(one.of.cmp(&other.of))
        });
        let total: u64 = sorted.iter().map(|(_, number)| number).sum();
        let places: Vec<f64> = own.iter().map(|fraction| place(*fraction, &sorted, total)).collect();
        let (auc, error) = mean_and_error(&places);
        let shared_by_others: u64 =
            sorted.iter().map(|(fraction, number)| fraction.shared as u64 * number).sum();
        Detection {
            auc,
            low: auc - NORMAL * error,
            high: auc + NORMAL * error,
            own: own.iter().map(|fraction| fraction.shared as f64).sum::<f64>() / count.max(1) as f64,
            others: shared_by_others as f64 / total.max(1) as f64,
        }
    }

    /// Whether 0.5 is within the interval: overlap gives nothing away.
    pub fn is_neutral(&self) -> bool {
        (self.low..=self.high).contains(&0.5)
    }
}

/// The share of others below a value, those equal to it counting half.
fn place(value: Fraction, sorted: &[(Fraction, u64)], total: u64) -> f64 {
    if total == 0 {
        return 0.5;
    }
    let twice: u64 = sorted
        .iter()
        .map(|(other, number)| match other.compare(value) {
            Ordering::Less => 2 * number,
            Ordering::Equal => *number,
            Ordering::Greater => 0,
        })
        .sum();
    twice as f64 / (2 * total) as f64
}

/// The mean and its standard error.
pub(super) fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, (variance / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::Font,
        symbols::{Letter, Symbol},
    };

    fn set(letters: &str) -> SymbolSet {
        let letters = letters.chars().filter_map(Letter::from_char);
        letters.map(|letter| Symbol { letter, font: Font::Plain }).collect()
    }

    fn report(pairs: &[(&str, &str)]) -> OverlapReport {
        let symbols = pairs.iter().map(|(statement, proof)| SharedSymbols::new(set(statement), set(proof)));
        OverlapReport::of(&symbols.collect::<Vec<_>>())
    }

    #[test]
    fn overlap_identifies_the_pair_forwards_backwards_or_not_at_all() {
        let forwards = report(&[("ab", "ab"), ("cd", "cd"), ("ef", "ef")]);
        assert_eq!((forwards.letters.auc, forwards.symbols.auc), (1.0, 1.0));
        assert_eq!((forwards.letters.own, forwards.letters.others), (2.0, 0.0));
        let backwards = report(&[("a", "bc"), ("b", "ac"), ("c", "ab")]);
        assert_eq!(backwards.letters.auc, 0.0);
        let neutral = report(&[("a", "a"), ("a", "a"), ("a", "a")]);
        assert_eq!(neutral.letters.auc, 0.5);
        assert!(neutral.letters.is_neutral() && !forwards.letters.is_neutral());
    }

    #[test]
    fn a_small_set_counts_as_much_as_a_large_one() {
        // One of two letters is more than one of four; halves and quarters tie with their equals.
        let half = Fraction { shared: 1, of: 2 };
        assert_eq!(half.compare(Fraction { shared: 2, of: 4 }), Ordering::Equal);
        assert_eq!(half.compare(Fraction { shared: 1, of: 4 }), Ordering::Greater);
        assert_eq!(Fraction { shared: 0, of: 0 }.compare(Fraction { shared: 0, of: 9 }), Ordering::Equal);
    }
}
