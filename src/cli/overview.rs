//! `matchbook` without a terminal and a command: an overview of the demo corpus, and what to try next.

use super::output::{Output, counted};
use crate::{corpus::demo, corpus::readable};

pub fn run(output: &mut Output) -> anyhow::Result<()> {
    let store = demo::corpus()?;
    output.line(&format!(
        "matchbook {}: the embedded demo corpus has {} from {}.",
        env!("CARGO_PKG_VERSION"),
        counted(store.pair_count(), "pair"),
        counted(store.articles_with_pairs(), "article"),
    ))?;
    if let Some((article, pair)) = store.pair_at(0)? {
        output.line(&format!("\nThe first of them, {}, from \"{}\":\n", pair.id, article.title))?;
        output.line(&format!("  {}\n", readable(&pair.statement)))?;
    }
    output.line(
        "Try:\n  \
         matchbook stats demo             the paper's Tables 1 and 2\n  \
         matchbook show demo demo.01#1    one pair, statement and proof\n  \
         matchbook demo articles          write the demo articles to a folder\n  \
         matchbook extract articles -o my.corpus --metadata articles/manifest.tsv\n  \
         matchbook --help                 everything else",
    )
}
