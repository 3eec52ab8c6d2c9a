//! The proofs of strangers: a sample of a corpus, from which the names of partial and full replacement are drawn.
//!
//! A level gives nothing away if a statement shares the same letters with its own proof as with the proofs of others. Which
//! letters those are depends on the corpus: X and F in algebraic geometry, n and ε in analysis. So the names of a pair are
//! taken from another proof of its corpus ([`stranger`](super::stranger)), out of a sample that is spread evenly over it.
//!
//! Not every pair can share as many letters as a stranger would: a proof whose only shared symbol has to move ends up with
//! none. The others have to make up for it, so with a certain frequency the names are taken from two proofs
//! instead of one. The frequency is calibrated on the sample, such that own and other pairs share equally many letters.
//!
//! A pair that was typed in belongs to no corpus, and a small corpus has too few proofs to draw from. For these the
//! program has a sample of the demo articles, `assets/symbols/strangers.tsv`: `matchbook replace demo --usage`.

use std::{
    fmt,
    sync::{Arc, LazyLock},
};

use rayon::prelude::*;

use crate::{
    base::rng::Rng,
    corpus::{
        Passage,
        store::{Store, StoreError},
    },
};

use super::{
    constants,
    family::Family,
    letter::{LETTERS, Symbol},
    letter_set::{FONTS, SymbolSet},
    reading::{Reading, letter_token},
    stranger::{self, Sides},
};

const TABLE: &str = include_str!("../../assets/symbols/strangers.tsv");

/// A sample of proofs, as sets of symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strangers {
    proofs: Vec<SymbolSet>,
    /// The number of proofs that use each letter, in any font.
    letters: [u32; LETTERS],
    /// The mean number of further proofs whose letters are used too, in thousandths.
    further: u32,
}

/// The maximal size of a sample, and the minimal size of a corpus that is sampled.
const MOST: u32 = 4_096;
const FEWEST: u32 = 100;
/// The maximal mean number of further proofs, in thousandths.
const MOST_FURTHER: u32 = 3_000;
const THOUSAND: f64 = 1_000.0;

impl Strangers {
    /// The sample that comes with the program.
    pub fn built_in() -> Arc<Strangers> {
        static BUILT_IN: LazyLock<Arc<Strangers>> = LazyLock::new(|| Arc::new(Strangers::parse(TABLE)));
        BUILT_IN.clone()
    }

    /// The sample of a corpus; the built-in one if the corpus is small.
    pub fn of(store: &Store) -> Result<Arc<Strangers>, StoreError> {
        store.derived(Strangers::sample)
    }

    fn sample(store: &Store) -> Result<Arc<Strangers>, StoreError> {
        let count = store.pair_count();
        if count < FEWEST {
            return Ok(Strangers::built_in());
        }
        let size = MOST.min(count);
        let mut pairs = Vec::with_capacity(size as usize);
        for place in 0..size {
            let row = (u64::from(place) * u64::from(count) / u64::from(size)) as u32;
            pairs.extend(store.passages(row..row + 1)?);
        }
        Ok(Arc::new(Strangers::calibrated(&pairs)))
    }

    fn calibrated(pairs: &[(u32, Passage, Passage)]) -> Strangers {
        let read = |(_, statement, proof): &(u32, Passage, Passage)| {
            let (statement, proof) = (Reading::of(statement), Reading::of(proof));
            let frozen = constants::constants(&statement, &proof);
            (Sides::new(&statement, &proof, frozen), Family::shared(&statement, &proof, frozen))
        };
        let sample: Vec<(Sides, Vec<Family>)> = pairs.par_iter().map(read).collect();
        let mut strangers = Strangers::new(sample.iter().map(|(sides, _)| *sides.proof()).collect());
        // What own pairs share beyond others grows almost in proportion to the number of proofs.
        let [one, two] = [0, 1_000].map(|further| {
            strangers.further = further;
            strangers.excess(&sample)
        });
        let zero = THOUSAND * one / (one - two);
        strangers.further =
            if zero.is_finite() { zero.clamp(0.0, f64::from(MOST_FURTHER)) as u32 } else { 0 };
        strangers
    }

    pub(super) fn new(proofs: Vec<SymbolSet>) -> Strangers {
        let mut letters = [0; LETTERS];
        for letter in proofs.iter().flat_map(|proof| proof.letters().iter()) {
            letters[letter.index()] += 1;
        }
        Strangers { proofs, letters, further: 0 }
    }

    /// What a pair of the sample shares at the full level, on average over letters and symbols, minus what a statement shares
    /// with the proof of another.
    fn excess(&self, sample: &[(Sides, Vec<Family>)]) -> f64 {
        let renamed = |(place, (sides, families)): (usize, &(Sides, Vec<Family>))| {
            let mut rng = Rng::named(1, "calibration", place as u64, 0);
            let moves = stranger::rename(families, families.len(), sides, self, &mut rng);
            (*sides.statement(), stranger::renamed(sides, &moves))
        };
        let pairs: Vec<(SymbolSet, SymbolSet)> = sample.par_iter().enumerate().map(renamed).collect();
        let mut counts = [Counts::default(), Counts::default()];
        for (statement, proof) in &pairs {
            for (counts, set) in counts.iter_mut().zip([statement, proof]) {
                set.letters().iter().for_each(|letter| counts.letters[letter.index()] += 1.0);
                set.iter().for_each(|symbol| counts.symbols[place_of(symbol)] += 1.0);
            }
        }
        let own: usize = pairs
            .iter()
            .map(|(statement, proof)| {
                statement.intersection(proof).len() + statement.letters().intersection(proof.letters()).len()
            })
            .sum();
        let [statements, proofs] = &counts;
        let all =
            product(&statements.letters, &proofs.letters) + product(&statements.symbols, &proofs.symbols);
        let (own, count) = (own as f64, pairs.len().max(2) as f64);
        own / count - (all - own) / (count * (count - 1.0))
    }

    /// The symbols that a stranger would use instead of those of a proof.
    pub fn draw(&self, proof: &SymbolSet, rng: &mut Rng) -> SymbolSet {
        let mut drawn = SymbolSet::default();
        let mut further = f64::from(self.further) / THOUSAND;
        loop {
            let place = rng.below_exact(self.proofs.len());
            // A proof is no stranger to itself.
            let mut others = self.proofs.iter().cycle().skip(place).take(self.proofs.len());
            if let Some(other) = others.find(|other| *other != proof) {
                drawn = drawn.union(other);
            }
            if rng.uniform() >= further {
                return drawn;
            }
            further -= 1.0;
        }
    }

    /// How often a letter is a name. No letter is impossible.
    pub fn weight(&self, letter: usize) -> f64 {
        0.3 + f64::from(self.letters[letter])
    }

    /// A line of symbols for each proof; the line `further` has the frequency. Lines with `#` are comments.
    fn parse(table: &str) -> Strangers {
        let mut further = 0;
        let mut proofs = Vec::new();
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            if let Some(number) = line.strip_prefix("further\t") {
                further = number.parse().unwrap_or(0);
            } else {
                let symbol = |token: &str| Some(letter_token(token, token.chars().next()?)?.0);
                proofs.push(line.split_ascii_whitespace().filter_map(symbol).collect());
            }
        }
        Strangers { further, ..Strangers::new(proofs) }
    }
}

/// The number of texts that use each letter and each symbol.
struct Counts {
    letters: [f64; LETTERS],
    symbols: [f64; LETTERS * FONTS],
}

impl Default for Counts {
    fn default() -> Counts {
        Counts { letters: [0.0; LETTERS], symbols: [0.0; LETTERS * FONTS] }
    }
}

fn place_of(symbol: Symbol) -> usize {
    symbol.font as usize * LETTERS + symbol.letter.index()
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The form of the built-in table.
impl fmt::Display for Strangers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "# the symbols of a sample of proofs: matchbook replace demo --usage")?;
        writeln!(out, "# further: how often the symbols of a further proof are used, in thousandths")?;
        writeln!(out, "further\t{}", self.further)?;
        for proof in &self.proofs {
            let symbols: Vec<String> = proof.iter().map(|symbol| symbol.to_string()).collect();
            writeln!(out, "{}", if symbols.is_empty() { "-".to_owned() } else { symbols.join(" ") })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_sample_is_that_of_the_demo() {
        let sample = Strangers::of(&crate::corpus::demo::corpus().unwrap()).unwrap();
        assert_eq!(sample, Strangers::built_in());
        assert_eq!(Strangers::parse(&sample.to_string()), *sample);
        assert!((100..1_000).contains(&sample.further), "{}", sample.further);
    }

    #[test]
    fn a_proof_is_no_stranger_to_itself() {
        let [one, other] = ["x y", "x z"].map(|line| Strangers::parse(line).proofs[0]);
        let strangers = Strangers::new(vec![one, other]);
        let mut rng = Rng::new(1);
        let drawn: Vec<SymbolSet> = (0..20).map(|_| strangers.draw(&one, &mut rng)).collect();
        assert!(drawn.contains(&other) && !drawn.contains(&one));
        assert_eq!(Strangers::new(Vec::new()).draw(&one, &mut rng), SymbolSet::default());
    }
}
