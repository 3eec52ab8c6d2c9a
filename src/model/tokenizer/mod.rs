//! Tokenizers: the closed vocabulary of NPT, [WordPiece](wordpiece), the tokenized part of a corpus, and the order of batches.
//!
//! A corpus stores each pair once; symbols are replaced while it is read ([`PartView`]), so that one corpus serves every
//! level, and fresh names in each epoch need no disk space. Nothing here depends on models.

mod documents;
pub mod features;
mod input;
mod npt;
mod sampler;
mod symbols;
mod tokenize;
mod vocabulary;
pub mod wordpiece;

pub use self::{
    documents::{PartView, TokenizedPairs},
    features::{Feature, FeatureSet, FeatureVocabulary, UnseenFeatures, unseen},
    input::{Input, PreToken, pre_tokens},
    npt::npt_token_ids,
    sampler::{BatchSampler, EpochOrder, Sampling},
    symbols::SymbolNames,
    tokenize::{Tokenize, Tokenizer, VOCABULARY_FILE},
    vocabulary::{Vocabulary, VocabularyBuilder, VocabularyError},
    wordpiece::WordPiece,
};
