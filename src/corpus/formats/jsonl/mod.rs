//! JSON Lines: one object per pair, lossless.
//!
//! ```text
//! {"id":"0704.0001#3",
//!  "article":{"id":"0704.0001","title":"...","categories":["math.AG"],"file":"...","dialect":"xhtml"},
//!  "kind":"lemma","label":"3.1","title":"","anchor":"S1.Thmlemma1",
//!  "statement":{"readable":"Let 𝐱 = y.","runs":[["text","Let"],["math","x____bold = y","...","\\mathbf{x}=y","r"],["text","."]]},
//!  "proof":{...}}
//! ```
//!
//! on one line. A formula is its tokens, its layout, its TeX and the sides (`l`, `r`) on which it touches
//! its neighbor; empty fields at the end are left out. `readable` is for people and is generated
//! from the runs when the pair is written. A pair that the user has labeled or annotated also has an
//! object `annotation` with `label` and `note`, which is ignored on import. The location of an article is not written, so the bytes do not depend on
//! it.
//!
//! Files from other programs may omit all but `id`, `statement` and `proof`, and may give these two as
//! plain strings; they are then read as text.

mod passage;
mod reader;
mod writer;

pub use self::{passage::Read as PassageField, reader::read, writer::JsonLinesWriter};
