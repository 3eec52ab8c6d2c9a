//! `matchbook bench extract`.

use std::path::PathBuf;

use anyhow::Context;

use super::{super::range::whole, BenchOptions};
use crate::{
    base::{task::Task, temporary::TemporaryFolder},
    bench::{self, ExtractBench, ExtractMeasurement, Peer},
    cli::output::{Output, bytes, counted},
    corpus::synth::{self, Markup, SynthRequest},
};

/// Extraction with one and two threads, against a bare pass of quick-xml and another program
#[derive(clap::Args)]
pub struct Arguments {
    /// Folder of articles [default: generated articles]
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Peer: a command that extracts a folder and prints JSON with `seconds`
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
    /// Number of pairs to generate when no folder is given
    #[arg(long, default_value_t = 2_000, value_name = "N", value_parser = whole::<u64>(1, 10_000_000))]
    pairs: u64,
}

pub fn run(arguments: Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let scratch = TemporaryFolder::scratch().context("cannot create a temporary folder")?;
    let folder = match arguments.folder {
        Some(folder) => folder,
        None => {
            let folder = scratch.path().join("articles");
            let request = SynthRequest { pairs: arguments.pairs, seed: 1, markup: Markup::Full };
            synth::write(&folder, request, &Task::unobserved())?;
            folder
        }
    };
    let bench = ExtractBench {
        folder,
        rounds: options.rounds(),
        program: std::env::current_exe().context("cannot find this program")?,
        peer: arguments.peer.as_deref().map(Peer::parse),
        scratch: scratch.path().to_owned(),
    };
    let measured = bench::extract(&bench, &mut |round| options.notice_round(round, output))?;
    options.print(&measured, output, print)
}

fn print(measured: &ExtractMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{}, {}, {} kept; peak memory {}",
        counted(measured.articles as u64, "article"),
        bytes(measured.bytes),
        counted(measured.pairs, "pair"),
        bytes(measured.peak_memory),
    ))?;
    let one = &measured.one_thread;
    output.line(&format!(
        "{:<36}{:>10}{:>10}{:>10}{:>14}",
        "", "best s", "median s", "MB/s", "vs one thread"
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
            "one thread is {:.1} times as fast as the other program",
            measured.peer.best() / one.best()
        ))?;
    }
    Ok(())
}
