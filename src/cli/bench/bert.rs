//! `matchbook bench bert`.

use super::BenchOptions;
use crate::{
    bench::{self, BertMeasurement, BertSize, Peer, Times},
    cli::{
        choice::choice,
        output::{Output, bytes, counted},
    },
    model::Precision,
};

/// Training steps and encoding of a BERT, 16 statements and 16 proofs
#[derive(clap::Args)]
pub struct Arguments {
    /// 2 layers of width 128, 4 of width 256, or 12 of width 768
    #[arg(long, default_value = "small", value_parser = choice::<BertSize>())]
    size: BertSize,
    /// Precision of matrix products in both programs: f32 or bf16
    #[arg(long, default_value = "f32", value_parser = choice::<Precision>())]
    precision: Precision,
    /// Command that, given `serve`, reads task names from standard input and answers each with its time in seconds
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
}

pub fn run(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let peer = arguments.peer.as_deref().map(|command| Peer::parse(command).serve()).transpose()?;
    let mut observe = |round| options.notice_round(round, output);
    let (size, precision) = (arguments.size, arguments.precision);
    let measured = bench::bert(size, precision, options.rounds(), peer, &mut observe)?;
    options.print(&measured, output, print)
}

fn print(measured: &BertMeasurement, output: &mut Output) -> anyhow::Result<()> {
    output.line(&format!(
        "{} of width {}, 16 statements and 16 proofs, {}, {}",
        counted(measured.layers as u64, "layer"),
        measured.width,
        counted(measured.threads as u64, "thread"),
        measured.precision
    ))?;
    output.line(&format!("{:<44}{:>10}{:>10}{:>14}", "", "best s", "median s", "vs ours"))?;
    let mut line = |name: &str, times: &Times, ours: f64| {
        let (best, median) = (times.best(), times.median());
        output.line(&format!("{name:<44}{best:>10.3}{median:>10.3}{:>14.2}", best / ours))
    };
    let (step, encode) = (measured.step.best(), measured.encode.best());
    line("one step, texts of 200 tokens", &measured.step, step)?;
    let ragged = format!("one step, {} tokens in all", measured.ragged_tokens);
    line(&ragged, &measured.ragged_step, step)?;
    if !measured.peer_step.is_empty() {
        line("the other program: one step of 200", &measured.peer_step, step)?;
    }
    line("encoding, texts of 200 tokens", &measured.encode, encode)?;
    let ragged = format!("encoding, {} tokens in all", measured.ragged_tokens);
    line(&ragged, &measured.ragged_encode, encode)?;
    if !measured.peer_encode.is_empty() {
        line("the other program: encoding 200", &measured.peer_encode, encode)?;
    }
    let memory = |memory: Option<u64>| memory.map_or("unknown".to_owned(), bytes);
    output.line(&format!("peak memory {}", memory(measured.memory)))?;
    if measured.peer_memory.is_some() {
        output.line(&format!("peak memory of the other program {}", memory(measured.peer_memory)))?;
    }
    Ok(())
}
