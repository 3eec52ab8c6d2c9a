//! `matchbook replace`: audit of symbol replacement over a corpus.

use std::path::PathBuf;

use anyhow::bail;

use super::{
    level::LevelArguments,
    output::{Output, grouped},
};
use crate::{
    corpus::open_corpus,
    symbols::{Audit, KeptReason, Tally, corpus_audit},
};

/// What a level changes over a corpus, and what still leaks
///
/// Replaces the symbols of every proof and compares the result with the statement: symbols shared before and after,
/// what is still shared and why, collisions (two symbols that became one; none outside --compat reference).
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  matchbook replace demo --level full --audit\n\nTo write the replaced pairs: matchbook export CORPUS --level full -o FILE"
)]
pub struct Arguments {
    /// A corpus file, or `demo`
    corpus: PathBuf,
    #[command(flatten)]
    level: LevelArguments,
    /// Print the audit
    #[arg(long)]
    audit: bool,
    /// List every category too
    #[arg(long)]
    categories: bool,
    /// Print the audit as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    if !arguments.audit && !arguments.json {
        bail!(
            "say --audit to see what the level does, or write the replaced pairs with matchbook export --level"
        );
    }
    let store = open_corpus(&arguments.corpus)?;
    let audit = corpus_audit(&store, &arguments.level.replacer()?)?;
    if arguments.json {
        return output.json(&audit);
    }
    print(&audit, output)?;
    if arguments.categories {
        print_categories(&audit, output)?;
    }
    Ok(())
}

fn print(audit: &Audit, output: &mut Output) -> anyhow::Result<()> {
    let total = &audit.total;
    let share = |count: usize, whole: usize| match whole {
        0 => String::new(),
        _ => format!("{:>8.1}%", 100.0 * count as f64 / whole as f64),
    };
    output.line(&format!("{} over {} pairs", audit.setting, grouped(total.pairs as u64)))?;
    let rows = [
        ("proofs untouched", total.untouched, share(total.untouched, total.pairs)),
        ("symbols shared before", total.shared_before, String::new()),
        ("symbols shared after", total.shared_after, share(total.shared_after, total.shared_before)),
        ("pairs that still share a symbol", total.pairs_sharing, share(total.pairs_sharing, total.pairs)),
        ("symbols replaced", total.replaced, String::new()),
        ("  occurrences", total.occurrences, String::new()),
        ("named in the text and left there", total.text_mentions, String::new()),
        ("collisions", total.collisions, String::new()),
        ("unexplained leaks", total.unexplained, String::new()),
    ];
    for (name, count, share) in rows {
        output.line(format!("{name:<34}{:>12}{share}", grouped(count as u64)).trim_end())?;
    }
    if !total.leaks.is_empty() {
        output.line(&format!("\n{:<34}{:>12}{:>12}", "still shared because", "symbols", "pairs"))?;
    }
    for (reason, leak) in &total.leaks {
        let (symbols, pairs) = (grouped(leak.symbols as u64), grouped(leak.pairs as u64));
        output.line(&format!("{:<34}{symbols:>12}{pairs:>12}", description(*reason)))?;
    }
    Ok(())
}

fn print_categories(audit: &Audit, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "\n{:<16}{:>10}{:>12}{:>12}{:>12}{:>12}",
        "category", "pairs", "before", "after", "collisions", "unexplained"
    ))?;
    for (category, Tally { pairs, shared_before, shared_after, collisions, unexplained, .. }) in
        &audit.categories
    {
        output.line(&format!(
            "{category:<16}{pairs:>10}{shared_before:>12}{shared_after:>12}{collisions:>12}{unexplained:>12}"
        ))?;
    }
    Ok(())
}

/// Description of why a symbol is still shared.
pub fn description(reason: KeptReason) -> &'static str {
    match reason {
        KeptReason::Constant => "a constant",
        KeptReason::Protected => "protected in the category",
        KeptReason::DoubleStruck => "double-struck",
        KeptReason::Name => "letters of a name",
        KeptReason::Exhausted => "no other name was left",
        KeptReason::Alone => "nothing to exchange names with",
        KeptReason::Level => "the level leaves it",
        KeptReason::Missed => "missed by the reference",
        KeptReason::Reused => "reused by the reference",
        KeptReason::Unknown => "unexplained",
    }
}
