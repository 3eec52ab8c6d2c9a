//! Statement and proof as wrapped lines, in which every input piece of the model can be located.
//!
//! The role of a piece is its index, so lines are wrapped once per width; weights, cursor and edits are looked up by
//! the index when they are drawn.

use unicode_width::UnicodeWidthStr;

use crate::{
    corpus::Passage,
    explain::{Fragment, Piece, PieceIndex, PiecePair, Side, fragments},
    workbench::app::document::{Form, Role, StyledText, TextLine, ruled_heading, wrap},
};

/// The wrapped texts of a panel.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    pub lines: Vec<TextLine>,
    /// The positions of all pieces, in reading order.
    spots: Vec<Spot>,
}

/// The position of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub piece: u32,
    pub line: usize,
    pub column: usize,
}

/// The input of a sheet.
pub struct Texts<'a> {
    pub pair: &'a PiecePair,
    pub statement: &'a Passage,
    pub proof: &'a Passage,
    /// The heading of the proof: `proof`, or whose it is.
    pub proof_name: &'a str,
    pub form: Form,
}

/// The index of a piece over both sides: those of the statement, then those of the proof.
pub fn number(pair: &PiecePair, place: PieceIndex) -> u32 {
    let before = if place.side == Side::Statement { 0 } else { pair.statement.len() };
    (before + place.index) as u32
}

/// The piece with an index over both sides, if there is one.
pub fn place(pair: &PiecePair, number: u32) -> Option<PieceIndex> {
    let (number, statement) = (number as usize, pair.statement.len());
    let (side, index) =
        if number < statement { (Side::Statement, number) } else { (Side::Proof, number - statement) };
    pair.side(side).get(index).map(|_| PieceIndex { side, index })
}

impl Sheet {
    pub fn new(texts: &Texts<'_>, width: usize) -> Sheet {
        let mut lines = Vec::new();
        let sides =
            [(Side::Statement, texts.statement, "statement"), (Side::Proof, texts.proof, texts.proof_name)];
        for (side, passage, name) in sides {
            let pieces = texts.pair.side(side);
            let first = number(texts.pair, PieceIndex { side, index: 0 });
            let math = pieces.iter().filter(|piece| piece.is_math()).count();
            let text = pieces.iter().filter(|piece| matches!(piece, Piece::Word(_))).count();
            if side == Side::Proof {
                lines.push(TextLine::default());
            }
            lines.push(ruled_heading(name, &format!("{text} text · {math} math"), width));
            let readable = (texts.form == Form::Readable).then(|| readable(passage, pieces, first)).flatten();
            let prose = readable.unwrap_or_else(|| as_tokens(pieces, first));
            lines.extend(wrap(&prose, &[], width));
        }
        let spots = spots(&lines);
        Sheet { lines, spots }
    }

    pub fn spots(&self) -> &[Spot] {
        &self.spots
    }

    pub fn spot(&self, piece: u32) -> Option<Spot> {
        self.spots.iter().copied().find(|spot| spot.piece == piece)
    }

    /// The next or the previous piece.
    pub fn beside(&self, piece: u32, forward: bool) -> u32 {
        let at = self.spots.iter().position(|spot| spot.piece == piece);
        let next = match at {
            None => Some(0),
            Some(at) if forward => at.checked_add(1),
            Some(at) => at.checked_sub(1),
        };
        next.and_then(|next| self.spots.get(next)).map_or(piece, |spot| spot.piece)
    }

    /// The piece nearest to this one, `lines` further down.
    pub fn below(&self, piece: u32, lines: isize) -> u32 {
        let Some(from) = self.spot(piece) else { return self.spots.first().map_or(piece, |spot| spot.piece) };
        let wanted = from.line.saturating_add_signed(lines);
        let beyond = |spot: &&Spot| if lines > 0 { spot.line > from.line } else { spot.line < from.line };
        let nearest = self
            .spots
            .iter()
            .filter(beyond)
            .min_by_key(|spot| (spot.line.abs_diff(wanted), spot.column.abs_diff(from.column)));
        nearest.map_or(piece, |spot| spot.piece)
    }

    /// The piece at a column of a line.
    pub fn at(&self, line: usize, column: usize) -> Option<u32> {
        let mut start = 0;
        for span in &self.lines.get(line)?.spans {
            let end = start + span.text.width();
            if let Role::Piece(piece) = span.role
                && (start..end).contains(&column)
            {
                return Some(piece);
            }
            start = end;
        }
        None
    }
}

/// The pieces separated by spaces, as the model's input has them.
fn as_tokens(pieces: &[Piece], first: u32) -> StyledText {
    let mut prose = StyledText::default();
    for (number, piece) in (first..).zip(pieces).filter(|(_, piece)| **piece != Piece::End) {
        if !prose.text.is_empty() {
            prose.push(" ", Role::Text);
        }
        prose.push(&piece.shown(), Role::Piece(number));
    }
    prose
}

/// The readable text; none if these are not the pieces of the passage.
fn readable(passage: &Passage, pieces: &[Piece], first: u32) -> Option<StyledText> {
    let mut prose = StyledText::default();
    for Fragment { text, piece, is_math } in fragments(passage, pieces)? {
        let plain = if is_math { Role::Math } else { Role::Text };
        prose.push(&text, piece.map_or(plain, |piece| Role::Piece(first + piece as u32)));
    }
    Some(prose)
}

fn spots(lines: &[TextLine]) -> Vec<Spot> {
    let mut spots: Vec<Spot> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let mut column = 0;
        for span in &line.spans {
            if let Role::Piece(piece) = span.role
                && spots.last().is_none_or(|last| last.piece != piece)
            {
                spots.push(Spot { piece, line: number, column });
            }
            column += span.text.width();
        }
    }
    spots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{corpus::demo, explain::pieces};

    #[test]
    fn every_piece_of_the_demo_is_found_again_in_the_readable_text() {
        let store = demo::corpus().unwrap();
        let (mut all, mut found) = (0, 0);
        for row in 0..store.pair_count() {
            let (_, pair) = store.pair_at(row).unwrap().unwrap();
            for passage in [&pair.statement, &pair.proof] {
                let pieces = pieces(passage);
                all += 1;
                let Some(prose) = readable(passage, &pieces, 7) else { continue };
                found += 1;
                let mut start = 0;
                for &(end, role) in &prose.stretches {
                    if let Role::Piece(number) = role {
                        let piece = &pieces[number as usize - 7];
                        if let Piece::Word(word) = piece {
                            assert_eq!(word, &prose.text[start..end]);
                        }
                    }
                    start = end;
                }
            }
        }
        assert!(found * 100 >= all * 95, "{found} of {all}");
    }

    #[test]
    fn the_cursor_goes_by_piece_and_by_line() {
        let mut statement = Passage::new();
        statement.push_text("one two three four");
        let mut proof = Passage::new();
        proof.push_text("five six");
        let pair = PiecePair::new("p", &statement, &proof);
        let texts = Texts {
            pair: &pair,
            statement: &statement,
            proof: &proof,
            proof_name: "proof",
            form: Form::Readable,
        };
        let sheet = Sheet::new(&texts, 10);
        // statement: `one two`, `three four`; proof: `five six`
        assert_eq!(sheet.spots().len(), 6);
        assert_eq!((sheet.beside(0, true), sheet.beside(0, false), sheet.beside(5, true)), (1, 0, 5));
        assert_eq!(
            (sheet.below(1, 1), sheet.below(3, 1), sheet.below(4, -1), sheet.below(5, 1)),
            (3, 5, 2, 5)
        );
        assert_eq!((sheet.at(1, 4), sheet.at(1, 3), sheet.at(0, 0)), (Some(1), None, None));
        assert_eq!(place(&pair, 5), Some(PieceIndex { side: Side::Proof, index: 1 }));
        assert_eq!(place(&pair, 6), None);
    }
}
