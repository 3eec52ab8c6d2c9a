//! Texts as numbers: the closed vocabulary, [pieces of words](wordpiece), what an encoder reads of a passage, and the order of the batches.
//!
//! A corpus holds one text of each pair; a level's names are put in while it is read ([`PartView`]), so one
//! corpus serves every level, and fresh names in each epoch cost no disk. Nothing here knows of models.

mod documents;
mod input;
mod npt;
mod sampler;
mod symbols;
mod tokenize;
mod vocabulary;
pub mod wordpiece;

pub use self::{
    documents::{PartView, TokenizedPairs},
    input::{Input, PreToken, pre_tokens},
    npt::npt_tokens,
    sampler::{BatchSampler, EpochOrder, Sampling},
    symbols::SymbolNames,
    tokenize::{Tokenize, Tokenizer, VOCABULARY_FILE},
    vocabulary::{Vocabulary, VocabularyBuilder, VocabularyError},
    wordpiece::WordPiece,
};
