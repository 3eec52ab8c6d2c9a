//! Masking for pre-training: of a share of the tokens, most become `[MASK]`, some become another token, and some stay, so
//! that a model cannot rely on seeing which positions are predicted.

use super::SpecialTokens;
use crate::base::rng::Rng;

/// The masking of texts. The paper masks 20 %; of these, as in BERT, 80 % become `[MASK]` and 10 % a random token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masking {
    pub share: f64,
    /// The seed of every choice, together with the pass and the document.
    pub seed: u64,
}

/// A text with masked tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Masked {
    pub tokens: Vec<u32>,
    /// The positions to predict.
    pub places: Vec<u32>,
    /// The original tokens at these positions.
    pub words: Vec<u32>,
}

/// The resolution of a random draw that is compared with a share.
const FINE: usize = 1 << 30;

impl Masking {
    /// Masks tokens of a text; another pass masks others.
    pub fn apply(
        &self,
        tokens: &[u32],
        special: SpecialTokens,
        words: usize,
        pass: u64,
        document: u64,
    ) -> Masked {
        let mut rng = Rng::named(self.seed, "masked", pass, document);
        let mut masked = Masked { tokens: tokens.to_vec(), ..Masked::default() };
        let least = (self.share * FINE as f64) as usize;
        let untouched = [special.class, special.separator, special.padding];
        for (place, token) in masked.tokens.iter_mut().enumerate() {
            // three draws per position, so that the choice at one position does not affect the others
            let draws = [rng.below(FINE), rng.below(10), rng.below(words.max(1))];
            if draws[0] >= least || untouched.contains(token) {
                continue;
            }
            masked.places.push(place as u32);
            masked.words.push(*token);
            *token = match draws[1] {
                0..8 => special.mask,
                8 => draws[2] as u32,
                _ => *token,
            };
        }
        masked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_is_hidden_in_the_shares_of_bert_and_another_pass_hides_others() {
        let special = SpecialTokens { class: 2, separator: 3, mask: 4, padding: 0 };
        let tokens: Vec<u32> = [2].into_iter().chain((0..20_000).map(|at| 5 + at % 400)).chain([3]).collect();
        let masking = Masking { share: 0.2, seed: 1 };
        let masked = masking.apply(&tokens, special, 405, 0, 7);
        assert_eq!(masked, masking.apply(&tokens, special, 405, 0, 7));
        assert_ne!(masked, masking.apply(&tokens, special, 405, 1, 7));
        let count = masked.places.len() as f64;
        assert!((count / 20_000.0 - 0.2).abs() < 0.01, "{count}");
        let share = |test: &dyn Fn(usize) -> bool| {
            (0..masked.places.len()).filter(|index| test(*index)).count() as f64 / count
        };
        let now = |index: usize| masked.tokens[masked.places[index] as usize];
        assert!((share(&|index| now(index) == 4) - 0.8).abs() < 0.02);
        assert!((share(&|index| now(index) == masked.words[index]) - 0.1).abs() < 0.02);
        for (place, word) in masked.places.iter().zip(&masked.words) {
            assert_eq!(tokens[*place as usize], *word);
            assert!(*place != 0 && (*place as usize) < tokens.len() - 1);
        }
    }
}
