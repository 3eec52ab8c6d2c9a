//! `matchbook synth`: generated articles for load tests.

use std::path::PathBuf;

use super::{
    interrupt,
    output::{Output, counted},
    progress::Meter,
    range::whole,
};
use crate::{
    base::task::Task,
    corpus::synth::{self, Markup, SynthProgress, SynthRequest},
};

/// Generate articles for load tests, marked as generated
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  matchbook synth load --pairs 10000 --seed 1 --lean\n  matchbook extract load --metadata load/manifest.tsv -o load.corpus"
)]
pub struct Arguments {
    /// Folder to write to; must be new, empty, or contain generated articles
    folder: PathBuf,
    /// Number of pairs that an extraction keeps
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1, 100_000_000))]
    pairs: u64,
    /// Random seed; the same seed gives the same articles on any machine
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Write presentation MathML only, for smaller files
    #[arg(long)]
    lean: bool,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let markup = if arguments.lean { Markup::Lean } else { Markup::Full };
    let request = SynthRequest { pairs: arguments.pairs, seed: arguments.seed, markup };
    let cancel = interrupt::token()?;
    let meter = Meter::counting("articles");
    let observe = |progress: SynthProgress| {
        meter.update(progress.articles, progress.total, progress.articles, "");
    };
    let summary = synth::write(&arguments.folder, request, &Task::new(&cancel, &observe))?;
    meter.finish();
    output.line(&format!(
        "{} with {} written to {}",
        counted(summary.articles, "article"),
        counted(summary.pairs, "pair"),
        arguments.folder.display()
    ))
}
