//! `matchbook bench replace`.

use std::path::PathBuf;

use super::BenchOptions;
use crate::{
    bench::{self, ReplaceMeasurement},
    cli::output::{Output, grouped},
    corpus::open_corpus,
    symbols::Protected,
};

/// Symbol replacement at all four levels
#[derive(clap::Args)]
pub struct Arguments {
    /// Corpus file, or `demo`
    #[arg(long, default_value = crate::corpus::demo::DEMO)]
    corpus: PathBuf,
}

/// The size of the paper's corpus.
const PAPER_PAIRS: usize = 184_094;

pub fn run(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let store = open_corpus(&arguments.corpus)?;
    let measured = bench::replace(&store, &Protected::built_in()?, options.rounds())?;
    options.print(&measured, output, print)
}

fn print(measured: &ReplaceMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "four levels over {} pairs: best {:.3} s, median {:.3} s; {:.1} s for the paper's {}",
        grouped(measured.pairs as u64),
        measured.all_levels.best(),
        measured.all_levels.median(),
        measured.seconds_for(PAPER_PAIRS),
        grouped(PAPER_PAIRS as u64),
    ))?;
    output.line(&format!(
        "one pair at full on one core: median {:.1} µs, 99th percentile {:.1} µs",
        measured.pair_median, measured.pair_99
    ))
}
