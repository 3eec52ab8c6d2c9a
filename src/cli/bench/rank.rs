//! `matchbook bench rank`.

use super::{super::range::whole, BenchOptions};
use crate::{
    bench::{self, Peer, RankBench, RankMeasurement},
    cli::output::{Output, bytes, grouped},
};

/// Ranks and the best proofs of every statement from vectors, against another program
#[derive(clap::Args)]
pub struct Arguments {
    /// Number of statements and of proofs [default: the paper's dev part]
    #[arg(long, default_value_t = 18_408, value_name = "N", value_parser = whole::<usize>(1, 1_000_000))]
    count: usize,
    /// Embedding dimension
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = whole::<usize>(1, 16_384))]
    width: usize,
    /// Number of best proofs kept for each statement
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = whole::<usize>(1, 1_000_000))]
    k: usize,
    /// Also measure CSLS and Sinkhorn decoding, each with the ranking that it needs
    #[arg(long)]
    decoders: bool,
    /// Command that takes --n and --width and prints JSON with `product` and `loop`, in seconds
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
}

pub fn run(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let bench = RankBench {
        count: arguments.count,
        width: arguments.width,
        keep: arguments.k,
        rounds: options.rounds(),
        decoders: arguments.decoders,
        peer: arguments.peer.as_deref().map(Peer::parse),
    };
    let measured = bench::rank(&bench, &mut |round| options.notice_round(round, output))?;
    options.print(&measured, output, print)
}

fn print(measured: &RankMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{0} statements by {0} proofs, vectors of dimension {1}, ranks and the best {2}; peak memory {3}",
        grouped(measured.count as u64),
        measured.width,
        measured.keep,
        measured.peak_memory.map_or_else(|| "unknown".to_owned(), bytes),
    ))?;
    output.line(&format!("{:<36}{:>10}{:>10}{:>12}", "", "best s", "median s", "vs ours"))?;
    let rows = [
        ("ours", &measured.ours),
        ("ours, with CSLS", &measured.csls),
        ("ours, with Sinkhorn", &measured.sinkhorn),
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
