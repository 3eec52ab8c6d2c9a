//! Pairs as a batch that the model reads.

use crate::{model::Packed, text::Documents};

/// Statements, then their proofs in the same order. A document's key comes from its pair's row in the corpus,
/// so that dropout does not depend on where in a batch it stands.
pub(super) fn pack(documents: &Documents, pairs: &[u32]) -> Packed {
    let mut packed = Packed::new();
    for &pair in pairs {
        let pair = pair as usize;
        packed.push(2 * u64::from(documents.row(pair)), documents.statement(pair));
    }
    for &pair in pairs {
        let pair = pair as usize;
        packed.push(2 * u64::from(documents.row(pair)) + 1, documents.proof(pair));
    }
    packed
}

/// One side of all pairs from `start` on, at most `count` of them.
pub(super) fn pack_side(documents: &Documents, side: Side, start: usize, count: usize) -> Packed {
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
