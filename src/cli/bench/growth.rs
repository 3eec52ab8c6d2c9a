//! `matchbook bench growth`.

use std::path::PathBuf;

use anyhow::Context;
use strum::IntoEnumIterator;

use super::BenchOptions;
use crate::{
    base::{task::Task, temporary::TemporaryFolder},
    bench::{self, BenchError, FACTORS, GrowthBench, GrowthMeasurement, GrowthWork},
    cli::{
        choice::choice,
        output::{Output, bytes, grouped},
    },
    corpus::{
        demo,
        synth::{self, Markup, SynthRequest},
    },
};

/// Time and peak memory at 1, 4 and 16 times a base size, with fitted growth exponents
#[derive(clap::Args)]
pub struct Arguments {
    /// Measure only this kind of work; may be repeated
    #[arg(long, value_name = "WORK", value_parser = choice::<GrowthWork>())]
    only: Vec<GrowthWork>,
    /// Run a single task, in its own process
    #[arg(long, hide = true, requires_all = ["size", "input"], value_parser = choice::<GrowthWork>())]
    alone: Option<GrowthWork>,
    #[arg(long, hide = true)]
    size: Option<usize>,
    #[arg(long, hide = true)]
    input: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    if let (Some(work), Some(size), Some(input)) = (arguments.alone, arguments.size, &arguments.input) {
        return output.json(&bench::grow(work, size, input)?);
    }
    let scratch = TemporaryFolder::scratch().context("cannot create a temporary folder")?;
    let works = match arguments.only.is_empty() {
        true => GrowthWork::iter().collect(),
        false => arguments.only.clone(),
    };
    let bench = GrowthBench {
        works,
        rounds: options.rounds(),
        program: std::env::current_exe().context("cannot find this program")?,
        scratch: scratch.path().to_owned(),
    };
    let few = demo::corpus()?;
    let mut prepare = |work: GrowthWork, size: usize| {
        let path = scratch.path().join(format!("{work}-{size}"));
        match work {
            GrowthWork::Extract => {
                let request = SynthRequest { pairs: size as u64, seed: 1, markup: Markup::Full };
                synth::write(&path, request, &Task::unobserved())
                    .map_err(|error| BenchError::Files(std::io::Error::other(error)))?;
            }
            GrowthWork::Replace | GrowthWork::Tokenize | GrowthWork::Find => {
                bench::multiply(&few, size as u32, &path)?;
            }
            GrowthWork::Step | GrowthWork::Encode | GrowthWork::Rank | GrowthWork::Assign => {}
        }
        Ok(path)
    };
    let mut observe = |work: GrowthWork, size: usize| {
        output.notice(&format!("{work}, {} {}", grouped(size as u64), work.base().1))
    };
    let measured = bench::growth(&bench, &mut prepare, &mut observe)?;
    options.print(&measured, output, |measured, output| print(measured, output))
}

fn print(measured: &[GrowthMeasurement], output: &mut Output) -> anyhow::Result<()> {
    let sizes = FACTORS.map(|factor| format!("{factor}x"));
    output.line(&format!(
        "{:<10}{:>17}{}{:>10}{:>8}{:>10}{:>8}",
        "",
        "base size",
        sizes.iter().map(|size| format!("{size:>20}")).collect::<String>(),
        "time ~ n^",
        "theory",
        "memory ~",
        "theory"
    ))?;
    for growth in measured {
        let (base, unit) = growth.work.base();
        let points = growth.points.iter().map(|point| {
            let memory = point.memory.map_or(String::new(), |memory| format!(" {}", bytes(memory)));
            format!("{:>20}", format!("{:.3} s{memory}", point.times.best()))
        });
        let [time, memory] = growth.work.theory();
        output.line(&format!(
            "{:<10}{:>17}{}{:>10.2}{time:>8}{:>10}{memory:>8}",
            growth.work,
            format!("{} {unit}", grouped(base as u64)),
            points.collect::<String>(),
            growth.time_exponent,
            growth.memory_exponent.map_or("unknown".to_owned(), |exponent| format!("{exponent:.2}")),
        ))?;
    }
    Ok(())
}
