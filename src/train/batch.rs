//! Packs pairs into batches for the encoder.

use crate::{
    base::rng::Rng,
    model::{Packed, tokenizer::TokenizedPairs},
};

/// Drops random tokens of a text in each step, so that texts cannot be memorized.
#[derive(Clone, Copy)]
pub(super) struct TokenDropout {
    /// The share of tokens that are dropped.
    pub share: f64,
    pub seed: u64,
    pub step: u64,
}

/// The resolution of a random draw that is compared with a share.
const RESOLUTION: usize = 1 << 20;

impl TokenDropout {
    #[cfg(test)]
    pub const NONE: TokenDropout = TokenDropout { share: 0.0, seed: 0, step: 0 };

    fn push(self, packed: &mut Packed, key: u64, tokens: &[u32]) {
        if self.share == 0.0 {
            packed.push(key, tokens);
            return;
        }
        let mut rng = Rng::named(self.seed, "left out", self.step, key);
        let mut is_kept = |_: &&u32| rng.below(RESOLUTION) as f64 >= self.share * RESOLUTION as f64;
        let kept: Vec<u32> = tokens.iter().filter(|token| is_kept(token)).copied().collect();
        packed.push(key, if kept.is_empty() { tokens } else { &kept });
    }
}

/// Statements, then their proofs in the same order. A document's key comes from its pair's row in the corpus,
/// so that dropout does not depend on its position in the batch.
pub(super) fn pack(documents: &TokenizedPairs, pairs: &[u32], dropout: TokenDropout) -> Packed {
    let mut packed = Packed::new();
    for &pair in pairs {
        let pair = pair as usize;
        dropout.push(&mut packed, 2 * u64::from(documents.row(pair)), documents.statement(pair));
    }
    for &pair in pairs {
        let pair = pair as usize;
        dropout.push(&mut packed, 2 * u64::from(documents.row(pair)) + 1, documents.proof(pair));
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
