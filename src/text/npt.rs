//! What NPT reads of a passage.

use super::{
    input::{Input, Piece, pieces},
    symbols::SymbolNames,
    vocabulary::Vocabulary,
};
use crate::{corpus::Passage, symbols::canonical::is_canonical_name};

/// Appends START, the passage as it is read and END, cut to `longest` tokens: like the reference program, so that a long
/// passage has no END. A canonical name beside a literal one does not count: whatever names are read, the same
/// stretch of text is.
pub fn npt_tokens(
    vocabulary: &Vocabulary,
    passage: &Passage,
    input: Input,
    symbols: SymbolNames,
    longest: usize,
    out: &mut Vec<u32>,
) {
    let numbers = pieces(passage, input).map(|piece| {
        let is_beside =
            matches!(piece, Piece::Symbol(name) if symbols == SymbolNames::Both && is_canonical_name(name));
        (vocabulary.number(piece), is_beside)
    });
    let whole = [(Vocabulary::START, false)].into_iter().chain(numbers).chain([(Vocabulary::END, false)]);
    let mut read = 0;
    for (number, is_beside) in whole {
        read += usize::from(!is_beside);
        if read > longest {
            break;
        }
        out.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Formula;

    fn read(longest: usize) -> Vec<u32> {
        read_with(SymbolNames::Literal, longest)
    }

    fn read_with(symbols: SymbolNames, longest: usize) -> Vec<u32> {
        let vocabulary = Vocabulary::from_text("matchbook vocabulary 1\nTLet\nMx\nMv#1\n").unwrap();
        let mut passage = Passage::new();
        passage.push_text("Let it");
        passage.push_formula(Formula { linear: "x x", ..Formula::default() });
        let mut out = vec![9];
        let passage = symbols.passage(&passage, &passage);
        npt_tokens(&vocabulary, &passage, Input::Both, symbols, longest, &mut out);
        out
    }

    #[test]
    fn a_formula_ends_in_a_space_and_a_long_text_loses_its_end() {
        assert_eq!(read(200), [9, 1, 5, 3, 6, 6, 4, 2]);
        assert_eq!(read(7), [9, 1, 5, 3, 6, 6, 4, 2]);
        assert_eq!(read(6), [9, 1, 5, 3, 6, 6, 4]);
        assert_eq!(read(1), [9, 1]);
    }

    #[test]
    fn whatever_names_are_read_the_same_stretch_of_text_is() {
        assert_eq!(read_with(SymbolNames::Canonical, 5), [9, 1, 5, 3, 7, 7]);
        assert_eq!(read_with(SymbolNames::Both, 5), [9, 1, 5, 3, 6, 7, 6, 7]);
        assert_eq!(read_with(SymbolNames::Both, 200), [9, 1, 5, 3, 6, 7, 6, 7, 4, 2]);
    }
}
