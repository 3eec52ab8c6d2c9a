//! `matchbook bench`: measure this machine.

use std::{path::PathBuf, sync::atomic::AtomicBool};

use anyhow::Context;
use clap::Subcommand;

use super::{
    corpus_argument,
    output::{Output, grouped},
    progress::bytes,
};
use crate::{
    bench::{
        self, ExplainBench, ExplainMeasurement, ExtractBench, ExtractMeasurement, Peer, ReplaceMeasurement,
        Times,
    },
    symbols::Protected,
    synth::{self, Markup, Request},
};

/// Measure this machine
///
/// What is compared runs in turns within one command; the shortest time and the median are reported.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook bench extract --folder articles --peer \"python3 extraction.py\"\n  matchbook bench replace --corpus my.corpus"
)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
    /// How often each is measured
    #[arg(long, default_value_t = 5, global = true, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Print the measurement as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    /// Articles to a corpus, with one thread and with two, against a bare pass of quick-xml and another program
    Extract {
        /// A folder of articles; generated ones otherwise
        #[arg(long)]
        folder: Option<PathBuf>,
        /// A command that extracts a folder and prints JSON with `seconds`
        #[arg(long, value_name = "COMMAND")]
        peer: Option<String>,
        /// How many pairs to generate when no folder is given
        #[arg(long, default_value_t = 2_000, value_name = "N")]
        pairs: u64,
    },
    /// Symbol replacement at all four levels
    Replace {
        /// A corpus file, or `demo`
        #[arg(long, default_value = "demo")]
        corpus: PathBuf,
    },
    /// Explanations of a pair of 280 tokens, with models of the paper's shape and of the small one
    Explain {
        /// How many samples LIME draws
        #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
        samples: u32,
        /// A command that takes `--samples N` and prints JSON with `own`: LIME's seconds besides scoring
        #[arg(long, value_name = "COMMAND")]
        peer: Option<String>,
    },
}

/// The size of the paper's corpus.
const PAPER_PAIRS: usize = 184_094;

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let rounds = usize::from(arguments.rounds);
    match arguments.what {
        What::Extract { folder, peer, pairs } => {
            let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
            let folder = match folder {
                Some(folder) => folder,
                None => {
                    let folder = scratch.path().join("articles");
                    let request = Request { pairs, seed: 1, markup: Markup::Full };
                    synth::write(&folder, request, &AtomicBool::new(false), &mut |_| {})?;
                    folder
                }
            };
            let bench = ExtractBench {
                folder,
                rounds,
                program: std::env::current_exe().context("cannot find this program")?,
                peer: peer
                    .map(|command| Peer { command: command.split_whitespace().map(str::to_owned).collect() }),
                scratch: scratch.path().to_owned(),
            };
            let measured = bench::extract(&bench, &mut |round| {
                output.notice(&format!("round {} of {rounds}", round + 1))
            })?;
            if arguments.json { output.json(&measured) } else { print_extract(&measured, output) }
        }
        What::Replace { corpus } => {
            let store = corpus_argument::open(&corpus)?;
            let measured = bench::replace(&store, &Protected::built_in()?, rounds)?;
            if arguments.json { output.json(&measured) } else { print_replace(&measured, output) }
        }
        What::Explain { samples, peer } => {
            let peer = peer.map(|command| command.split_whitespace().map(str::to_owned).collect());
            let bench = ExplainBench { rounds, samples: samples as usize, peer };
            let measured = bench::explain(&bench, &mut |round| {
                output.notice(&format!("round {} of {rounds}", round + 1))
            })?;
            if arguments.json { output.json(&measured) } else { print_explain(&measured, output) }
        }
    }
}

fn print_extract(measured: &ExtractMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{} articles, {}, {} pairs kept; peak memory {}",
        grouped(measured.articles as u64),
        bytes(measured.bytes),
        grouped(measured.pairs),
        bytes(measured.peak_memory),
    ))?;
    let one = &measured.one_thread;
    output.line(&format!(
        "{:<36}{:>10}{:>10}{:>10}{:>14}",
        "", "best s", "median s", "MB/s", "of one thread"
    ))?;
    let rows = [
        ("bare quick-xml pass", &measured.bare),
        ("extract, one thread", one),
        ("extract, two threads", &measured.two_threads),
        ("the other program", &measured.peer),
    ];
    for (name, times) in rows.into_iter().filter(|(_, times)| !times.is_empty()) {
        output.line(&format!(
            "{name:<36}{:>10.3}{:>10.3}{:>10.1}{:>14.2}",
            times.best(),
            times.median(),
            measured.speed(times),
            one.best() / times.best(),
        ))?;
    }
    if !measured.peer.is_empty() {
        output.line(&format!(
            "one thread is {:.1} times the other program",
            measured.peer.best() / one.best()
        ))?;
    }
    Ok(())
}

fn print_replace(measured: &ReplaceMeasurement, output: &mut Output) -> anyhow::Result<()> {
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

fn print_explain(measured: &ExplainMeasurement, output: &mut Output) -> anyhow::Result<()> {
    let samples = grouped(measured.samples as u64);
    output.line(&format!(
        "{} tokens, LIME with {samples} samples; seconds, best and median",
        measured.pieces
    ))?;
    let row = |name: &str, times: &Times| format!("{name:<36}{:>10.3}{:>10.3}", times.best(), times.median());
    for (shape, times) in [("paper", &measured.paper), ("small", &measured.small)] {
        let rows = [
            ("LIME", &times.lime),
            ("LIME, first partial answer", &times.first),
            ("gradient x input", &times.gradients),
            ("integrated gradients, 32 steps", &times.integrated),
            ("occlusion", &times.occlusion),
        ];
        for (name, times) in rows {
            output.line(&row(&format!("{shape}: {name}"), times))?;
        }
    }
    output.line(&row("LIME without scoring", &measured.own))?;
    if !measured.peer.is_empty() {
        output.line(&row("the other program without scoring", &measured.peer))?;
        let ratio = measured.peer.best() / measured.own.best();
        output.line(&format!("the other program takes {ratio:.1} times as long besides scoring"))?;
    }
    Ok(())
}
