//! `matchbook stats`: the paper's Tables 1 and 2.

use std::path::PathBuf;

use anyhow::ensure;
use clap::ValueEnum;

use super::{
    interrupt,
    output::{Output, counted},
};
use crate::corpus::{open_corpus, statistics::Statistics};

/// Print the paper's Tables 1 and 2 for a corpus
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook stats my.corpus --format latex > table.tex\n  matchbook stats my.corpus --check"
)]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Print everything as JSON; the same as --format json
    #[arg(long)]
    json: bool,
    /// Compare every article and pair with its checksum instead, and fail if one has changed
    #[arg(long, conflicts_with = "format")]
    check: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Latex,
    Json,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    if arguments.check {
        return check(&arguments, output);
    }
    let statistics = Statistics::of(&open_corpus(&arguments.corpus)?)?;
    match if arguments.json { Format::Json } else { arguments.format } {
        Format::Text => output.line(statistics.to_plain().trim_end()),
        Format::Latex => output.line(statistics.to_latex().trim_end()),
        Format::Json => output.json(&statistics),
    }
}

/// Verifies the whole corpus.
fn check(arguments: &Arguments, output: &mut Output) -> anyhow::Result<()> {
    let found = open_corpus(&arguments.corpus)?.check_integrity(&interrupt::token()?)?;
    if arguments.json {
        output.json(&found)?;
    } else {
        found.problems.iter().try_for_each(|problem| output.line(problem))?;
    }
    let content = format!(
        "{}, {} and {}",
        counted(found.articles, "article"),
        counted(found.pairs, "pair"),
        counted(found.splits, "split")
    );
    let path = arguments.corpus.display();
    ensure!(found.problems.is_empty(), "the corpus {path} is damaged; copy it again or rebuild it");
    if !arguments.json {
        output.line(&match found.has_checksums {
            true => format!("{path} is intact: {content} match their checksums"),
            false => format!("{path} has no checksums; {content} are readable and match its fingerprint"),
        })?;
    }
    Ok(())
}
