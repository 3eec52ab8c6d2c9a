//! The interface of what can be explained: anything that scores a pair and shorter variants of it.

use super::{
    error::ExplainError,
    piece::{Piece, PiecePair, Side},
};

/// A pair without some of its pieces, as a mask over the pieces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    pub statement: Vec<bool>,
    pub proof: Vec<bool>,
}

impl Variant {
    /// The pair with nothing left out.
    pub fn whole(pair: &PiecePair) -> Variant {
        Variant { statement: vec![true; pair.statement.len()], proof: vec![true; pair.proof.len()] }
    }

    pub fn side(&self, side: Side) -> &[bool] {
        match side {
            Side::Statement => &self.statement,
            Side::Proof => &self.proof,
        }
    }

    pub fn side_mut(&mut self, side: Side) -> &mut [bool] {
        match side {
            Side::Statement => &mut self.statement,
            Side::Proof => &mut self.proof,
        }
    }

    /// The pieces of one side that are kept.
    pub fn kept<'a>(&'a self, pair: &'a PiecePair, side: Side) -> impl Iterator<Item = &'a Piece> {
        let pieces = pair.side(side).iter().zip(self.side(side));
        pieces.filter_map(|(piece, kept)| kept.then_some(piece))
    }
}

/// The points at which gradients are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GradientPath {
    /// At the pair itself.
    AtInput,
    /// At the midpoints of `steps` equal steps from zero embeddings to those of the pair.
    FromZero { steps: usize },
}

/// A binary classifier of pairs: match or mismatch.
pub trait PairScorer: Sync {
    /// The log-odds that statement and proof belong together, for each variant.
    fn log_odds(&self, pair: &PiecePair, variants: &[Variant]) -> Result<Vec<f64>, ExplainError>;

    /// Which pieces of a text the model reads: it may truncate a long text, or ignore mathematics.
    fn read(&self, pieces: &[Piece]) -> Vec<bool> {
        vec![true; pieces.len()]
    }

    /// For each piece of the statement and of the proof, its embedding times the gradient of the log-odds, averaged over
    /// the path. Only the pieces that are `true` in `moved` move along the path.
    fn word_gradients(
        &self,
        _pair: &PiecePair,
        _moved: &Variant,
        _path: GradientPath,
    ) -> Result<[Vec<f64>; 2], ExplainError> {
        Err(ExplainError::NoGradients)
    }
}

/// The probability of a match.
pub fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}
