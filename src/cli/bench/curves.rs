//! `matchbook bench curves`.

use anyhow::Context;

use super::{super::range::whole, BenchOptions};
use crate::{
    base::temporary::TemporaryFolder,
    bench::{self, CurvesMeasurement},
    cli::output::{Output, bytes, counted},
    corpus::demo,
};

/// Train and Curves with many long runs: time to open, time per frame, memory
#[derive(clap::Args)]
pub struct Arguments {
    /// Number of runs
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u16).range(8..=2000))]
    runs: u16,
    /// Lines of metrics per run
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = whole::<u64>(1, 100_000_000))]
    lines: u64,
}

pub fn run(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let scratch = TemporaryFolder::scratch().context("cannot create a temporary folder")?;
    output.notice(&format!("writing {}", counted(arguments.runs, "run")));
    let corpus = |_: &str| demo::corpus().map_err(|error| error.to_string());
    let measured = bench::curves(scratch.path(), &corpus, arguments.runs.into(), arguments.lines)?;
    options.print(&measured, output, print)
}

fn print(measured: &CurvesMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{} with {} of metrics each, at {}x{}, in milliseconds",
        counted(measured.runs as u64, "run"),
        counted(measured.lines, "line"),
        bench::SIZE.width,
        bench::SIZE.height
    ))?;
    for (what, time) in [
        ("Train with all runs", measured.open_train),
        ("Curves (grid) with one run", measured.open_one),
        ("then reading its metrics", measured.read_lines),
        ("adding the eighth run", measured.open_eight),
        ("adding all other runs at once", measured.open_all),
        ("background scan of all runs", measured.look),
    ] {
        output.line(&format!("{what:<34}{time:>10.1}"))?;
    }
    let table = measured.table;
    output.line(&format!(
        "a frame while the table is filtered and sorted: median {:.2}, 99 % {:.2}, longest {:.2}",
        table.median, table.p99, table.max
    ))?;
    let following = measured.following;
    output.line(&format!(
        "a frame while a run grows: median {:.2}, 99 % {:.2}, longest {:.2}",
        following.median, following.p99, following.max
    ))?;
    match measured.memory {
        Some(memory) => output.line(&format!("peak memory {}", bytes(memory))),
        None => Ok(()),
    }
}
