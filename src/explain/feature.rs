//! Features: the pieces that are left out together, all occurrences of a word or a single one.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{
    piece::{Piece, PiecePair, Side},
    scorer::{PairScorer, Variant},
};

/// Which pieces form one feature.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Grouping {
    /// All occurrences of a word or symbol, in statement and proof together, as in the paper's figures.
    #[default]
    Word,
    Occurrence,
}

/// Which of the two texts is perturbed.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
    strum::VariantNames,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Scope {
    #[default]
    Both,
    Statement,
    Proof,
}

impl Scope {
    pub fn contains(self, side: Side) -> bool {
        match self {
            Scope::Both => true,
            Scope::Statement => side == Side::Statement,
            Scope::Proof => side == Side::Proof,
        }
    }
}

/// The position of a piece: the side, and the index among its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PieceIndex {
    pub side: Side,
    pub index: usize,
}

/// A piece with the positions that are left out together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    pub piece: Piece,
    pub places: Vec<PieceIndex>,
}

/// The features of a pair, by first occurrence. Pieces that the scorer does not read are skipped, since no score depends
/// on them.
pub fn features(
    pair: &PiecePair,
    scorer: &dyn PairScorer,
    grouping: Grouping,
    scope: Scope,
    operators: bool,
) -> Vec<Feature> {
    let mut found: Vec<Feature> = Vec::new();
    let mut known: HashMap<&Piece, usize> = HashMap::new();
    for side in Side::BOTH.into_iter().filter(|&side| scope.contains(side)) {
        let pieces = pair.side(side);
        let read = scorer.read(pieces);
        for (index, piece) in pieces.iter().enumerate() {
            let counts = *piece != Piece::End && (operators || piece.is_word_like());
            if !counts || !read.get(index).copied().unwrap_or(false) {
                continue;
            }
            let place = PieceIndex { side, index };
            match known.get(piece) {
                Some(&feature) if grouping == Grouping::Word => found[feature].places.push(place),
                _ => {
                    known.insert(piece, found.len());
                    found.push(Feature { piece: piece.clone(), places: vec![place] });
                }
            }
        }
    }
    found
}

impl Variant {
    pub(super) fn drop_feature(&mut self, feature: &Feature) {
        for place in &feature.places {
            self.side_mut(place.side)[place.index] = false;
        }
    }
}
