//! The paper's assignment distribution: proofs by how many statements choose them under local decoding.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// A row of the paper's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
pub enum Bucket {
    #[serde(rename = ">=20")]
    #[strum(serialize = ">=20")]
    Twenty,
    #[serde(rename = ">=10")]
    #[strum(serialize = ">=10")]
    Ten,
    #[serde(rename = ">=5")]
    #[strum(serialize = ">=5")]
    Five,
    #[serde(rename = ">=2")]
    #[strum(serialize = ">=2")]
    Two,
    #[serde(rename = "=1")]
    #[strum(serialize = "=1")]
    One,
    #[serde(rename = "<1")]
    #[strum(serialize = "<1")]
    None,
}

/// The number of proofs per bucket. The first four are cumulative: a proof chosen 12 times is in three of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distribution {
    pub proofs: usize,
    pub counts: Vec<(Bucket, usize)>,
}

impl Bucket {
    pub const ALL: [Bucket; 6] =
        [Bucket::Twenty, Bucket::Ten, Bucket::Five, Bucket::Two, Bucket::One, Bucket::None];

    pub fn holds(self, chosen: u32) -> bool {
        match self {
            Bucket::Twenty => chosen >= 20,
            Bucket::Ten => chosen >= 10,
            Bucket::Five => chosen >= 5,
            Bucket::Two => chosen >= 2,
            Bucket::One => chosen == 1,
            Bucket::None => chosen == 0,
        }
    }

    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The number in the paper's table, of 52,755 proofs in total.
    pub fn paper(self) -> usize {
        match self {
            Bucket::Twenty => 7,
            Bucket::Ten => 80,
            Bucket::Five => 1_027,
            Bucket::Two => 11_949,
            Bucket::One => 19_531,
            Bucket::None => 21_275,
        }
    }
}

impl Distribution {
    /// The distribution of the choices of all statements.
    pub fn of(proofs: usize, choices: impl IntoIterator<Item = u32>) -> Distribution {
        let mut chosen = vec![0u32; proofs];
        for choice in choices {
            chosen[choice as usize] += 1;
        }
        let count = |bucket: Bucket| chosen.iter().filter(|&&chosen| bucket.holds(chosen)).count();
        Distribution { proofs, counts: Bucket::ALL.map(|bucket| (bucket, count(bucket))).to_vec() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative_as_in_the_paper() {
        let choices = [vec![0; 21], vec![1; 10], vec![2; 2], vec![3]].concat();
        let distribution = Distribution::of(6, choices);
        let counts: Vec<usize> = distribution.counts.iter().map(|(_, count)| *count).collect();
        assert_eq!(counts, [1, 2, 2, 3, 1, 2]);
    }

    #[test]
    fn the_last_three_buckets_hold_every_proof_once() {
        let counts = Distribution::of(9, [0, 0, 3, 4, 4, 4, 8]).counts;
        assert_eq!(counts[3..].iter().map(|(_, count)| count).sum::<usize>(), 9);
    }
}
