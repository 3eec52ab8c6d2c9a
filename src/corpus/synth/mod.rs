//! Generated articles for load tests, made by multiplying and mutating the embedded [demo](super::demo) articles.
//!
//! A generated article is a [template], a demo article whose pairs and other paragraphs are shuffled,
//! repeated, merged or left out, whose letters are renamed alike in presentation MathML, content MathML and TeX, and
//! some of whose words are replaced ([`mutation`]). It is meaningless, and marked as generated in title, head and foot.
//!
//! Article k of a seed has the same bytes on any machine and with any number of threads, since it is drawn from its own
//! random streams. The demo's passages are within the paper's filter and merged ones are counted, so a plan alone
//! determines which pairs an extraction will keep, and [`write()`] promises exactly that many. The promise is about the
//! default options: `--compat reference` counts invisible operators as tokens, which puts some pairs over the limit.

mod folder;
mod generator;
mod mutation;
mod template;
#[cfg(test)]
mod tests;

pub use folder::{SynthProgress, SynthRequest, write};

/// How much markup a formula carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Markup {
    /// Presentation, content and TeX with references between them, as LaTeXML writes it.
    #[default]
    Full,
    /// Presentation only: the same tokens in about a quarter of the bytes.
    Lean,
}
