//! Building a sparse index from the features of every statement and proof.
//!
//! Features arrive pair by pair, in the order of the corpus, and get their numbers at their first occurrence. When all are
//! there, frequencies are known, every text becomes a vector by the baseline's own weights, and the vectors are inverted.

use std::{collections::HashMap, io};

use super::{
    ContainerWriter, IndexKey, Side,
    candidates::temperature,
    sparse::{BLOCK, DIRECTORY, RECORD, RECORDS, ROWS, SparseHeader, columns, sizes, weights},
};
use crate::matching::{baseline::Weighting, scores::Measure};

/// Hashes of features with their counts, in the order of first occurrence.
pub type FeatureCounts = Vec<(u64, u32)>;

/// The features of a pair: of the proof and of the statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairFeatures {
    pub row: u32,
    pub proof: FeatureCounts,
    pub statement: FeatureCounts,
}

/// Collects the features of a corpus.
#[derive(Debug)]
pub struct SparseBuilder {
    weighting: Weighting,
    numbers: HashMap<u64, u32, IdentityState>,
    hashes: Vec<u64>,
    /// Proofs and statements with each feature.
    texts: [Vec<u32>; 2],
    rows: Vec<u32>,
    /// The texts of each side, concatenated: numbers and counts, ascending within a text.
    counted: [Counted; 2],
}

#[derive(Debug)]
struct Counted {
    ends: Vec<usize>,
    entries: Vec<(u32, u32)>,
}

/// Inverted lists of one side, concatenated in the order of the features' numbers.
struct Lists {
    starts: Vec<u64>,
    columns: Vec<u32>,
    weights: Vec<f32>,
}

impl SparseBuilder {
    pub fn new(weighting: Weighting) -> SparseBuilder {
        let counted = || Counted { ends: Vec::new(), entries: Vec::new() };
        SparseBuilder {
            weighting,
            numbers: HashMap::default(),
            hashes: Vec::new(),
            texts: Default::default(),
            rows: Vec::new(),
            counted: [counted(), counted()],
        }
    }

    /// Adds the next pair.
    pub fn add(&mut self, pair: &PairFeatures) {
        self.rows.push(pair.row);
        // A statement is numbered before its proof, as in evaluations.
        for (side, features) in [(Side::Statement, &pair.statement), (Side::Proof, &pair.proof)] {
            let start = self.counted[side as usize].entries.len();
            for &(hash, count) in features {
                let next = self.hashes.len() as u32;
                let number = *self.numbers.entry(hash).or_insert(next);
                if number == next {
                    self.hashes.push(hash);
                    self.texts.iter_mut().for_each(|texts| texts.push(0));
                }
                self.texts[side as usize][number as usize] += 1;
                self.counted[side as usize].entries.push((number, count));
            }
            let counted = &mut self.counted[side as usize];
            counted.entries[start..].sort_unstable();
            counted.ends.push(counted.entries.len());
        }
    }

    /// Writes the index. The statements of some columns, with their proofs, calibrate probabilities.
    pub fn write(self, key: IndexKey, calibration: &[u32], out: &mut dyn io::Write) -> io::Result<()> {
        let total = 2 * self.rows.len();
        let inverse: Vec<f64> = (0..self.hashes.len())
            .map(|number| {
                let texts = self.texts[0][number] + self.texts[1][number];
                self.weighting.inverse_frequency(texts, total)
            })
            .collect();
        let lists = Side::ALL.map(|side| self.invert(side, &inverse));
        let temperature = self.temperature(calibration, &lists[Side::Proof as usize], &inverse);
        let (records, directory) = self.records(&lists);
        let text_sizes = self.counted.each_ref().map(Counted::sizes);
        let mut writer = ContainerWriter::new();
        writer.array(ROWS, &self.rows);
        writer.array(RECORDS, &records);
        writer.array(DIRECTORY, &directory);
        let measure = self.weighting.measure();
        for side in Side::ALL {
            let Lists { columns: list, weights: values, .. } = &lists[side as usize];
            writer.array(columns(side), list);
            writer.array(weights(side), values);
            if measure == Measure::Dice {
                writer.array(sizes(side), &text_sizes[side as usize]);
            }
        }
        writer.write(SparseHeader { key, measure, temperature }, out)
    }

    fn invert(&self, side: Side, inverse: &[f64]) -> Lists {
        let texts = &self.texts[side as usize];
        let mut starts = Vec::with_capacity(texts.len());
        let mut total = 0u64;
        for &count in texts {
            starts.push(total);
            total += u64::from(count);
        }
        let (mut columns, mut weights) = (vec![0u32; total as usize], vec![0.0f32; total as usize]);
        let mut next = starts.clone();
        for (column, entries) in self.counted[side as usize].texts().enumerate() {
            for (number, weight) in self.weighting.vector(entries, |number| inverse[number as usize]) {
                let place = next[number as usize];
                (columns[place as usize], weights[place as usize]) = (column as u32, weight);
                next[number as usize] += 1;
            }
        }
        Lists { starts, columns, weights }
    }

    fn temperature(&self, calibration: &[u32], proofs: &Lists, inverse: &[f64]) -> f64 {
        let statements = &self.counted[Side::Statement as usize];
        let rows: Vec<(Vec<f32>, usize)> = calibration
            .iter()
            .map(|&column| {
                let mut scores = vec![0.0; self.rows.len()];
                let entries = statements.text(column as usize);
                for (number, weight) in self.weighting.vector(entries, |number| inverse[number as usize]) {
                    let start = proofs.starts[number as usize] as usize;
                    let range = start..start + self.texts[Side::Proof as usize][number as usize] as usize;
                    for (&proof, other) in proofs.columns[range.clone()].iter().zip(&proofs.weights[range]) {
                        scores[proof as usize] += weight * other;
                    }
                }
                (scores, column as usize)
            })
            .collect();
        temperature(&rows)
    }

    /// The records in the order of the hashes, and the first hash of each block.
    fn records(&self, lists: &[Lists; 2]) -> (Vec<u64>, Vec<u64>) {
        let mut order: Vec<u32> = (0..self.hashes.len() as u32).collect();
        order.sort_unstable_by_key(|&number| self.hashes[number as usize]);
        let mut records = Vec::with_capacity(RECORD * order.len());
        for &number in &order {
            let at = number as usize;
            let texts = u64::from(self.texts[0][at]) << 32 | u64::from(self.texts[1][at]);
            records.extend([
                self.hashes[at],
                u64::from(number),
                texts,
                lists[0].starts[at],
                lists[1].starts[at],
            ]);
        }
        let directory = records.chunks(RECORD * BLOCK).map(|block| block[0]).collect();
        (records, directory)
    }
}

impl Counted {
    fn text(&self, index: usize) -> &[(u32, u32)] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.entries[start..self.ends[index]]
    }

    fn texts(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        (0..self.ends.len()).map(|index| self.text(index))
    }

    fn sizes(&self) -> Vec<u32> {
        self.texts().map(|entries| entries.len() as u32).collect()
    }
}

/// The keys are hashes already.
type IdentityState = std::hash::BuildHasherDefault<IdentityHasher>;

#[derive(Clone, Copy, Debug, Default)]
struct IdentityHasher(u64);

impl std::hash::Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
