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
        self, Alone, AssignBench, AssignMeasurement, ExtractBench, ExtractMeasurement, FrameBench,
        FrameMeasurement, Instance, Peer, RankBench, RankMeasurement, ReplaceMeasurement,
    },
    demo,
    symbols::Protected,
    synth::{self, Markup, Request},
};

/// Measure this machine
///
/// What is compared runs in turns within one command; the shortest time and the median are reported.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook bench extract --folder articles --peer \"python3 extraction.py\"\n  matchbook bench replace --corpus my.corpus\n  matchbook bench rank --peer \"python3 ranking_torch.py\"\n  matchbook bench assign --only diagonal-2000 --peer \"python3 assignment.py\"\n  matchbook bench frame"
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
    /// Ranks and the best proofs of every statement from vectors, against another program
    Rank {
        /// Statements, and as many proofs; the paper's dev part otherwise
        #[arg(long, default_value_t = 18_408, value_name = "N")]
        count: usize,
        /// Numbers of a vector
        #[arg(long, default_value_t = 300, value_name = "N")]
        width: usize,
        /// How many proofs of each statement are kept
        #[arg(long, default_value_t = 500, value_name = "N")]
        k: usize,
        /// A command that takes --n and --width and prints JSON with `product` and `loop`, in seconds
        #[arg(long, value_name = "COMMAND")]
        peer: Option<String>,
    },
    /// Assignment solvers, dense and sparse, against another program's on the same instances
    Assign {
        /// A command that solves `dense N KIND` and `sparse KIND`, writes the instance to `--dump FILE`, and prints JSON
        /// with `seconds` and `cost` for each of its solvers
        #[arg(long, value_name = "COMMAND")]
        peer: Option<String>,
        /// Only these instances, such as `diagonal-2000` or `sparse-hubby`
        #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = instance)]
        only: Vec<Instance>,
    },
    /// Symbol replacement at all four levels
    Replace {
        /// A corpus file, or `demo`
        #[arg(long, default_value = "demo")]
        corpus: PathBuf,
    },
    /// The workbench at 200x50: scrolling, paging, searching; the first frame; memory
    Frame {
        /// A corpus file; without one, the demo's pairs again and again
        #[arg(long)]
        corpus: Option<PathBuf>,
        /// How many pairs the corpus has that is made when none is given
        #[arg(long, default_value_t = 200_000, value_name = "N")]
        pairs: u32,
        /// Do only what has a process of its own
        #[arg(long, hide = true, requires = "corpus", value_parser = alone)]
        alone: Option<Alone>,
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
                peer: peer.as_deref().map(peer_command),
                scratch: scratch.path().to_owned(),
            };
            let measured = bench::extract(&bench, &mut |round| {
                output.notice(&format!("round {} of {rounds}", round + 1))
            })?;
            if arguments.json { output.json(&measured) } else { print_extract(&measured, output) }
        }
        What::Rank { count, width, k, peer } => {
            let peer = peer.as_deref().map(peer_command);
            let bench = RankBench { count, width, keep: k, rounds, peer };
            let measured =
                bench::rank(&bench, &mut |round| output.notice(&format!("round {} of {rounds}", round + 1)))?;
            if arguments.json { output.json(&measured) } else { print_rank(&measured, output) }
        }
        What::Assign { peer, only } => {
            let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
            let bench = AssignBench {
                rounds,
                instances: if only.is_empty() { Instance::ALL.to_vec() } else { only },
                peer: peer.as_deref().map(peer_command),
                scratch: scratch.path().to_owned(),
            };
            let measured = bench::assign(&bench, &mut |instance, round| {
                output.notice(&format!("{}, round {} of {rounds}", instance.name(), round + 1))
            })?;
            if arguments.json { output.json(&measured) } else { print_assign(&measured, output) }
        }
        What::Replace { corpus } => {
            let store = corpus_argument::open(&corpus)?;
            let measured = bench::replace(&store, &Protected::built_in()?, rounds)?;
            if arguments.json { output.json(&measured) } else { print_replace(&measured, output) }
        }
        What::Frame { corpus: Some(corpus), alone: Some(what), .. } => match bench::alone(&corpus, what)? {
            Some(memory) => output.line(&memory.to_string()),
            None => Ok(()),
        },
        What::Frame { corpus, pairs, .. } => {
            let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
            let corpus = match corpus {
                Some(corpus) => corpus,
                None => {
                    let path = scratch.path().join("many.corpus");
                    output.notice(&format!("making a corpus of {} pairs", grouped(pairs.into())));
                    bench::multiply(&demo::corpus()?, pairs, &path)?;
                    path
                }
            };
            let program = std::env::current_exe().context("cannot find this program")?;
            let measured = bench::frame(&FrameBench { corpus, rounds, program })?;
            if arguments.json { output.json(&measured) } else { print_frame(&measured, output) }
        }
    }
}

fn peer_command(command: &str) -> Peer {
    Peer { command: command.split_whitespace().map(str::to_owned).collect() }
}

fn instance(name: &str) -> Result<Instance, String> {
    let known = || Instance::ALL.map(Instance::name).join(", ");
    let found = Instance::ALL.into_iter().find(|instance| instance.name() == name);
    found.ok_or_else(|| format!("the instances are {}", known()))
}

fn print_assign(measured: &[AssignMeasurement], output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{:<18}{:<12}{:>12}{:>12}{:>18}{:>10}",
        "instance", "solver", "best ms", "median ms", "cost", "of ours"
    ))?;
    for measured in measured {
        let own = &measured.own;
        let cost = measured.own_cost.as_ref().ok().copied();
        let peers = measured.peers.iter().map(|(name, peer)| (name.as_str(), &peer.times, peer.cost));
        for (name, times, cost) in [("matchbook", own, cost)].into_iter().chain(peers) {
            output.line(&format!(
                "{:<18}{name:<12}{:>12.3}{:>12.3}{:>18}{:>10.2}",
                measured.instance,
                times.best() * 1e3,
                times.median() * 1e3,
                cost.map_or_else(|| "none".to_owned(), |cost| format!("{cost:.6}")),
                times.best() / own.best(),
            ))?;
        }
        if let Err(why) = &measured.own_cost {
            output.line(&format!("{:<18}{why}", ""))?;
        }
        if let Some(kept) = measured.kept {
            output.line(&format!(
                "{:<18}from scores to an answer, with the {} best of each row and {} of each column",
                "", kept.per_row, kept.per_column
            ))?;
        }
        if let Some(ratio) = measured.ratio() {
            output.line(&format!("{:<18}{ratio:.1} times the better of the others", ""))?;
        }
    }
    Ok(())
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

fn alone(written: &str) -> Result<Alone, String> {
    let found = Alone::ALL.into_iter().find(|what| what.name() == written);
    found.ok_or_else(|| "first-frame or memory".to_owned())
}

fn print_frame(measured: &FrameMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "update and view at {}x{} on {} pairs, in milliseconds",
        bench::SIZE.width,
        bench::SIZE.height,
        grouped(measured.pairs.into())
    ))?;
    output.line(&format!("{:<14}{:>8}{:>10}{:>10}{:>10}", "", "steps", "median", "99 %", "longest"))?;
    let rows = [
        ("scrolling", measured.scrolling),
        ("paging", measured.paging),
        ("searching", measured.searching),
        ("all", measured.all),
    ];
    for (name, times) in rows {
        output.line(&format!(
            "{name:<14}{:>8}{:>10.2}{:>10.2}{:>10.2}",
            times.steps, times.median, times.most, times.longest
        ))?;
    }
    output.line(&format!(
        "first frame {:.0} ms after the process started (median {:.0} ms)",
        measured.first_frame.best() * 1e3,
        measured.first_frame.median() * 1e3,
    ))?;
    match measured.memory {
        Some(memory) => output.line(&format!("peak memory {}", bytes(memory))),
        None => Ok(()),
    }
}

fn print_rank(measured: &RankMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{0} statements by {0} proofs, vectors of {1}, ranks and the best {2}; peak memory {3}",
        grouped(measured.count as u64),
        measured.width,
        measured.keep,
        measured.peak_memory.map_or_else(|| "unknown".to_owned(), bytes),
    ))?;
    output.line(&format!("{:<36}{:>10}{:>10}{:>12}", "", "best s", "median s", "of ours"))?;
    let rows = [
        ("ours", &measured.ours),
        ("the other program", &measured.peer),
        ("the reference's loop, estimated", &measured.reference_loop),
    ];
    for (name, times) in rows.into_iter().filter(|(_, times)| !times.is_empty()) {
        output.line(&format!(
            "{name:<36}{:>10.2}{:>10.2}{:>12.1}",
            times.best(),
            times.median(),
            times.best() / measured.ours.best(),
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
