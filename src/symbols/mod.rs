//! Symbol replacement: renaming the symbols of a proof, at four levels.
//!
//! The paper ("BERT is not The Count", section "Symbol Replacements" and its appendix) renames symbols of
//! the proof that also occur in the statement, to find out whether a model matches names or reads
//! mathematics. As an instrument a level must be exact: it may neither merge two symbols nor leave a name
//! that it claims to have replaced. Every rule below is one that a test or the [audit] checks.
//!
//! **What is a symbol.** A token that is one Latin or Greek letter, in a font ([`letter`]). A token of
//! several letters is a name; so are adjacent letters that spell a listed operator ([`operators`]).
//!
//! **What may change.** A symbol is shared when it occurs, in the same case and font, on both sides. The
//! letters that differ from it only in case and font move along, as a [`family`]. Constants
//! ([`constants`]), double-struck letters and, with "+P", the category's [`protected`] letters stay. Text is
//! never touched; a symbol that the text names outside a formula is counted ([`mentions`]).
//!
//! **What a level does.** `partial(share)` assigns new names to that share of the shared families, halves
//! rounded up; `full` to all of them. The names are those that a [`stranger`] would choose: the proof shares as many
//! letters with its statement as with other statements, so that overlap gives nothing away. `full:disjoint` and
//! `partial:disjoint` give names that occur on neither side while such names last ([`fresh`]).
//! `transposition` lets the families exchange their names so that none keeps its own ([`transpose`]).
//! `conservation` changes nothing.
//!
//! **Products that come to spell a name.** With new letters the product u·v·w may read `d i m`. The
//! names are then drawn again; what cannot be avoided is reported.
//!
//! **Purity.** A level is a function of seed, pair, level, share and protected letters ([`pair_rng`]), and of a sample of
//! the corpus's proofs ([`strangers`]). Nothing depends on the order in which pairs are replaced, or on the machine.
//!
//! [`canonical()`] numbers the letters of a text by first occurrence, so that texts which differ by a
//! renaming become equal: an input for models without access to names. [`compat`] reproduces the reference program.

pub(crate) mod audit;
pub(crate) mod canonical;
pub(crate) mod compat;
pub(crate) mod constants;
pub(crate) mod conventions;
mod corpus_audit;
pub(crate) mod family;
pub(crate) mod fresh;
pub(crate) mod letter;
pub(crate) mod letter_set;
pub(crate) mod level;
pub(crate) mod mapping;
pub(crate) mod mentions;
pub(crate) mod operators;
pub(crate) mod overlap;
pub(crate) mod pair_rng;
pub(crate) mod protected;
pub(crate) mod reading;
pub(crate) mod replace;
pub(crate) mod replacer;
pub mod rewrite;
pub(crate) mod scripts;
mod shingles;
pub(crate) mod shortcut;
pub(crate) mod stranger;
pub(crate) mod strangers;
pub(crate) mod together;
pub(crate) mod transpose;

#[cfg(test)]
mod tests;

pub use audit::{Audit, Leak, Tally};
pub use canonical::canonical;
pub use conventions::keeps_conventions;
pub use corpus_audit::corpus_audit;
pub use letter::{Letter, Symbol};
pub use letter_set::LetterSet;
pub use level::{Level, LevelName, Naming, Seed, Setting, Share};
pub use mapping::Mapping;
pub use overlap::{Detection, OverlapReport, overlap};
pub use protected::Protected;
pub use replace::{KeptReason, KeptSymbol, Replacement, replace};
pub use replacer::{ReplaceMode, Replacer};
pub use rewrite::Occurrence;
pub use shingles::renamed_shingles;
pub use shortcut::{Shortcut, shortcut};
pub use strangers::Strangers;
pub use together::rename_together;
