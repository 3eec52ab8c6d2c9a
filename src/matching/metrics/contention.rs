//! Contention: proofs that several statements choose.

use serde::{Deserialize, Serialize};

/// A proof and the statements whose local choice it is, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContestedProof {
    pub proof: u32,
    pub statements: Vec<u32>,
}

/// The statements that choose each proof under local decoding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contention {
    wanted: Vec<Vec<u32>>,
}

impl Contention {
    /// The contention of the choices of all statements.
    pub fn of(proofs: usize, choices: impl IntoIterator<Item = u32>) -> Contention {
        let mut wanted = vec![Vec::new(); proofs];
        for (statement, choice) in (0..).zip(choices) {
            wanted[choice as usize].push(statement);
        }
        Contention { wanted }
    }

    /// The statements that choose a proof.
    pub fn wanting(&self, proof: u32) -> &[u32] {
        &self.wanted[proof as usize]
    }

    /// Whether a proof is chosen by more than one statement.
    pub fn is_contested(&self, proof: u32) -> bool {
        self.wanting(proof).len() > 1
    }

    /// The contested proofs that most statements choose, in decreasing order.
    pub fn most_contested(&self, count: usize) -> Vec<ContestedProof> {
        let mut proofs: Vec<u32> =
            (0..self.wanted.len() as u32).filter(|&proof| self.is_contested(proof)).collect();
        proofs.sort_by_key(|&proof| (std::cmp::Reverse(self.wanting(proof).len()), proof));
        proofs.truncate(count);
        let wanted = |proof| ContestedProof { proof, statements: self.wanting(proof).to_vec() };
        proofs.into_iter().map(wanted).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_wanted_come_first() {
        let contention = Contention::of(5, [3, 1, 3, 1, 3, 0]);
        let wanted = contention.most_contested(9);
        assert_eq!(wanted[0], ContestedProof { proof: 3, statements: vec![0, 2, 4] });
        assert_eq!(wanted[1], ContestedProof { proof: 1, statements: vec![1, 3] });
        assert_eq!(wanted.len(), 2, "a proof that one statement wants is not contested");
    }
}
