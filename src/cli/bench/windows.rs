//! `matchbook bench windows`.

use std::path::PathBuf;

use super::BenchOptions;
use crate::{
    bench::{self, WindowsMeasurement},
    cli::{
        choice::choice,
        output::{Output, bytes, counted},
    },
    corpus::open_corpus,
    train::{Encoder, Preset},
};

/// One training epoch of the formula-window encoder
///
/// For a training part of the paper's size, generate a corpus of 184,098 pairs: matchbook synth DIR --pairs 184098, then
/// matchbook extract DIR -o synth.corpus.
#[derive(clap::Args)]
pub struct Arguments {
    /// Corpus file, or `demo`
    #[arg(long, default_value = crate::corpus::demo::DEMO)]
    corpus: PathBuf,
    /// Preset
    #[arg(long, default_value = "paper", value_parser = choice::<Preset>())]
    preset: Preset,
}

pub fn run(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let store = open_corpus(&arguments.corpus)?;
    let settings = arguments.preset.settings_for(Encoder::Windows);
    let measured = bench::windows(&store, &settings, options.rounds(), &mut |round| {
        options.notice_round(round, output);
    })?;
    options.print(&measured, output, print)
}

fn print(measured: &WindowsMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "an epoch over {}, {} of dimension {}, {}: best {:.1} s, median {:.1} s",
        counted(measured.pairs as u64, "pair"),
        counted(measured.features as u64, "feature"),
        measured.width,
        counted(measured.threads as u64, "thread"),
        measured.epoch.best(),
        measured.epoch.median(),
    ))?;
    output.line(&format!("one pass over the corpus: best {:.1} s", measured.read.best()))?;
    output.line(&format!("peak memory {}", measured.memory.map_or("unknown".to_owned(), bytes)))
}
