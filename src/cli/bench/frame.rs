//! `matchbook bench frame`.

use std::path::PathBuf;

use anyhow::Context;

use super::{super::range::whole, BenchOptions};
use crate::{
    base::temporary::TemporaryFolder,
    bench::{self, ChildTask, FrameBench, FrameMeasurement},
    cli::{
        choice::choice,
        output::{Output, bytes, counted},
    },
    corpus::demo,
};

/// The workbench at 200x50: scrolling, paging, searching; the first frame; memory
#[derive(clap::Args)]
pub struct Arguments {
    /// Corpus file [default: repeated pairs of the demo]
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Number of pairs of the default corpus
    #[arg(long, default_value_t = 200_000, value_name = "N", value_parser = whole::<u32>(1, 10_000_000))]
    pairs: u32,
    /// Run a single task, in its own process
    #[arg(long, hide = true, requires = "corpus", value_parser = choice::<ChildTask>())]
    alone: Option<ChildTask>,
}

pub fn run(arguments: Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    if let (Some(corpus), Some(task)) = (&arguments.corpus, arguments.alone) {
        return match bench::run_child_task(corpus, task)? {
            Some(memory) => output.line(&memory.to_string()),
            None => Ok(()),
        };
    }
    let scratch = TemporaryFolder::scratch().context("cannot create a temporary folder")?;
    let corpus = match arguments.corpus {
        Some(corpus) => corpus,
        None => {
            let path = scratch.path().join("many.corpus");
            output.notice(&format!("building a corpus of {}", counted(arguments.pairs, "pair")));
            bench::multiply(&demo::corpus()?, arguments.pairs, &path)?;
            path
        }
    };
    let program = std::env::current_exe().context("cannot find this program")?;
    let measured = bench::frame(&FrameBench { corpus, rounds: options.rounds(), program })?;
    options.print(&measured, output, print)
}

fn print(measured: &FrameMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "update and view at {}x{} on {}, in milliseconds",
        bench::SIZE.width,
        bench::SIZE.height,
        counted(measured.pairs, "pair")
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
            times.steps, times.median, times.p99, times.max
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
