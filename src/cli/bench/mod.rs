//! `matchbook bench`: runs benchmarks on this machine.

mod assign;
mod bert;
mod curves;
mod explain;
mod extract;
mod find;
mod frame;
mod gpu;
mod growth;
mod model;
mod rank;
mod replace;
mod windows;

use clap::Subcommand;
use serde::Serialize;

use super::output::Output;

/// Run benchmarks on this machine
///
/// Programs that are compared run alternately; the shortest time and the median are reported.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook bench extract --folder articles --peer \"python3 extraction.py\"\n  matchbook bench replace --corpus my.corpus\n  matchbook bench rank --peer \"python3 ranking_torch.py\"\n  matchbook bench find --corpus load.corpus --peer \"python3 find_exact.py\"\n  matchbook bench assign --only diagonal-2000 --peer \"python3 assignment.py\"\n  matchbook bench train --peer \"python3 encoders_torch.py\"\n  matchbook bench bert --size base --peer \"python3 encoders_torch.py\"\n  matchbook bench gpu --model bert --device cuda\n  matchbook bench growth --rounds 1\n  matchbook bench frame\n  matchbook bench curves\n  matchbook bench windows --corpus synth.corpus --rounds 1"
)]
pub struct Arguments {
    #[command(subcommand)]
    benchmark: Benchmark,
    #[command(flatten)]
    options: BenchOptions,
}

/// Options of every benchmark.
#[derive(clap::Args)]
struct BenchOptions {
    /// Number of rounds
    #[arg(long, default_value_t = 5, global = true, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Print the measurement as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Benchmark {
    Extract(extract::Arguments),
    Replace(replace::Arguments),
    Rank(rank::Arguments),
    Find(find::Arguments),
    Assign(assign::Arguments),
    /// Training steps of the paper's NPT, with the fraction of time spent in matrix products
    Train(model::Arguments),
    /// Encoding of documents with the paper's NPT
    Encode(model::Arguments),
    Bert(bert::Arguments),
    Explain(explain::Arguments),
    Gpu(gpu::Arguments),
    Growth(growth::Arguments),
    Frame(frame::Arguments),
    Curves(curves::Arguments),
    Windows(windows::Arguments),
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let options = &arguments.options;
    match arguments.benchmark {
        Benchmark::Extract(arguments) => extract::run(arguments, options, output),
        Benchmark::Replace(arguments) => replace::run(&arguments, options, output),
        Benchmark::Rank(arguments) => rank::run(&arguments, options, output),
        Benchmark::Find(arguments) => find::run(&arguments, options, output),
        Benchmark::Assign(arguments) => assign::run(arguments, options, output),
        Benchmark::Train(arguments) => model::train(&arguments, options, output),
        Benchmark::Encode(arguments) => model::encode(&arguments, options, output),
        Benchmark::Bert(arguments) => bert::run(&arguments, options, output),
        Benchmark::Explain(arguments) => explain::run(arguments, options, output),
        Benchmark::Gpu(arguments) => gpu::run(&arguments, options, output),
        Benchmark::Growth(arguments) => growth::run(&arguments, options, output),
        Benchmark::Frame(arguments) => frame::run(arguments, options, output),
        Benchmark::Curves(arguments) => curves::run(&arguments, options, output),
        Benchmark::Windows(arguments) => windows::run(&arguments, options, output),
    }
}

impl BenchOptions {
    fn rounds(&self) -> usize {
        usize::from(self.rounds)
    }

    /// Announces a round.
    fn notice_round(&self, round: usize, output: &Output) {
        output.notice(&format!("round {} of {}", round + 1, self.rounds));
    }

    /// Prints the measurement as JSON or as text.
    fn print<M: Serialize>(
        &self,
        measured: &M,
        output: &mut Output,
        text: impl Fn(&M, &mut Output) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if self.json { output.json(measured) } else { text(measured, output) }
    }
}
