//! The token ids that NPT reads.

use super::{
    input::{Input, pre_tokens},
    vocabulary::Vocabulary,
};
use crate::corpus::Passage;

/// Appends START, the passage and END, truncated to `longest` token ids. As in the reference program, a long
/// passage has no END.
pub fn npt_token_ids(
    vocabulary: &Vocabulary,
    passage: &Passage,
    input: Input,
    longest: usize,
    out: &mut Vec<u32>,
) {
    let token_ids = pre_tokens(passage, input).map(|piece| vocabulary.token_id(piece));
    let whole = [Vocabulary::START].into_iter().chain(token_ids).chain([Vocabulary::END]);
    out.extend(whole.take(longest));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn read(longest: usize) -> Vec<u32> {
        let vocabulary = Vocabulary::from_text("matchbook vocabulary 1\nTLet\nMx\n").unwrap();
        let mut passage = Passage::new();
        passage.push_text("Let it");
        passage.push_formula(Formula { linear: "x x", ..Formula::default() });
        let mut out = vec![9];
        npt_token_ids(&vocabulary, &passage, Input::Both, longest, &mut out);
        out
    }

    #[test]
    fn a_formula_ends_in_a_space_and_a_long_text_loses_its_end() {
        assert_eq!(read(200), [9, 1, 5, 3, 6, 6, 4, 2]);
        assert_eq!(read(7), [9, 1, 5, 3, 6, 6, 4, 2]);
        assert_eq!(read(6), [9, 1, 5, 3, 6, 6, 4]);
        assert_eq!(read(1), [9, 1]);
    }
}
