//! Explaining trained models on pairs of a corpus: rank, preferred wrong proof, importance of words and symbols.
//!
//! [`explain`](crate::explain) explains any scorer on any pair. This module applies it to the pairs of a corpus: a
//! [`CorpusPair`] is the pair at a level of symbol replacement, and a [`CandidateSet`] holds the proofs that the model
//! chooses from, all of the pair's part of the split or a fixed sample of it. An [`Explainer`] is a model with an
//! encoded candidate set. It ranks the right proof ([`PairRanking`]), names the best wrong one, and explains both
//! ([`ModelExplanation`]). An [`Edit`] is a what-if: the same pair without a word, or with a symbol renamed.
//!
//! Both `matchbook explain` and the Importance pane use this module, so their results agree.

mod cache;
mod candidates;
mod corpus_pair;
mod edit;
mod error;
mod explainer;
mod panels;
mod summary;
mod window_reader;
mod word_model;

#[cfg(test)]
mod tests;

pub use self::{
    cache::{CandidateRequest, DEFAULT_CANDIDATES, ExplainerCache},
    corpus_pair::CorpusPair,
    edit::{Edit, fresh_name},
    error::ImportanceError,
    explainer::{ExplainRequest, Explainer, ModelExplanation, PairRanking},
    panels::{PairTexts, file_stem, heatmap},
    summary::{ShareSummary, summary},
    word_model::WordModel,
};
#[cfg(test)]
pub use self::{candidates::CandidateSet, explainer::Rival};
