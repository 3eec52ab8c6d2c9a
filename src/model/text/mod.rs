//! Texts as numbers: the closed vocabulary, [pieces of words](wordpiece), what an encoder reads of a passage, and the order of the batches.
//!
//! A corpus holds one text of each pair; a level's names are put in while it is read ([`Reading`]), so one
//! corpus serves every level, and fresh names in each epoch cost no disk. Nothing here knows of models.

mod documents;
mod input;
mod npt;
mod reads;
mod sampler;
mod symbols;
mod vocabulary;
pub mod wordpiece;

pub use self::{
    documents::{Documents, Reading},
    input::{Input, Piece, pieces},
    npt::npt_tokens,
    reads::{Reader, Reads},
    sampler::{Batches, Epoch, Sampling},
    symbols::SymbolNames,
    vocabulary::{Vocabulary, VocabularyError, VocabularyMaker},
    wordpiece::WordPiece,
};
