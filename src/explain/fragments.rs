//! Statement and proof as they are read, in fragments that know which piece they show.

use super::Piece;
use crate::corpus::{Passage, Run, layout, reading::are_separated};

/// A stretch of the readable text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub text: String,
    /// The index of the piece that it shows; none for spaces, and for brackets and bars that formulas need on one line.
    pub piece: Option<usize>,
    pub is_math: bool,
}

/// The readable text of a passage; `None` if these are not its pieces.
pub fn fragments(passage: &Passage, pieces: &[Piece]) -> Option<Vec<Fragment>> {
    let mut fragments: Vec<Fragment> = Vec::new();
    let (mut next, mut before) = (0, None);
    for run in passage.runs() {
        let is_math = matches!(run, Run::Math(_));
        let mut shown = Vec::new();
        match run {
            Run::Text(text) => {
                for (number, word) in text.split_whitespace().enumerate() {
                    if !matches!(pieces.get(next), Some(Piece::Word(known)) if known == word) {
                        return None;
                    }
                    if number > 0 {
                        shown.push((" ".to_owned(), None));
                    }
                    shown.push((word.to_owned(), Some(next)));
                    next += 1;
                }
            }
            Run::Math(formula) => {
                layout::show(formula.tokens(), formula.layout, &mut |text, token| {
                    shown.push((text.to_owned(), token.map(|token| next + token)));
                });
                // A formula ends with a marker.
                next += formula.linear.split_whitespace().count() + 1;
            }
        }
        shown.retain(|(text, _)| !text.is_empty());
        if shown.is_empty() {
            continue;
        }
        if before.is_some_and(|before| are_separated(before, run)) {
            fragments.push(Fragment { text: " ".to_owned(), piece: None, is_math: false });
        }
        before = Some(run);
        fragments.extend(shown.into_iter().map(|(text, piece)| Fragment { text, piece, is_math }));
    }
    (next == pieces.len()).then_some(fragments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::{demo, readable},
        explain::pieces,
    };

    #[test]
    fn the_fragments_of_the_demo_are_its_readable_texts_and_show_every_piece() {
        let store = demo::corpus().unwrap();
        for row in 0..store.pair_count() {
            let (_, pair) = store.pair_at(row).unwrap().unwrap();
            for passage in [&pair.statement, &pair.proof] {
                let pieces = pieces(passage);
                let fragments = fragments(passage, &pieces).unwrap();
                let text: String = fragments.iter().map(|fragment| fragment.text.as_str()).collect();
                assert_eq!(text, readable(passage), "{}", pair.id);
                for fragment in &fragments {
                    if let Some(piece) = fragment.piece {
                        assert_eq!(pieces[piece].is_math(), fragment.is_math, "{}", pair.id);
                    }
                }
            }
        }
    }

    #[test]
    fn the_pieces_of_another_passage_are_refused() {
        let mut passage = Passage::new();
        passage.push_text("one two");
        assert_eq!(fragments(&passage, &[Piece::Word("one".into())]), None);
        assert_eq!(fragments(&passage, &[Piece::Word("one".into()), Piece::Word("three".into())]), None);
    }
}
