//! `matchbook bench train` and `matchbook bench encode`.

use std::path::PathBuf;

use super::BenchOptions;
use crate::{
    bench::{self, EncodeMeasurement, Peer, PeerServer, TrainMeasurement},
    cli::{
        choice::choice,
        output::{Output, bytes, counted, grouped},
    },
    model::Precision,
};

#[derive(clap::Args)]
pub struct Arguments {
    /// Command that, given `serve`, reads task names from standard input and answers each with its time in seconds
    #[arg(long, value_name = "COMMAND")]
    peer: Option<String>,
    /// Batches written by the peer [default: random, with the paper's lengths]
    #[arg(long, value_name = "FILE")]
    batches: Option<PathBuf>,
    /// Precision of matrix products in both programs: f32 or bf16
    #[arg(long, default_value = "f32", value_parser = choice::<Precision>())]
    precision: Precision,
}

impl Arguments {
    fn start_peer(&self) -> anyhow::Result<Option<PeerServer>> {
        Ok(self.peer.as_deref().map(|command| Peer::parse(command).serve()).transpose()?)
    }
}

pub fn train(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let batches = bench::batches(arguments.batches.as_deref())?;
    let (peer, rounds) = (arguments.start_peer()?, options.rounds());
    let mut observe = |round| options.notice_round(round, output);
    let measured = bench::train(&batches, arguments.precision, rounds, peer, &mut observe)?;
    options.print(&measured, output, print_train)
}

pub fn encode(arguments: &Arguments, options: &BenchOptions, output: &mut Output) -> anyhow::Result<()> {
    let batches = bench::batches(arguments.batches.as_deref())?;
    let (peer, rounds) = (arguments.start_peer()?, options.rounds());
    let mut observe = |round| options.notice_round(round, output);
    let measured = bench::encode(&batches, arguments.precision, rounds, peer, &mut observe)?;
    options.print(&measured, output, print_encode)
}

fn print_train(measured: &TrainMeasurement, output: &mut Output) -> anyhow::Result<()> {
    let step = measured.step.best();
    output.line(&format!(
        "the paper's encoder, 60 statements and 60 proofs, {} tokens on average, {}, {}",
        grouped(measured.tokens as u64),
        counted(measured.threads as u64, "thread"),
        measured.precision
    ))?;
    output.line(&format!("{:<36}{:>10}{:>10}{:>14}", "", "best s", "median s", "vs one step"))?;
    let ours = [
        ("one step".to_owned(), &measured.step),
        ("its matrix products alone".to_owned(), &measured.products),
        ("one step, all documents of 200 tokens".to_owned(), &measured.padded),
    ];
    let peers = measured.peers.iter().map(|(name, times)| (format!("the other program: {name}"), times));
    for (name, times) in ours.into_iter().chain(peers) {
        let (best, median) = (times.best(), times.median());
        output.line(&format!("{name:<36}{best:>10.3}{median:>10.3}{:>14.2}", best / step))?;
    }
    let speed = measured.operations / measured.products.best();
    output.line(&format!(
        "{:.2} steps/s; products take {:.0} % of a step, at {:.0} of at most {:.0} GFlop/s ({:.0} %)",
        1.0 / step,
        100.0 * measured.products.best() / step,
        speed / 1e9,
        measured.peak / 1e9,
        100.0 * speed / measured.peak,
    ))?;
    for (name, times) in &measured.peers {
        let (best, padded) = (times.best(), measured.padded.best());
        output.line(&format!(
            "{name} takes {:.2} times as long as one step, {:.2} times as long as one with all documents of 200 tokens",
            best / step,
            best / padded
        ))?;
    }
    let memory = |memory: Option<u64>| memory.map_or("unknown".to_owned(), bytes);
    output.line(&format!("peak memory {}", memory(measured.memory)))?;
    if !measured.peers.is_empty() {
        let share = measured.memory.zip(measured.peer_memory);
        let share = share.map(|(ours, peer)| format!(", {:.1} times as much", peer as f64 / ours as f64));
        let peer = memory(measured.peer_memory);
        output.line(&format!("peak memory of the other program {peer}{}", share.unwrap_or_default()))?;
    }
    Ok(())
}

fn print_encode(measured: &EncodeMeasurement, output: &mut Output) -> anyhow::Result<()> {
    let speed = |seconds: f64| measured.documents as f64 / seconds;
    let best = measured.encode.best();
    output.line(&format!(
        "{} documents, {} tokens on average, {}: best {best:.3} s, median {:.3} s, {:.0} documents/s",
        measured.documents,
        grouped(measured.tokens as u64),
        measured.precision,
        measured.encode.median(),
        speed(best),
    ))?;
    if !measured.peer.is_empty() {
        let peer = measured.peer.best();
        output.line(&format!(
            "the other program: best {peer:.3} s, median {:.3} s, {:.0} documents/s; {:.2} times as long",
            measured.peer.median(),
            speed(peer),
            peer / best
        ))?;
    }
    Ok(())
}
