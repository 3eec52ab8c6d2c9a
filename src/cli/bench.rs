//! `matchbook bench`: measure this machine.

use std::{path::PathBuf, sync::atomic::AtomicBool};

use anyhow::Context;
use clap::Subcommand;

use super::{
    bench_explain, corpus_argument,
    output::{Output, grouped},
    progress::bytes,
};
use crate::{
    bench::{
        self, EncodeMeasurement, ExtractBench, ExtractMeasurement, Peer, ReplaceMeasurement, Served,
        TrainMeasurement,
    },
    symbols::Protected,
    synth::{self, Markup, Request},
};

/// Measure this machine
///
/// What is compared runs in turns within one command; the shortest time and the median are reported.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook bench extract --folder articles --peer \"python3 extraction.py\"\n  matchbook bench replace --corpus my.corpus\n  matchbook bench train --peer \"python3 encoders_torch.py\""
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
    /// Training steps of the paper's encoder, with the share of the matrix products
    Train(TrainArguments),
    /// Encoding documents with the paper's encoder
    Encode(TrainArguments),
    Explain(bench_explain::Arguments),
}

#[derive(clap::Args)]
struct TrainArguments {
    /// A command that, given `serve`, reads names of work on its input and answers each with seconds
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
    /// Batches that the other program wrote; drawn with the paper's lengths otherwise
    #[arg(long, value_name = "FILE")]
    batches: Option<PathBuf>,
}

impl TrainArguments {
    fn start(&self) -> anyhow::Result<Option<Served>> {
        let words = self.peer.as_ref().map(|command| command.split_whitespace().map(str::to_owned).collect());
        Ok(words.map(|words: Vec<String>| Served::start(&words)).transpose()?)
    }
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
        What::Explain(given) => bench_explain::run(given, rounds, arguments.json, output),
        What::Train(given) => {
            let batches = bench::batches(given.batches.as_deref())?;
            let measured = bench::train(&batches, rounds, given.start()?, &mut |round| {
                output.notice(&format!("round {} of {rounds}", round + 1))
            })?;
            if arguments.json { output.json(&measured) } else { print_train(&measured, output) }
        }
        What::Encode(given) => {
            let batches = bench::batches(given.batches.as_deref())?;
            let measured = bench::encode(&batches, rounds, given.start()?, &mut |round| {
                output.notice(&format!("round {} of {rounds}", round + 1))
            })?;
            if arguments.json { output.json(&measured) } else { print_encode(&measured, output) }
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

fn print_train(measured: &TrainMeasurement, output: &mut Output) -> anyhow::Result<()> {
    let step = measured.step.best();
    output.line(&format!(
        "the paper's encoder, 60 statements and 60 proofs, {} tokens on average, {} threads",
        grouped(measured.tokens as u64),
        measured.threads
    ))?;
    output.line(&format!("{:<36}{:>10}{:>10}{:>14}", "", "best s", "median s", "of one step"))?;
    let ours = [
        ("one step".to_owned(), &measured.step),
        ("its matrix products alone".to_owned(), &measured.products),
        ("one step, all documents of 200 tokens".to_owned(), &measured.padded),
    ];
    let peers = measured.peers.iter().map(|(name, times)| (format!("the other program: {name}"), times));
    for (name, times) in ours.into_iter().chain(peers) {
        let (best, median) = (times.best(), times.median());
        output.line(&format!("{name:<36}{best:>10.3}{median:>10.3}{:>14.2}", best / step))?;
    }
    let speed = measured.operations / measured.products.best();
    output.line(&format!(
        "{:.2} steps/s; products take {:.0} % of a step, at {:.0} of at most {:.0} GFlop/s ({:.0} %)",
        1.0 / step,
        100.0 * measured.products.best() / step,
        speed / 1e9,
        measured.peak / 1e9,
        100.0 * speed / measured.peak,
    ))?;
    let memory = |memory: Option<u64>| memory.map_or("unknown".to_owned(), bytes);
    output.line(&format!("peak memory {}", memory(measured.memory)))?;
    if !measured.peers.is_empty() {
        output.line(&format!("peak memory of the other program {}", memory(measured.peer_memory)))?;
    }
    Ok(())
}

fn print_encode(measured: &EncodeMeasurement, output: &mut Output) -> anyhow::Result<()> {
    let speed = |seconds: f64| measured.documents as f64 / seconds;
    let best = measured.encode.best();
    output.line(&format!(
        "{} documents, {} tokens on average: best {best:.3} s, median {:.3} s, {:.0} documents/s",
        measured.documents,
        grouped(measured.tokens as u64),
        measured.encode.median(),
        speed(best),
    ))?;
    if !measured.peer.is_empty() {
        let peer = measured.peer.best();
        output.line(&format!(
            "the other program: best {peer:.3} s, {:.0} documents/s; {:.1} times as long",
            speed(peer),
            peer / best
        ))?;
    }
    Ok(())
}
