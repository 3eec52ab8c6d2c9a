//! `matchbook assign`: solves a rank file as an assignment problem.

use std::{io::Write, path::PathBuf};

use anyhow::Context;
use serde::Serialize;

use super::{
    output::{Output, counted},
    range::real,
};
use crate::{
    base::{atomic, fields::RealRange, output_guard::OutputGuard},
    corpus::formats::ranks,
    matching::rank_files,
};

/// Solve the assignment problem of a rank file
///
/// Reads `statement TAB proofs TAB scores`, assigns one of its proofs to each statement so that the sum of scores is
/// maximal, and writes `statement TAB proof TAB score`. With more statements than proofs, some remain unmatched (written as
/// dashes). A graph without a perfect matching is reported.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  matchbook evaluate --baseline tfidf --corpus demo --ranks ranks.tsv\n  matchbook assign ranks.tsv -o assignment.tsv"
)]
pub struct Arguments {
    /// Rank file, optionally compressed with Zstandard
    ranks: PathBuf,
    /// File to write; - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Allow a statement to remain unmatched, at this score
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true, value_parser = real(RealRange::new(-1e300, 1e300)))]
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
        true => output.data().write_all(&written)?,
        false => atomic::write_output(&arguments.output, &written)
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
