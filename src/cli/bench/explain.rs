//! `matchbook bench explain`: how long explanations take.

use super::BenchOptions;
use crate::{
    bench::{self, ExplainBench, ExplainMeasurement, Peer, Times},
    cli::{
        choice::choice,
        output::{Output, grouped},
    },
    model::Precision,
};

/// Explanations of a pair of 280 tokens, with models of the paper's size and of the small preset
#[derive(clap::Args)]
pub struct Arguments {
    /// Number of LIME samples
    #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    samples: u32,
    /// Command that takes `--samples N` and prints JSON with `own`: the time in seconds of LIME without scoring
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
    /// Precision of matrix products: f32 or bf16
    #[arg(long, default_value = "f32", value_parser = choice::<Precision>())]
    precision: Precision,
}

pub fn run(arguments: Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let peer = arguments.peer.as_deref().map(Peer::parse);
    let bench = ExplainBench {
        rounds: options.rounds(),
        samples: arguments.samples as usize,
        precision: arguments.precision,
        peer,
    };
    let measured = bench::explain(&bench, &mut |round| options.notice_round(round, output))?;
    options.print(&measured, output, print)
}

fn print(measured: &ExplainMeasurement, output: &mut Output) -> anyhow::Result<()> {
    let samples = grouped(measured.samples as u64);
    output.line(&format!(
        "{} tokens, LIME with {samples} samples, {}; seconds, best and median",
        measured.pieces, measured.precision
    ))?;
    let row = |name: &str, times: &Times| format!("{name:<36}{:>10.3}{:>10.3}", times.best(), times.median());
    for (shape, times) in [("paper", &measured.paper), ("small", &measured.small)] {
        let rows = [
            ("encoding 15 reference proofs", &times.references),
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
        output.line(&format!("the other program takes {ratio:.1} times as long, not counting scoring"))?;
    }
    Ok(())
}
