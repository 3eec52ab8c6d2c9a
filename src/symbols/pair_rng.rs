//! The random stream of one pair.
//!
//! It is keyed by the seed, the pair's id and a purpose, never by what was drawn before, so a pair gets the same
//! names in a pane, in training and on another machine, in whatever order the pairs come.

use super::level::Seed;
use crate::{base::rng::Rng, corpus::PairId};

/// The stream of one purpose of a pair. Attempts count from 0.
pub fn pair_rng(seed: Seed, pair: &PairId, purpose: &str, attempt: u32) -> Rng {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.0.to_le_bytes());
    hasher.update(&pair.number.to_le_bytes());
    hasher.update(&attempt.to_le_bytes());
    // The length separates the end of the purpose from the start of the article's name.
    hasher.update(&(purpose.len() as u64).to_le_bytes());
    hasher.update(purpose.as_bytes());
    hasher.update(pair.article.as_bytes());
    Rng::from_hash(&hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_depends_on_seed_pair_and_purpose_only() {
        let draw = |seed, article: &str, purpose| {
            pair_rng(Seed(seed), &PairId { article: article.to_owned(), number: 1 }, purpose, 0).next_u64()
        };
        let first = draw(1, "0704.0001", "names");
        assert_eq!(draw(1, "0704.0001", "names"), first);
        assert_ne!(draw(2, "0704.0001", "names"), first);
        assert_ne!(draw(1, "0704.0002", "names"), first);
        assert_ne!(draw(1, "0704.0001", "order"), first);
        // The value is part of the contract: a corpus replaced on another machine must be the same.
        assert_eq!(draw(0, "a", "b"), 1_636_885_842_115_637_133);
    }
}
