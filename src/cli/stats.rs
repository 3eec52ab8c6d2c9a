//! `matchbook stats`: the paper's Tables 1 and 2.

use std::path::PathBuf;

use clap::ValueEnum;

use super::output::Output;
use crate::corpus::{open_corpus, statistics::Statistics};

/// Print the paper's Tables 1 and 2 for a corpus
#[derive(clap::Args)]
#[command(after_help = "Example:\n  matchbook stats my.corpus --format latex > table.tex")]
pub struct Arguments {
    /// Corpus file, or `demo`
    corpus: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Print everything as JSON; the same as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Latex,
    Json,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let statistics = Statistics::of(&open_corpus(&arguments.corpus)?)?;
    match if arguments.json { Format::Json } else { arguments.format } {
        Format::Text => output.line(statistics.to_plain().trim_end()),
        Format::Latex => output.line(statistics.to_latex().trim_end()),
        Format::Json => output.json(&statistics),
    }
}
