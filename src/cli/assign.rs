//! `matchbook assign`: solves a rank file as an assignment problem.

use std::path::PathBuf;

use anyhow::Context;
use serde::Serialize;

use super::output::{Output, counted};
use crate::{
    base::{atomic, output_guard::OutputGuard},
    corpus::formats::ranks,
    matching::rank_files,
};

/// Solve a rank file as an assignment
///
/// Reads `statement TAB proofs TAB scores`, gives every statement one of its proofs so that the sum of scores is
/// greatest, and writes `statement TAB proof TAB score`. When there are more statements than proofs some go without one
/// (written as dashes); when the listed proofs do not suffice, it says so.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  matchbook evaluate --baseline tfidf --corpus demo --ranks ranks.tsv\n  matchbook assign ranks.tsv -o assignment.tsv"
)]
pub struct Arguments {
    /// The rank file, which may be compressed with Zstandard
    ranks: PathBuf,
    /// The file to write; - is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A statement may go without a proof and is then worth this score
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true)]
    reject: Option<f64>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Summary {
    statements: usize,
    proofs: usize,
    matched: usize,
    unmatched: usize,
    /// The sum of the scores.
    value: f64,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    OutputGuard::new().reads("the rank file", &arguments.ranks).writes("-o", &arguments.output)?;
    let rows = ranks::read(&arguments.ranks)?;
    let assignment = rank_files::assign(rows, arguments.reject)?;
    let (statements, unmatched) = (assignment.pairs.len(), assignment.unmatched());
    let is_standard_output = arguments.output.as_os_str() == "-";
    let mut written = Vec::new();
    assignment.write(&mut written)?;
    match is_standard_output {
        true => output.text(&written)?,
        false => atomic::replace(&arguments.output, &written)
            .with_context(|| format!("cannot write the assignment to {}", arguments.output.display()))?,
    }
    let summary = Summary {
        statements,
        proofs: assignment.proofs,
        matched: statements - unmatched,
        unmatched,
        value: assignment.value,
    };
    if arguments.json && !is_standard_output {
        return output.json(&summary);
    }
    output.notice(&format!(
        "{} matched, {} without a proof, sum of scores {:.6}",
        counted(summary.matched as u64, "statement"),
        summary.unmatched,
        summary.value
    ));
    Ok(())
}
