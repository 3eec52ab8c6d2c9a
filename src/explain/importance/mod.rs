//! Trained models asked about pairs of a corpus: how sure they are, what they prefer, and why.
//!
//! [`explain`](crate::explain) explains whatever scores a pair. This room makes such a question of a name: it reads
//! the pair at a level as a [`Case`], and the proofs among which a model chooses as a [`Field`]: those of the case's
//! own part of the split, or as many of them as asked for, in an order that only the corpus decides. A [`Judge`] is a
//! model with a field that it has read. It says where the right proof stands among the others ([`Standing`]), which
//! wrong one it likes best, and which words and symbols made it so ([`Finding`]). An [`Edit`] asks "what if": the same
//! pair without a word, or with a symbol renamed.
//!
//! Both `matchbook explain` and the Importance pane ask here, so they say the same.

mod case;
mod edit;
mod error;
mod field;
mod judge;
mod picture;
mod subject;
mod summary;

#[cfg(test)]
mod tests;

pub use self::{
    case::Case,
    edit::{Edit, fresh_name},
    error::ImportanceError,
    field::Field,
    judge::{Ask, Finding, Judge, Rival, RivalFinding, Standing},
    picture::{file_stem, panels},
    subject::Subject,
    summary::{ModelShare, Summary, summary},
};
