//! Pairs as a batch that the model reads.

use crate::{
    base::rng::Rng,
    model::{Packed, tokenizer::TokenizedPairs},
};

/// Which tokens a step leaves out: a text of which other words are missing each time cannot be learnt by heart.
#[derive(Clone, Copy)]
pub(super) struct Thinning {
    /// The share of the tokens.
    pub share: f64,
    pub seed: u64,
    pub step: u64,
}

/// Shares are drawn to one in so many.
const FINE: usize = 1 << 20;

impl Thinning {
    #[cfg(test)]
    pub const NONE: Thinning = Thinning { share: 0.0, seed: 0, step: 0 };

    fn push(self, packed: &mut Packed, key: u64, tokens: &[u32]) {
        if self.share == 0.0 {
            packed.push(key, tokens);
            return;
        }
        let mut rng = Rng::named(self.seed, "left out", self.step, key);
        let mut stays = |_: &&u32| rng.below(FINE) as f64 >= self.share * FINE as f64;
        let kept: Vec<u32> = tokens.iter().filter(|token| stays(token)).copied().collect();
        packed.push(key, if kept.is_empty() { tokens } else { &kept });
    }
}

/// Statements, then their proofs in the same order. A document's key comes from its pair's row in the corpus,
/// so that dropout does not depend on where in a batch it stands.
pub(super) fn pack(documents: &TokenizedPairs, pairs: &[u32], thinning: Thinning) -> Packed {
    let mut packed = Packed::new();
    for &pair in pairs {
        let pair = pair as usize;
        thinning.push(&mut packed, 2 * u64::from(documents.row(pair)), documents.statement(pair));
    }
    for &pair in pairs {
        let pair = pair as usize;
        thinning.push(&mut packed, 2 * u64::from(documents.row(pair)) + 1, documents.proof(pair));
    }
    packed
}

/// One side of all pairs from `start` on, at most `count` of them.
pub(super) fn pack_side(documents: &TokenizedPairs, side: Side, start: usize, count: usize) -> Packed {
    let mut packed = Packed::new();
    for pair in start..(start + count).min(documents.len()) {
        packed.push(
            pair as u64,
            match side {
                Side::Statements => documents.statement(pair),
                Side::Proofs => documents.proof(pair),
            },
        );
    }
    packed
}

#[derive(Clone, Copy)]
pub(super) enum Side {
    Statements,
    Proofs,
}
