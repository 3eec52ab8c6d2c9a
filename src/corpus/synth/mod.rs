//! Generated articles, for load tests.
//!
//! A corpus of real articles has the size it has; a load test needs ten times as many. [`write()`] makes
//! as many pairs as asked for, in articles that look to every part of the program like those of LaTeXML:
//! lengths, shares of mathematics, pairs per article and categories as in the paper's Tables 1 and 2,
//! words by Zipf's law, statements that share words and symbols with their proofs, and parallel
//! markup of the usual bulk. They mean nothing, and say so in title, head and foot.
//!
//! Article k of a seed is the same bytes on any machine, in any run, on any number of threads: it is
//! planned (`plan`) and written (`generator`) from a stream of chance of its own. Passages are
//! filled (`sentence`) with sentences to an exact number of tokens, so a run knows before it begins which
//! pairs the paper's filter will keep, and promises exactly that many.
//!
//! The promise is about the default way of reading. `--compat reference` counts invisible operators as
//! tokens, which puts some pairs over the limit.

mod categories;
mod earlier;
mod folder;
mod formula;
mod generator;
mod lexicon;
mod number;
mod page;
mod passage;
mod plan;
mod quantiles;
mod random;
mod sentence;
mod symbols;
mod templates;
#[cfg(test)]
mod tests;
mod voice;

pub use folder::{Request, Summary, SynthError, SynthProgress, write};

use formula::FormulaWriter;
use generator::Generator;

/// How much markup a formula carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Markup {
    /// Presentation, content and TeX with references between them, as LaTeXML writes it.
    #[default]
    Full,
    /// Presentation only: the same tokens in about a quarter of the bytes.
    Lean,
}

/// Article `number` of a seed, in full markup. Numbers begin with 1.
pub fn article(seed: u64, number: u64) -> String {
    let generator = Generator::new(seed, Markup::Full);
    let mut text = String::new();
    generator.write(number, &generator.plan(number), &mut FormulaWriter::default(), &mut text);
    text
}
