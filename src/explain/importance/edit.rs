//! What-if edits: the same pair with pieces dropped or symbols renamed.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    corpus::Token,
    explain::{Piece, PieceIndex, PiecePair, Side},
};

/// Changes to a pair, by position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    pub dropped: BTreeSet<PieceIndex>,
    /// The new name of a symbol, as a formula's linear form writes it.
    pub renamed: BTreeMap<PieceIndex, String>,
}

impl Edit {
    pub fn is_empty(&self) -> bool {
        self.dropped.is_empty() && self.renamed.is_empty()
    }

    /// Returns the edited pair.
    pub fn apply(&self, pair: &PiecePair) -> PiecePair {
        let side = |side: Side| {
            let places =
                pair.side(side).iter().enumerate().map(|(index, piece)| (PieceIndex { side, index }, piece));
            let kept = places.filter(|(place, _)| !self.dropped.contains(place));
            kept.map(|(place, piece)| self.piece(place, piece)).collect()
        };
        PiecePair { name: pair.name.clone(), statement: side(Side::Statement), proof: side(Side::Proof) }
    }

    /// The piece at a position after renaming.
    pub fn piece(&self, place: PieceIndex, piece: &Piece) -> Piece {
        self.renamed.get(&place).map_or_else(|| piece.clone(), |name| Piece::Symbol(name.clone()))
    }

    /// Drops these positions, or restores them if all of them are dropped already.
    pub fn toggle_dropped(&mut self, places: &[PieceIndex]) {
        let are_dropped = places.iter().all(|place| self.dropped.contains(place));
        for place in places {
            match are_dropped {
                true => self.dropped.remove(place),
                false => self.dropped.insert(*place),
            };
        }
    }
}

/// A name for a symbol that occurs nowhere in the pair, in the same alphabet, case and font. `None` if the symbol is not
/// a single letter or the alphabet is used up. `after` is the symbol's current name: the next free one is returned.
pub fn fresh_name(pair: &PiecePair, written: &str, after: Option<&str>) -> Option<String> {
    let letter = single_letter(written)?;
    let alphabet: Vec<char> = match letter {
        'a'..='z' => ('a'..='z').collect(),
        'A'..='Z' => ('A'..='Z').collect(),
        'α'..='ω' => ('α'..='ω').filter(|letter| *letter != 'ς').collect(),
        'Γ' | 'Δ' | 'Θ' | 'Λ' | 'Ξ' | 'Π' | 'Σ' | 'Φ' | 'Ψ' | 'Ω' => "ΓΔΘΛΞΠΣΦΨΩ".chars().collect(),
        _ => return None,
    };
    let used: BTreeSet<char> = Side::BOTH
        .iter()
        .flat_map(|side| pair.side(*side))
        .filter_map(|piece| match piece {
            Piece::Symbol(symbol) => single_letter(symbol),
            _ => None,
        })
        .collect();
    let now = after.and_then(single_letter).unwrap_or(letter);
    let start = alphabet.iter().position(|letter| *letter == now).map_or(0, |index| index + 1);
    let found = alphabet.iter().cycle().skip(start).take(alphabet.len()).find(|next| !used.contains(next))?;
    Some(format!("{found}{}", &written[letter.len_utf8()..]))
}

/// The letter of a single-letter symbol.
fn single_letter(written: &str) -> Option<char> {
    let Token::Math { symbol, .. } = Token::math(written) else { return None };
    let mut letters = symbol.chars();
    let only = letters.next().filter(|_| letters.next().is_none())?;
    // The font follows the letter.
    written.starts_with(only).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> PiecePair {
        let (word, symbol) = (|text: &str| Piece::Word(text.into()), |text: &str| Piece::Symbol(text.into()));
        PiecePair {
            name: "p".into(),
            statement: vec![word("a"), symbol("x"), symbol("y____bold"), Piece::End],
            proof: vec![symbol("x"), symbol("sin"), symbol("β"), Piece::End],
        }
    }

    #[test]
    fn a_new_name_is_used_nowhere_and_keeps_alphabet_and_font() {
        let pair = pair();
        assert_eq!(fresh_name(&pair, "x", None).as_deref(), Some("z"));
        assert_eq!(fresh_name(&pair, "x", Some("z")).as_deref(), Some("a"));
        assert_eq!(fresh_name(&pair, "y____bold", None).as_deref(), Some("z____bold"));
        assert_eq!(fresh_name(&pair, "β", None).as_deref(), Some("γ"));
        assert_eq!(fresh_name(&pair, "sin", None), None);
        assert_eq!(fresh_name(&pair, "+", None), None);
    }

    #[test]
    fn an_edit_drops_and_renames_by_place_and_can_be_undone() {
        let pair = pair();
        let place = |side, index| PieceIndex { side, index };
        let mut edit = Edit::default();
        edit.toggle_dropped(&[place(Side::Statement, 0), place(Side::Proof, 1)]);
        edit.renamed.insert(place(Side::Proof, 0), "z".into());
        let edited = edit.apply(&pair);
        assert_eq!(edited.statement, pair.statement[1..]);
        assert_eq!(edited.proof, [Piece::Symbol("z".into()), Piece::Symbol("β".into()), Piece::End]);
        edit.toggle_dropped(&[place(Side::Statement, 0), place(Side::Proof, 1)]);
        edit.renamed.clear();
        assert_eq!(edit.apply(&pair), pair);
    }
}
