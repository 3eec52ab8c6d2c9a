//! `matchbook bench assign`.

use std::path::PathBuf;

use anyhow::Context;

use super::BenchOptions;
use crate::{
    base::temporary::TemporaryFolder,
    bench::{self, AssignBench, AssignMeasurement, Instance, Peer},
    cli::output::Output,
    corpus::formats::ranks,
};

/// Assignment solvers, dense and sparse, against another program's on the same instances
#[derive(clap::Args)]
pub struct Arguments {
    /// Command that solves `dense N KIND` and `sparse KIND`, writes the instance to `--dump FILE`, or solves `given N FILE`,
    /// and prints JSON with `seconds` and `cost` for each of its solvers
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
    /// Instances to run, such as `diagonal-2000` or `sparse-hubby`
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = instance)]
    only: Vec<Instance>,
    /// Rank file of `matchbook evaluate --ranks`, to run the scores of a model instead
    #[arg(long, value_name = "FILE")]
    ranks: Option<PathBuf>,
}

pub fn run(arguments: Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let scratch = TemporaryFolder::scratch().context("cannot create a temporary folder")?;
    let ranks = arguments.ranks.as_deref().map(ranks::read).transpose()?;
    let bench = AssignBench {
        rounds: options.rounds(),
        instances: if arguments.only.is_empty() && ranks.is_none() {
            Instance::ALL.to_vec()
        } else {
            arguments.only
        },
        ranks,
        peer: arguments.peer.as_deref().map(Peer::parse),
        scratch: scratch.path().to_owned(),
    };
    let measured = bench::assign(&bench, &mut |instance, round| {
        output.notice(&format!("{}, round {} of {}", instance.name(), round + 1, options.rounds));
    })?;
    options.print(&measured, output, |measured, output| print(measured, output))
}

fn instance(name: &str) -> Result<Instance, String> {
    let known = || Instance::ALL.map(Instance::name).join(", ");
    let found = Instance::ALL.into_iter().find(|instance| instance.name() == name);
    found.ok_or_else(|| format!("the instances are {}", known()))
}

fn print(measured: &[AssignMeasurement], output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{:<18}{:<12}{:>12}{:>12}{:>18}{:>10}",
        "instance", "solver", "best ms", "median ms", "cost", "vs ours"
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
                "{:<18}from scores to an assignment, keeping the {} best of each row and {} of each column",
                "", kept.per_row, kept.per_column
            ))?;
        }
        if let Some(ratio) = measured.ratio() {
            output.line(&format!("{:<18}{ratio:.1} times as fast as the fastest other solver", ""))?;
        }
    }
    Ok(())
}
