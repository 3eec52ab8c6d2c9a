//! The inputs that a model reads, from the pieces of a text.

use super::super::piece::Piece;

/// One input of a model: a token, or a window of several.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInput {
    pub id: u32,
    /// Indices of its pieces; empty for a marker such as the start of a text. If any of them is dropped, the model does
    /// not read this input.
    pub pieces: Vec<u32>,
    /// Contribution of this occurrence relative to a single one: counts in a bag saturate.
    pub share: f32,
}

/// Turns the pieces of a text into a model's inputs.
pub trait PieceReader: Sync {
    /// The inputs of a whole text, in the order in which the model reads them.
    fn inputs(&self, pieces: &[Piece]) -> Vec<ModelInput>;

    /// The ids of the inputs whose pieces are all kept, as the model reads them.
    fn document(&self, inputs: &[ModelInput], kept: &dyn Fn(usize) -> bool) -> Vec<u32> {
        let is_kept = |input: &&ModelInput| input.pieces.iter().all(|piece| kept(*piece as usize));
        inputs.iter().filter(is_kept).map(|input| input.id).collect()
    }
}

/// How a text becomes token ids: start, one id for each piece, end.
#[derive(Clone, Copy, Debug)]
pub struct PieceTokenizer<N> {
    /// The token id of a piece, or `None` if the model does not read such pieces.
    pub token_id: N,
    pub start: u32,
    pub end: u32,
    /// Maximum document length, including start and end.
    pub max_length: usize,
}

impl<N: Fn(&Piece) -> Option<u32> + Sync> PieceReader for PieceTokenizer<N> {
    /// A long text is truncated before words are left out, so that no word enters that the model never saw.
    fn inputs(&self, pieces: &[Piece]) -> Vec<ModelInput> {
        let marker = |id| ModelInput { id, pieces: Vec::new(), share: 1.0 };
        let tokens = pieces.iter().zip(0u32..).filter_map(|(piece, index)| {
            (self.token_id)(piece).map(|id| ModelInput { id, pieces: vec![index], share: 1.0 })
        });
        let tokens = tokens.take(self.max_length.saturating_sub(1));
        [marker(self.start)].into_iter().chain(tokens).chain([marker(self.end)]).collect()
    }

    fn document(&self, inputs: &[ModelInput], kept: &dyn Fn(usize) -> bool) -> Vec<u32> {
        let is_kept = |input: &&ModelInput| input.pieces.iter().all(|piece| kept(*piece as usize));
        inputs.iter().filter(is_kept).map(|input| input.id).take(self.max_length).collect()
    }
}
