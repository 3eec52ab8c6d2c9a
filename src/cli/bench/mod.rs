//! `matchbook bench`: measure this machine.

mod assign;
mod bert;
mod curves;
mod explain;
mod extract;
mod frame;
mod model;
mod rank;
mod replace;

use clap::Subcommand;
use serde::Serialize;

use super::output::Output;
use crate::bench::Peer;

/// Measure this machine
///
/// What is compared runs in turns within one command; the shortest time and the median are reported.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook bench extract --folder articles --peer \"python3 extraction.py\"\n  matchbook bench replace --corpus my.corpus\n  matchbook bench rank --peer \"python3 ranking_torch.py\"\n  matchbook bench assign --only diagonal-2000 --peer \"python3 assignment.py\"\n  matchbook bench train --peer \"python3 encoders_torch.py\"\n  matchbook bench bert --size base --peer \"python3 encoders_torch.py\"\n  matchbook bench frame\n  matchbook bench curves"
)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
    #[command(flatten)]
    how: How,
}

/// How to measure, and how to tell it.
#[derive(clap::Args)]
struct How {
    /// How often each is measured
    #[arg(long, default_value_t = 5, global = true, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Print the measurement as JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum What {
    Extract(extract::Arguments),
    Replace(replace::Arguments),
    Rank(rank::Arguments),
    Assign(assign::Arguments),
    /// Training steps of the paper's encoder, with the share of the matrix products
    Train(model::Arguments),
    /// Encoding documents with the paper's encoder
    Encode(model::Arguments),
    Bert(bert::Arguments),
    Explain(explain::Arguments),
    Frame(frame::Arguments),
    Curves(curves::Arguments),
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let how = &arguments.how;
    match arguments.what {
        What::Extract(arguments) => extract::run(arguments, how, output),
        What::Replace(arguments) => replace::run(&arguments, how, output),
        What::Rank(arguments) => rank::run(&arguments, how, output),
        What::Assign(arguments) => assign::run(arguments, how, output),
        What::Train(arguments) => model::train(&arguments, how, output),
        What::Encode(arguments) => model::encode(&arguments, how, output),
        What::Bert(arguments) => bert::run(&arguments, how, output),
        What::Explain(arguments) => explain::run(arguments, how, output),
        What::Frame(arguments) => frame::run(arguments, how, output),
        What::Curves(arguments) => curves::run(&arguments, how, output),
    }
}

impl How {
    fn rounds(&self) -> usize {
        usize::from(self.rounds)
    }

    fn round_begins(&self, round: usize, output: &Output) {
        output.notice(&format!("round {} of {}", round + 1, self.rounds));
    }

    /// The measurement as JSON, or in words.
    fn tell<M: Serialize>(
        &self,
        measured: &M,
        output: &mut Output,
        in_words: impl Fn(&M, &mut Output) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if self.json { output.json(measured) } else { in_words(measured, output) }
    }
}

/// Another program, as it was written on the command line.
fn peer_command(command: &str) -> Peer {
    Peer { command: command.split_whitespace().map(str::to_owned).collect() }
}
